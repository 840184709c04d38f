"""What the page shows of an opinion: values of moves and states, and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from neurogame.errors import GameError
from neurogame.evaluators.attribution import (
    UNIT_TEXTS,
    Attribution,
    Contribution,
    Method,
    difference,
)
from neurogame.show.touched import squares_of_fluents
from neurogame.simulate.game import State
from neurogame.view.opinion import PageOpinion

TOP = 24
"""Contributions that are listed."""
LISTINGS = ("parts", "fluents", "rules")
"""By what contributions are listed."""


def judged_position(opinion: PageOpinion, state: State) -> dict[str, Any]:
    """Return the values of a position and of its moves, JSON-able.

    Args:
        opinion: whose.
        state: the position.
    """
    can_move = not state.is_terminal and all(state.legal_moves)
    moves = opinion.of_moves(state) if can_move else tuple(() for _ in state.game.roles)
    return {
        "measure": opinion.measure,
        "methods": list(opinion.methods),
        "moves": [[{"text": m.text, "value": m.value} for m in own] for own in moves],
        "state": opinion.of_states([state])[0] if opinion.measure == "value" else None,
    }


def explained(
    opinion: PageOpinion,
    state: State,
    role: int,
    *,
    method: str | None = None,
    listing: str | None = None,
    move: int | None = None,
    rather: int | None = None,
) -> tuple[dict[str, Any], Attribution]:
    """Return what a value is made of, JSON-able, and as it is.

    Args:
        opinion: whose value.
        state: of what.
        role: for whom; its index.
        method: how it is taken apart; None, or one that this opinion has not: the usual way.
        listing: what is listed, one of :data:`LISTINGS`; None, or one that there is not of this
            value: the first of :func:`listings`.
        move: what is taken apart, an index into the role's moves; None: the value of the state,
            or of a judge of moves the score of the best move.
        rather: another move that is compared with it: what makes the first one better.

    Raises:
        GameError: there is no such role, move, method or listing, or no value of states.
    """
    for what, name, allowed in (
        ("method", method, get_args(Method)),
        ("listing", listing, LISTINGS),
    ):
        if name is not None and name not in allowed:
            raise GameError(f"{what} {name!r}; allowed are {', '.join(allowed)}")
    wanted = method if method in opinion.methods else None
    found = opinion.explain(state, role, wanted, move)
    if found.move is not None and rather is not None:
        found = difference(found, opinion.explain(state, role, wanted, rather))
    state = found.state or state
    known = listings(opinion, found.method)
    shown = listing if listing in known else known[0]
    rows = {
        "parts": lambda: _parts(state, found),
        "fluents": lambda: _fluents(state, found),
        "rules": lambda: _rules(opinion, state, role, found.against),
    }[shown]()
    return {
        "method": found.method,
        "methods": list(opinion.methods),
        "listing": shown,
        "listings": known,
        "unit": UNIT_TEXTS[found.unit],
        "move": None if found.move is None else state.game.moves[role][found.move],
        "role": role,
        "value": found.value,
        "total": found.total,
        "base": found.base,
        "gap": None if found.method == "toggling" else found.gap,
        "error": found.sampling_error,
        "contributions": rows[:TOP],
        "more": max(len(rows) - TOP, 0),
        "rest": sum(row["amount"] for row in rows[TOP:]),
    }, found


def listings(opinion: PageOpinion, method: str) -> list[str]:
    """Return by what contributions can be listed, the usual way first.

    Args:
        opinion: whose value.
        method: how it is taken apart.
    """
    # Other methods than the exact one know nothing but fluents.
    found = ["parts", "fluents"] if method == "exact" else ["fluents"]
    return [*found, "rules"] if opinion.has_rules else found


def _parts(state: State, found: Attribution) -> list[dict[str, Any]]:
    return [_contribution(state, own) for own in found.contributions]


def _fluents(state: State, found: Attribution) -> list[dict[str, Any]]:
    """Return what fluents add; those that hold, and those that do not."""
    if found.method != "exact":
        return _parts(state, found)
    game, held = state.game, state.fluents.tolist()
    rows = [
        _row(
            "fluent",
            name if held[fluent] else f"(not {name})",
            amount,
            squares=squares_of_fluents(game, [fluent]),
        )
        for fluent, (name, amount) in enumerate(zip(game.fluents, found.by_fluent, strict=True))
        if amount
    ]
    return sorted(rows, key=lambda row: -abs(row["amount"]))


def _rules(
    opinion: PageOpinion, state: State, role: int, other: State | None
) -> list[dict[str, Any]]:
    """Return what rules do for a value, or for how much better it is than another one."""
    texts: dict[int, str] = {}
    amounts: dict[int, float] = {}
    for sign, own in ((1.0, state), (-1.0, other)):
        for effect in opinion.rules(own, role) if own is not None else ():
            texts[effect.rule] = effect.source
            amounts[effect.rule] = amounts.get(effect.rule, 0.0) + sign * effect.amount
    rows = [_row("rule", texts[rule], amount) for rule, amount in amounts.items() if amount]
    return sorted(rows, key=lambda row: -abs(row["amount"]))


def _contribution(state: State, own: Contribution) -> dict[str, Any]:
    # Of judges of moves a part may be a move, which lies behind the fluents and on no square.
    fluents = [fluent for fluent in own.fluents if fluent < len(state.fluents)]
    squares = squares_of_fluents(state.game, fluents)
    return _row(own.kind, own.text(state), own.amount, squares=squares)


def _row(kind: str, label: str, amount: float, *, squares: Sequence[str] = ()) -> dict[str, Any]:
    return {"kind": kind, "label": label, "amount": amount, "squares": list(squares)}
