"""What the rules of a game give away, in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.random_play import WordEvaluator
from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.gdl.terms import Rules
from neurogame.graph.positive import positive
from neurogame.structure.any_of import any_of_conditions
from neurogame.structure.automorphisms import canonical_order
from neurogame.structure.canonical import renumbered
from neurogame.structure.game_graph import draw_game
from neurogame.structure.geometry import Geometry, find_geometry, small_supports
from neurogame.structure.lines import FEWEST, MOST, find_conditions, find_lines, line_literals
from neurogame.structure.mode import Mode, find_mode
from neurogame.structure.recursion import recursive_form
from neurogame.structure.sample import invented, sample_states, spread
from neurogame.structure.symmetries import Symmetry, find_symmetries
from neurogame.structure.variables import StateVariable, find_variables

_MOST_PAIRS = 10_000
"""Pairs of neighbours that are drawn in the search for symmetries."""


@final
@dataclass(frozen=True, kw_only=True)
class StructureLimits:
    """How much looking for structure may cost.

    Attributes:
        states: most states to enumerate; 0 enumerates none.
        games: random games otherwise, a multiple of 64; fewer on a large circuit.
        play_work: input literals read in random play.
        proof_work: input literals read by proofs; 0 proves nothing.
        graph_work: edges read in the search for symmetries; 0 finds none.
        edges: most inputs of all gates of a circuit that is searched for symmetries; of a
            larger one only the identity is found, and names decide between equals.
        symmetries: most symmetries; of a larger group, a part is kept.
        lines: most lines; where there are more, there are none.
    """

    states: int = 5_000
    games: int = 512
    play_work: int = 100_000_000
    proof_work: int = 20_000_000
    graph_work: int = 200_000_000
    edges: int = 2_000_000
    symmetries: int = 1_024
    lines: int = 2_000


@final
@dataclass(frozen=True, eq=False)
class Structure:
    """What the rules of a game give away.

    ``F`` fluents, ``V`` variables.

    Attributes:
        variables: groups of fluents of which at most one holds; all fluents that are not constant.
        variable_of: variable of each fluent, or -1 for a constant; int64 ``[F]``.
        mode: the variable that says who has a choice, if there is one.
        geometry: which variables are read together.
        lines: variables of conditions of the goals and of the end, ascending.
        conditions: fluents that hold together in conditions of the goals and of the end, two or
            more variables' each, such as the marks of a complete line; none is part of another. Of
            several fluents of one variable any one has to hold.
        symmetries: a group of them, the identity first.
        whole_group: whether no limit left symmetries out.
    """

    variables: tuple[StateVariable, ...]
    variable_of: Int64s
    mode: Mode | None
    geometry: Geometry
    lines: tuple[tuple[int, ...], ...]
    conditions: tuple[tuple[int, ...], ...]
    symmetries: tuple[Symmetry, ...]
    whole_group: bool

    @property
    def mode_fluents(self) -> Int64s:
        """Fluents of the mode, ascending; none where nothing says who has a choice."""
        if self.mode is None:
            return np.zeros(0, np.int64)
        return self.variables[self.mode.variable].fluents


def find_structure(
    circuit: Circuit, rules: Rules | None = None, *, limits: StructureLimits | None = None
) -> Structure:
    """Find the structure of a game; names and their order have no influence on it.

    Args:
        circuit: the game.
        rules: what the circuit was made from. Without them little is found about conditions that
            refer to themselves, such as being connected, and their names have an influence.
        limits: what it may cost.
    """
    limits = limits or StructureLimits()
    fluents = len(circuit.fluents)
    form = recursive_form(circuit, rules)
    order, move_order = _orders(form, limits)
    game = renumbered(circuit, order, move_order)
    form = game if form is circuit else renumbered(form, order, move_order)
    evaluator = WordEvaluator(game)
    sample = sample_states(
        evaluator, states=limits.states, games=limits.games, work=limits.play_work
    )
    variables = find_variables(game, sample, ConeFinder(game.graph), work=limits.proof_work)
    variable_of = np.full(fluents, -1, np.int64)
    for index, variable in enumerate(variables):
        variable_of[variable.fluents] = index
    ends = np.append(form.goal_literals, form.terminal)
    conditions = find_conditions(form, ends, work=1_000_000)
    back = tuple(StateVariable(np.sort(order[v.fluents]), v.exactly, v.evidence) for v in variables)
    mode = find_mode(variables, sample)
    if mode is not None:
        mode_fluents = order[variables[mode.variable].fluents]
        mode = replace(mode, roles=mode.roles[np.argsort(mode_fluents)])
    supports = small_supports(form, variable_of)
    geometry = find_geometry(supports, len(variables))
    literals = line_literals(conditions)
    held = _held_together(literals, order)
    if len(held) > limits.lines:
        # Too many written out: such as a line of pieces that have one of four properties alike.
        graph = positive(form.graph.with_outputs(ends))
        wide = [one for _, one in any_of_conditions(*graph, variables, variable_of)]
        held = tuple(sorted(tuple(sorted(order[one >> 1].tolist())) for one in wide))
        conditions = {frozenset(one.tolist()) for one in wide} or conditions
    sizes = np.array([len(v.fluents) for v in variables], np.int64)
    values = np.concatenate([np.zeros(0, np.int64), *(v.fluents for v in variables)])
    strange = invented(sizes, values, literals, game.initial)
    symmetries, whole = find_symmetries(
        game,
        form,
        evaluator,
        variable_of < 0,
        np.concatenate([spread(sample.states, 1024), strange]),
        (literals, (), _pairs(supports, variables)),
        most=limits.symmetries,
        work=limits.graph_work if form.graph.edge_count <= limits.edges else 0,
    )
    original = np.full(fluents, -1, np.int64)
    original[order] = variable_of
    return Structure(
        variables=back,
        variable_of=original,
        mode=mode,
        geometry=geometry,
        lines=find_lines(conditions, variable_of, most=limits.lines),
        conditions=held if len(held) <= limits.lines else (),
        symmetries=tuple(_translated(one, order, move_order) for one in symmetries),
        whole_group=whole,
    )


def _held_together(literals: list[Int64s], order: Int64s) -> tuple[tuple[int, ...], ...]:
    """Return the fluents that hold in each condition, under the game's own numbers."""
    held = {tuple(sorted(order[one[one % 2 == 0] >> 1].tolist())) for one in literals}
    return tuple(sorted(one for one in held if FEWEST <= len(one) <= MOST))


