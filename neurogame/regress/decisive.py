"""Rules for playouts that decide: who can win at once does so, and lets no opponent win at once.

The result is a circuit of the same fluents, goals and ends in which fewer moves are legal. So every
backend can play it, and its uniform games are the decisive and anti-decisive playouts of the game.

*Reference:* Teytaud and Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree search
algorithms", 2010.
"""

from __future__ import annotations

from contextlib import suppress
from weakref import WeakKeyDictionary

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError, LimitError
from neurogame.graph.graph import AND, FALSE
from neurogame.regress.winning_moves import WinningMoves

MOST_GATES, _MOST_CAREFUL = 60_000, 20_000
"""Gates of a circuit for playouts, and of one that looks for moves that lose: more of them are not
worth their time."""

_made: WeakKeyDictionary[Circuit, tuple[Circuit, bool]] = WeakKeyDictionary()


def decisive(circuit: Circuit) -> Circuit:
    """Return a game with fewer legal moves, made once for as long as its circuit is in use.

    A move *wins* if it certainly leads to a terminal state in which its role has its best goal. It
    *loses* if it certainly leads to a state in which another role has a legal move that wins.
    Legal are a role's moves that win; if there is none those that do not lose; if there is none
    either, all. Chance keeps all its moves. No move counts as one that loses where goals do not sum
    to a constant, where a role may move twice in turn, as what others threaten can then wait, or
    where telling them takes too many gates.

    Args:
        circuit: the game.

    Returns:
        A circuit with other legal moves in states that are not terminal, the rest being the same.

    Raises:
        GameError: several roles choose at the same time.
        LimitError: it would be too large.
    """
    return _known(circuit)[0]


def avoids_losing(circuit: Circuit) -> bool:
    """Return whether moves that lose are left out of what :func:`decisive` returns, too.

    As far as they could be: where a role may move twice in turn there is nothing to leave out.
    """
    return _known(circuit)[1]


def _known(circuit: Circuit) -> tuple[Circuit, bool]:
    """Return the game in which playouts decide, and whether moves that lose are left out."""
    if circuit not in _made:
        _made[circuit] = _affordable(circuit)
    return _made[circuit]


def _affordable(circuit: Circuit) -> tuple[Circuit, bool]:
    """Return the whole, and whether moves that lose are told, which may take too many gates.

    Raises:
        GameError: several roles choose at the same time.
        LimitError: it would be too large all the same.
    """
    try:
        winning = WinningMoves(circuit)
    except GameError as error:
        raise GameError(
            f"playouts that decide are for games whose roles move in turn, and here {error}; "
            "choose playout=uniform"
        ) from None
    made, can_wait = None, False
    with suppress(LimitError):
        can_wait = any(map(winning.moves_again, winning.legal))
        if winning.analysis.constant_sum.holds and not can_wait:
            made = _with_fewer_moves(winning, careful=True)
    if made is not None and made.gate_count <= _MOST_CAREFUL:
        return made, True
    try:
        made = _with_fewer_moves(winning, careful=False)
    except LimitError as error:
        raise _too_large(circuit, str(error)) from None
    if made.gate_count > MOST_GATES:
        raise _too_large(circuit, f"{made.gate_count:,}")
    return made, can_wait


def _with_fewer_moves(winning: WinningMoves, *, careful: bool) -> Circuit:
    """Return the game in which playouts decide.

    Args:
        winning: what wins at once.
        careful: whether moves that lose are avoided.

    Raises:
        LimitError: it would be too large.
    """
    pairs, wins, outputs = winning.store.pairs, winning.wins, winning.outputs.copy()
    for role, own in wins.items():
        rest = winning.legal[role]
        if careful:
            others = [wins[other] for other in wins if other != role]
            threats = winning.any_of(np.concatenate([[FALSE], *others]))
            threats = pairs(AND, threats, winning.over ^ 1)
            rest = winning.first(pairs(AND, rest, winning.after(role, threats) ^ 1), rest)
        outputs[winning.old.moves_of(role)] = winning.first(own, rest)
    return winning.circuit(outputs)


def _too_large(circuit: Circuit, found: str) -> LimitError:
    return LimitError(
        f"playouts that decide would take {found} gates, where the game has "
        f"{circuit.gate_count:,} and {MOST_GATES:,} are allowed; choose playout=uniform"
    )
