"""Whose turn it is: groups of fluents whose value leaves a choice to one role only.

*Reference:* Trutman and Schiffel, section 3, step 2(c) and footnote 2 (turn-taking games, noop).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.exclusive import ExclusiveGroup
from neurogame.analysis.hypotheses import Hypotheses, facts_about
from neurogame.analysis.observe import Observations
from neurogame.array_types import Bools, Int64s
from neurogame.circuit.circuit import Circuit


@final
@dataclass(frozen=True, eq=False)
class Control:
    """Fluents that say who has a choice.

    Attributes:
        fluents: exactly one of them holds in every state that is not terminal; int64 ``[K]``.
        roles: the only role that may have two or more legal moves while each of them holds, or
            -1 if no role has; int64 ``[K]``.
    """

    fluents: Int64s
    roles: Int64s


@final
@dataclass(frozen=True, eq=False)
class TurnProof:
    """What the rules say about the moves that are possible while one fluent holds.

    Attributes:
        control: found if it proves that the game is turn-taking.
        idle: moves that a role may have while another role has the choice; bool ``[M]``.
    """

    control: Control | None
    idle: Bools


def prove_turns(circuit: Circuit, known: Hypotheses) -> TurnProof:
    """Look for a group of fluents that decides which role has a choice.

    Args:
        circuit: the game.
        known: what follows from facts, with groups that have been proved.
    """
    idle, role_of = np.zeros(circuit.move_count, np.bool_), circuit.role_of_move
    for group in sorted(known.groups, key=lambda g: (len(g.fluents), int(g.fluents[0]))):
        if not group.exactly:
            continue
        possible = ~facts_about(known.excluded_moves[:, 0], group.fluents)
        counts = np.stack(
            [np.bincount(role_of[column], minlength=len(circuit.roles)) for column in possible.T]
        )
        choosing = counts > 1
        if (choosing.sum(axis=1) > 1).any():
            continue
        roles = np.where(choosing.any(axis=1), choosing.argmax(axis=1), -1)
        for column, role in zip(possible.T, roles.tolist(), strict=True):
            idle |= column & (role_of != role) & (role >= 0)
        return TurnProof(Control(group.fluents, roles), idle)
    return TurnProof(None, idle)


def seen_control(groups: tuple[ExclusiveGroup, ...], seen: Observations) -> Control | None:
    """Return the smallest group whose value was seen to tell which role has a choice.

    Args:
        groups: of which exactly one fluent holds, proved or seen.
        seen: in play or in all states.
    """
    choosing = seen.chooses.any(axis=1)
    if choosing.sum() < 2:
        return None
    for group in sorted(groups, key=lambda g: (len(g.fluents), int(g.fluents[0]))):
        chooses = seen.chooses[:, group.fluents]
        telling = bool((chooses.sum(axis=0) <= 1).all())
        if group.exactly and telling and (chooses.any(axis=1) == choosing).all():
            roles = np.where(chooses.any(axis=0), chooses.argmax(axis=0), -1)
            return Control(group.fluents, roles)
    return None
