"""What the page shows of an opinion: values of moves and states, and what they are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from neurogame.errors import GameError
from neurogame.evaluators.attribution import (
    UNIT_TEXTS,
    Attribution,
    Method,
    difference,
    sorted_by_size,
)
from neurogame.evaluators.measured import fluent_contributions
from neurogame.inspect.html.attribution import contribution_rows, sums
from neurogame.inspect.table import Row
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
    nobody = tuple(() for _ in state.game.roles)
    moves = opinion.of_moves(state) if all(state.legal_moves) else nobody
    return {
        "measure": opinion.measure,
        "methods": list(opinion.methods),
        "moves": [[{"text": m.text, "value": m.value} for m in choices] for choices in moves],
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
    attribution = opinion.explain(state, role, wanted, move)
    if attribution.move is not None and rather is not None:
        attribution = difference(attribution, opinion.explain(state, role, wanted, rather))
    state = attribution.state or state
    known = listings(opinion, attribution.method)
    shown = listing if listing in known else known[0]
    if shown == "rules":
        rows = _by_rules(opinion, state, role, attribution.against)
    elif shown == "fluents" and attribution.method == "exact":
        fluents = sorted_by_size(fluent_contributions(state, attribution.by_fluent))
        rows = contribution_rows(replace(attribution, contributions=fluents))
    else:
        rows = contribution_rows(attribution)
    is_whole = shown == "parts" or (shown == "fluents" and attribution.method != "exact")
    return {
        "method": attribution.method,
        "methods": list(opinion.methods),
        "listing": shown,
        "listings": known,
        "move": None if attribution.move is None else state.game.moves[role][attribution.move],
        "role": role,
        "total": attribution.total,
        "note": _note(attribution, shown, state.game.roles[role]),
        "panel": sums(vars(attribution), rows, TOP, is_whole=is_whole).element().to_json(),
    }, attribution


def listings(opinion: PageOpinion, method: str) -> list[str]:
    """Return by what contributions can be listed, the usual way first.

    Args:
        opinion: whose value.
        method: how it is taken apart.
    """
    # Other methods than the exact one know nothing but fluents.
    names = ["parts", "fluents"] if method == "exact" else ["fluents"]
    return [*names, "rules"] if opinion.has_rules else names


def _note(attribution: Attribution, listing: str, role: str) -> str:
    """Return what the amounts are."""
    if listing == "rules":
        return (
            f"By how much the value for {role} would change if all weights of a rule grew by as "
            "much as they are."
        )
    if attribution.method == "toggling":
        return f"By how much the value for {role} would fall if a fluent were the other way round."
    error = attribution.sampling_error
    return f"For {role}, in {UNIT_TEXTS[attribution.unit]}: {attribution.total:+.3f} in all." + (
        f" Sampled: the largest standard error is {error:.1g}." if error else ""
    )


def _by_rules(opinion: PageOpinion, state: State, role: int, other: State | None) -> list[Row]:
    """Return what rules do for a value, or for how much better it is than another one."""
    amounts: dict[str, float] = {}
    for sign, position in ((1, state), (-1, other)):
        for effect in opinion.rules(position, role) if position is not None else ():
            amounts[effect.source] = amounts.get(effect.source, 0.0) + sign * effect.amount
    rows = ({"amount": amount, "text": text} for text, amount in amounts.items() if amount)
    return sorted(rows, key=lambda row: -abs(row["amount"]))
