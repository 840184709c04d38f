"""Hidden units that begin as conditions of the rules.

A unit is a conjunction of the rules, as C-IL2P's neuron is: each fluent of the condition that holds
excites it, each other value of the same variables (the other mark, but not an empty square)
inhibits it by more, and it answers from some of its fluents on. Of the goals' conditions, such as
lines, it says that all but one or two of the fluents are there and nothing is in their way; where
goals have no conditions that few fluents make, the conditions of legal moves serve.

*Reference:* Towell and Shavlik, "Knowledge-based artificial neural networks" (1994); Michulke and
Thielscher, "Neural networks for state evaluation in general game playing" (2009), section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float32s
from neurogame.simulate.game import Game
from neurogame.structure.lines import FEWEST, find_conditions
from neurogame.structure.structure import Structure

_EXCITED, _INHIBITED = 1.0, -2.0
_WORK = 1_000_000
_OF_VARIABLE = 6
"""Units for each variable that conditions read, at most: more conditions are a count written out,
such as any five of nine boxes, of which a few say as much as all."""


@final
@dataclass(frozen=True, kw_only=True, order=True)
class RuleUnit:
    """What a unit begins as.

    Attributes:
        literals: ``2 * fluent`` for fluents that shall hold, ``2 * fluent + 1`` for those that
            shall not; ascending.
        least: how many of the fluents that shall hold suffice, while nothing is in the way; of
            several of one variable, such as pieces that are all tall, one counts at most.
    """

    literals: tuple[int, ...]
    least: int

    @property
    def held(self) -> tuple[int, ...]:
        """The fluents that shall hold."""
        return tuple(literal >> 1 for literal in self.literals if literal % 2 == 0)


def find_rule_units(game: Game, most: int, seed: int) -> tuple[RuleUnit, ...]:
    """Return what units begin as, each condition at two thresholds.

    Args:
        game: the game.
        most: units; where there are more, one threshold of each condition comes first. There
            are no more than six for each variable that the conditions read.
        seed: decides which are left out.
    """
    structure = game.structure
    conditions = [tuple(2 * fluent for fluent in one) for one in structure.conditions]
    missing = (1, 2)
    if not conditions:
        conditions, missing = _legal_conditions(game), (0, 1)
    variables = np.unique(
        structure.variable_of[[literal >> 1 for one in conditions for literal in one]]
    )
    most = min(most, _OF_VARIABLE * len(variables))
    random = np.random.default_rng(seed)
    units: list[RuleUnit] = []
    for absent in missing:
        fresh = [
            RuleUnit(literals=one, least=least)
            for one in conditions
            if (least := _variables_held(structure, one) - absent) > 0
        ]
        room = most - len(units)
        if len(fresh) > room:
            fresh = [fresh[place] for place in sorted(random.permutation(len(fresh))[:room])]
        units += fresh
    return tuple(units)


def _variables_held(structure: Structure, literals: Iterable[int]) -> int:
    """Return of how many variables one of some literals says what they shall be."""
    return len({int(structure.variable_of[one >> 1]) for one in literals if one % 2 == 0})


def _legal_conditions(game: Game) -> list[tuple[int, ...]]:
    """Return the conditions of legal moves, without whose turn it is."""
    structure = game.structure
    counts = structure.variable_of >= 0
    counts[structure.mode_fluents] = False
    made = {
        tuple(sorted(literal for literal in one if counts[literal >> 1]))
        for one in find_conditions(game.circuit, game.circuit.legal, work=_WORK)
    }
    return sorted(
        one for one in made if len(one) >= FEWEST and any(literal % 2 == 0 for literal in one)
    )


def rule_weights(game: Game, units: tuple[RuleUnit, ...]) -> tuple[Float32s, Float32s]:
    """Return the first embeddings and biases of units.

    Args:
        game: the game.
        units: what they begin as, ``U``.

    Returns:
        float32 ``[F, U]`` and ``[U]``.
    """
    structure = game.structure
    ways = np.full(len(structure.variable_of), _INHIBITED, np.float32)
    for board in game.relations.boards:
        # What may still come to stand on an empty square is not excluded.
        ways[board.empty_fluents] = 0.0
    embedding = np.zeros((len(structure.variable_of), len(units)), np.float32)
    for number, unit in enumerate(units):
        for fluent in unit.held:
            variable = structure.variables[int(structure.variable_of[fluent])]
            embedding[variable.fluents, number] = ways[variable.fluents]
        for literal in unit.literals:
            embedding[literal >> 1, number] = _INHIBITED if literal % 2 else _EXCITED
    # At its threshold a unit answers by one half, so that it learns from the first games on.
    bias = np.array([0.5 - unit.least for unit in units], np.float32)
    return embedding, bias


def units_read(
    structure: Structure, embedding: Float32s, bias: Float32s
) -> tuple[RuleUnit | None, ...]:
    """Return what units began as, read off their first weights; the inverse of rule_weights.

    Args:
        structure: of the game.
        embedding: float32 ``[F, U]``.
        bias: float32 ``[U]``.

    Returns:
        For each unit the condition, None where it began as something else; ``[U]``.
    """
    units: list[RuleUnit | None] = []
    for column, first in zip(embedding.T, bias.tolist(), strict=True):
        rounded = np.round(column)
        held = np.flatnonzero(rounded == _EXCITED)
        # The older of the shipped checkpoints had a little noise added to these weights.
        sound = np.abs(column - rounded).max(initial=0.0) < 0.25 and len(held)
        if not sound or set(np.unique(rounded).tolist()) - {_INHIBITED, 0.0, _EXCITED}:
            units.append(None)
            continue
        others = np.isin(structure.variable_of, structure.variable_of[held])
        banned = np.flatnonzero((rounded == _INHIBITED) & ~others)
        literals = sorted([*(2 * held).tolist(), *(2 * banned + 1).tolist()])
        units.append(RuleUnit(literals=tuple(literals), least=round(0.5 - first)))
    return tuple(units)
