"""Whether two rulesheets play alike: random games, compared state by state."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import final

from neurogame.gdl.terms import Rules, Sentence, Term
from neurogame.gdl.walk import arguments_of
from neurogame.prover.game import ProverGame, ProverState


@final
@dataclass(frozen=True, slots=True)
class SamePlay:
    """What random games of two rulesheets showed.

    Attributes:
        states: how many states were compared.
        difference: what differs in the last of them; None if all were alike.
    """

    states: int
    difference: str | None


def same_play(
    left: Rules, right: Rules, *, games: int, states: int, seconds: float = math.inf
) -> SamePlay:
    """Play two rulesheets side by side.

    A proposition of the state may have another name in the other rulesheet, and so may the move of
    a role that has no other.

    Args:
        left: the rules whose legal moves are drawn from.
        right: rules that should play alike, with the same roles in the same order.
        games: most random games, > 0.
        states: most states that are compared, > 0.
        seconds: wall-clock time after which no further state is compared, > 0.

    Returns:
        The number of states, and the first difference.
    """
    one, other = ProverGame(left), ProverGame(right)
    if one.roles != other.roles:
        return SamePlay(0, f"the roles {one.roles} and {other.roles}")
    draw, ends, compared = random.Random(0), time.monotonic() + seconds, 0
    for _ in range(games):
        state, twin = one.initial(), other.initial()
        while compared < states and time.monotonic() < ends:
            compared += 1
            difference = _difference(one, state, other, twin)
            if difference is not None:
                return SamePlay(compared, difference)
            roles = range(len(one.roles))
            if one.terminal(state) or not all(one.legal(state, role) for role in roles):
                break
            pairs = [_move(draw, one, state, other, twin, role) for role in roles]
            state = one.next(state, [move for move, _ in pairs])
            twin = other.next(twin, [move for _, move in pairs])
    return SamePlay(compared, None)


def _difference(
    one: ProverGame, state: ProverState, other: ProverGame, twin: ProverState
) -> str | None:
    if _unnamed(state) != _unnamed(twin):
        return f"the states {_texts(one, state)} and {_texts(other, twin)}"
    if one.terminal(state) != other.terminal(twin):
        return f"only one ends in the state {_texts(one, state)}"
    for role, spelled in enumerate(one.roles):
        if one.goals(state, role) != other.goals(twin, role):
            return f"the goals of {spelled} in the state {_texts(one, state)}"
        if one.terminal(state):
            continue
        moves, others = one.legal(state, role), other.legal(twin, role)
        if moves != others and not len(moves) == len(others) == 1:
            return f"the moves {_texts(one, moves)} and {_texts(other, others)} of {spelled}"
    return None


def _unnamed(state: ProverState) -> Counter[tuple[Term, ...]]:
    return Counter(arguments_of(fluent) for fluent in state)


def _texts(game: ProverGame, terms: frozenset[Sentence]) -> str:
    return " ".join(sorted(game.text(term) for term in terms))


def _move(
    draw: random.Random,
    one: ProverGame,
    state: ProverState,
    other: ProverGame,
    twin: ProverState,
    role: int,
) -> tuple[Sentence, Sentence]:
    """Draw a move of a role; return it as both rulesheets name it."""
    moves, others = one.legal(state, role), other.legal(twin, role)
    move = draw.choice(sorted(moves, key=one.text))
    return (move, move) if moves == others else (move, next(iter(others)))
