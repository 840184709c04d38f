"""The prover and the reference interpreter side by side: the same answers, or the same refusals."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

from neurogame.errors import LimitError, NeurogameError
from neurogame.gdl.terms import Rules
from neurogame.prover.game import ProverGame
from tests.reference.interpreter import ReferenceGame

T = TypeVar("T")


def twins_difference(rules: Rules, plies: int, seed: int) -> str | None:
    """Play a random game on prover and reference; return where they differ.

    The prover derives only what is asked for. So it may answer where the reference, which derives
    everything, refuses; where the prover refuses, the reference must refuse with the same kind of
    error, unless the prover has reached a limit.

    Args:
        rules: a checked rulesheet.
        plies: most joint moves.
        seed: decides the moves.

    Raises:
        Exception: whatever is no :class:`~neurogame.errors.NeurogameError`.
    """
    proved, refused = _asked(lambda: ProverGame(rules))
    slow, slow_refused = _asked(lambda: ReferenceGame(rules))
    if proved is None or slow is None:
        return _kinds("construction", refused, slow_refused)
    choose = random.Random(seed)
    state, refused = _asked(proved.initial)
    expected, slow_refused = _asked(slow.initial)
    for ply in range(plies + 1):
        if state is None or expected is None:
            return _kinds(f"ply {ply}, state", refused, slow_refused)
        if state != expected:
            return f"ply {ply}, state: prover and reference differ in {len(state ^ expected)} facts"
        here = state
        questions: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
            ("terminal", lambda: proved.terminal(here), lambda: slow.terminal(here))  # noqa: B023
        ]
        for role in range(len(slow.roles)):
            questions += [
                (f"legal of role {role}", *_both(proved.legal, slow.legal, here, role)),
                (f"goals of role {role}", *_both(proved.goals, slow.goals, here, role)),
            ]
        for name, ask, ask_slow in questions:
            answer, refused = _asked(ask)
            wanted, slow_refused = _asked(ask_slow)
            if refused is not None or slow_refused is not None:
                return _kinds(f"ply {ply}, {name}", refused, slow_refused)
            if answer != wanted:
                return f"ply {ply}, {name}: prover {answer}, reference {wanted}"
        legal = [sorted(slow.legal(here, r), key=slow.text) for r in range(len(slow.roles))]
        if slow.terminal(here) or not all(legal):
            return None
        joint = [choose.choice(moves) for moves in legal]
        state, refused = _asked(lambda: proved.next(here, joint))  # noqa: B023
        expected, slow_refused = _asked(lambda: slow.next(here, joint))  # noqa: B023
    return None


def _both(
    fast: Callable[..., object], slow: Callable[..., object], *given: object
) -> tuple[Callable[[], object], Callable[[], object]]:
    return lambda: fast(*given), lambda: slow(*given)


def _asked(ask: Callable[[], T]) -> tuple[T | None, NeurogameError | None]:
    try:
        return ask(), None
    except NeurogameError as error:
        return None, error


def _kinds(
    where: str, refused: NeurogameError | None, slow_refused: NeurogameError | None
) -> str | None:
    """Return how two refusals differ, where they may not."""
    if refused is None or isinstance(refused, LimitError):
        return None
    if slow_refused is None:
        return f"{where}: only the prover refuses: {refused}"
    if type(refused) is not type(slow_refused) and not isinstance(slow_refused, LimitError):
        return f"{where}: the prover refuses with {refused!r}, the reference {slow_refused!r}"
    return None
