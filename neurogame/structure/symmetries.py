"""Symmetries: renumberings of fluents, moves and roles under which the game stays the same.

They are looked for as automorphisms of the circuit, which proves them. Where the goals are written
in a way that is less symmetric than what they say (a count from one corner on), another search
leaves the gates of the goals out, and what it finds is tried on sampled states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from neurogame.analysis.random_play import WordEvaluator, choose_moves
from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.array_types import Bools, Int64s, UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.lanes import pack_lanes
from neurogame.structure.automorphisms import find_chain
from neurogame.structure.game_graph import FIXED, GameGraph, draw_game

FEWEST_STATES = 256
"""States on which a symmetry that is not proved is tried at least."""
_ROUNDS = 4


@final
@dataclass(frozen=True, eq=False)
class Symmetry:
    """A map of states, moves and roles that changes nothing but numbers.

    The image of a state is the one in which ``fluents[f]`` holds exactly if ``f`` holds in it.
    What is legal, what follows, when the game ends and who gets what are the same in the image,
    for the images of moves and roles.

    Attributes:
        fluents: image of each fluent; constants stay where they are; int64 ``[F]``.
        moves: image of each move, of all roles, numbered through in role order; moves that are
            never legal go anywhere; int64 ``[M]``.
        roles: image of each role; int64 ``[R]``.
        initial: whether the initial state is its own image.
        verdict: how this is known, and the number of states where it was sampled.
    """

    fluents: Int64s
    moves: Int64s
    roles: Int64s
    initial: bool
    verdict: Verdict


def find_symmetries(
    circuit: Circuit,
    form: Circuit,
    evaluator: WordEvaluator,
    constant: Bools,
    states: Bools,
    drawn: Sequence[Sequence[Int64s]],
    *,
    most: int,
    work: int,
) -> tuple[tuple[Symmetry, ...], bool]:
    """Return a group of symmetries, the identity first, and whether no limit left any out.

    Args:
        circuit: the game.
        form: the same with its recursive conditions as inputs and outputs, if it has any.
        evaluator: of the circuit.
        constant: fluents that keep their initial value; bool ``[F]``.
        states: states of the game to try symmetries on; bool ``[S, F]``.
        drawn: what to draw instead of the goals and the end, one after the other: conditions, as
            literals of fluents ``2 f`` or ``2 f + 1``.
        most: of a larger group only a part is returned.
        work: most edges of graphs read; 0: only the identity is returned.
    """
    known, seen = Verdict(True, Evidence.PROVED), Verdict(True, Evidence.SAMPLED, len(states))
    if not work:
        things = len(constant) + circuit.move_count + len(circuit.roles)
        return (_symmetry(circuit, np.arange(things), known),), False
    proved, whole = _automorphisms(draw_game(form, constant=constant), most, work)
    chosen = proved
    check = _Check(circuit, evaluator, states)
    for shown in drawn:
        loose = draw_game(form, constant=constant, conditions=shown)
        tried, complete = find_chain(loose, check.agrees, work=work // 8).group(most)
        if len(tried) > len(chosen):
            chosen, whole = tried, complete
    sure = {one.tobytes() for one in proved}
    symmetries = tuple(
        _symmetry(circuit, one, known if one.tobytes() in sure else seen) for one in chosen
    )
    return symmetries, whole


def _automorphisms(graph: GameGraph, most: int, work: int) -> tuple[Int64s, bool]:
    """Return a group of automorphisms of a game graph, and whether it is the whole group."""
    chain = find_chain(graph, work=work)
    automorphisms, whole = chain.group(most)
    if chain.refused:
        # Moves that do not differ by what they do to fluents do by what they do to one another
        # (rock, paper and scissors): they have to be told apart as well.
        telling = graph.telling.copy()
        telling[: -graph.counts[2]] |= graph.graph.kinds[graph.first : -graph.counts[2]] < FIXED
        more, all_of_it = find_chain(replace(graph, telling=telling), work=work).group(most)
        if len(more) > len(automorphisms):
            return more, all_of_it
    return automorphisms, whole


def _symmetry(circuit: Circuit, image: Int64s, verdict: Verdict) -> Symmetry:
    fluents, moves, roles = split_things(circuit, image)
    initial = np.zeros_like(circuit.initial)
    initial[fluents] = circuit.initial
    same = bool(np.array_equal(initial, circuit.initial))
    return Symmetry(fluents, moves, roles, same, verdict)


def split_things(circuit: Circuit, image: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Return the images of fluents, moves and roles of a permutation of all of them."""
    fluents, moves = len(circuit.fluents), circuit.move_count
    return (
        image[:fluents],
        image[fluents : fluents + moves] - fluents,
        image[fluents + moves :] - fluents - moves,
    )


@final
class _Check:
    """What the rules say about some states and moves, to compare with what they say of images."""

    def __init__(self, circuit: Circuit, evaluator: WordEvaluator, states: Bools) -> None:
        self.circuit, self.evaluator = circuit, evaluator
        states = np.resize(states, (max(len(states), FEWEST_STATES), states.shape[1]))
        self.states = pack_lanes(states.T)
        self.legal, self.terminal, self.goals = evaluator.look(self.states)
        random = np.random.default_rng(0)
        self.open = ~self.terminal & pack_lanes(np.ones((1, len(states)), np.bool_))[0]
        self.steps: list[tuple[UInt64s, UInt64s, UInt64s]] = []
        for _ in range(_ROUNDS):
            moves, able = choose_moves(circuit, self.legal, random)
            self.steps.append((moves, evaluator.step(self.states, moves), able & self.open))

    def agrees(self, image: Int64s) -> bool:
        """Return whether a permutation of all things changes nothing in the states looked at."""
        circuit = self.circuit
        fluents, moves, roles = split_things(circuit, image)
        if any(circuit.goal_values[r] != circuit.goal_values[s] for r, s in enumerate(roles)):
            return False
        states = _mapped(self.states, fluents)
        legal, terminal, goals = self.evaluator.look(states)
        values = np.split(np.arange(len(goals)), np.cumsum(list(map(len, circuit.goal_values))))
        order = np.concatenate([values[r] for r in roles.tolist()]) if len(goals) else roles[:0]
        full = self.open | self.terminal
        if ((terminal ^ self.terminal) & full).any() or ((goals[order] ^ self.goals) & full).any():
            return False
        if ((legal[moves] ^ self.legal) & self.open).any():
            return False
        return not any(
            ((self.evaluator.step(states, _mapped(made, moves))[fluents] ^ after) & able).any()
            for made, after, able in self.steps
        )


def _mapped(rows: UInt64s, image: Int64s) -> UInt64s:
    """Return rows with row ``n`` in the place of its image."""
    images = np.empty_like(rows)
    images[image] = rows
    return images
