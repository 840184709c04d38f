"""What the page shows of an opinion: values of moves and states, and what they are made of."""

from __future__ import annotations

from typing import Any, cast

from neurogame.inspect.attribution.contribution import Attribution, Contribution, Method, difference
from neurogame.simulate.game import State
from neurogame.view.opinion import Opinion
from neurogame.view.positions import squares_of_fluents

TOP = 24
"""Contributions that are listed."""


def judged_position(opinion: Opinion, state: State) -> dict[str, Any]:
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
    opinion: Opinion, state: State, role: int, method: str | None, other: State | None = None
) -> tuple[dict[str, Any], Attribution]:
    """Return what a value is made of, JSON-able, and as it is.

    Args:
        opinion: whose value.
        state: of what.
        role: for whom; its index.
        method: how it is taken apart; None: the usual way.
        other: a state that is compared with it: what makes the first one better.

    Raises:
        GameError: there is no such role or method, or no value of states.
    """
    found = opinion.explain(state, role, cast("Method | None", method))
    if other is not None:
        found = difference(found, opinion.explain(other, role, cast("Method | None", method)))
    listed = found.contributions[:TOP]
    return {
        "method": found.method,
        "unit": found.unit,
        "role": role,
        "value": found.value,
        "total": found.total,
        "base": found.base,
        "gap": None if found.method == "toggling" else found.gap,
        "contributions": [_contribution(state, own) for own in listed],
        "more": len(found.contributions) - len(listed),
        "rest": sum(own.amount for own in found.contributions[TOP:]),
    }, found


def _contribution(state: State, own: Contribution) -> dict[str, Any]:
    """Return a contribution for the page: of a pattern what holds, as it may read many fluents."""
    game = state.game
    holding = [game.fluents[fluent] for fluent in own.fluents if state.fluents[fluent]]
    is_pattern = own.kind == "pattern"
    return {
        "kind": own.kind,
        "label": own.label.partition(":")[0] if is_pattern else own.label,
        "holding": holding if is_pattern else [],
        "reads": len(own.fluents),
        "amount": own.amount,
        "squares": squares_of_fluents(game, own.fluents),
    }