def _orders(form: Circuit, limits: StructureLimits) -> tuple[Int64s, Int64s]:
    """Return fluents and moves in canonical order; moves role by role, numbered through."""
    fluents, moves = len(form.fluents), form.move_count
    if form.graph.edge_count > limits.edges:
        return np.arange(fluents), np.arange(moves)
    rank = canonical_order(draw_game(form, initial=True), work=limits.graph_work // 8)
    by_role = np.lexsort((rank[fluents : fluents + moves], form.role_of_move))
    return np.argsort(rank[:fluents]), by_role


def _pairs(rows: Int64s, variables: Sequence[StateVariable]) -> list[Int64s]:
    """Return the fluents of each two variables that some gate reads and no others.

    As literals; nothing if there are too many.

    Args:
        rows: what gates depend on; see :func:`small_supports`.
        variables: of the game.
    """
    rows = np.unique(rows[(rows >= 0).sum(axis=1) == 2][:, -2:], axis=0)
    if len(rows) > _MOST_PAIRS:
        return []
    literals = [2 * v.fluents for v in variables]
    return [np.concatenate([literals[a], literals[b]]) for a, b in rows.tolist()]


def _translated(symmetry: Symmetry, fluents: Int64s, moves: Int64s) -> Symmetry:
    """Return a symmetry under other numbers: ``fluents`` and ``moves`` say which was which."""
    images = []
    for image, number in ((symmetry.fluents, fluents), (symmetry.moves, moves)):
        translated = np.empty_like(image)
        translated[number] = number[image]
        images.append(translated)
    return replace(symmetry, fluents=images[0], moves=images[1])
