"""Why a checkpoint finds a state good or bad, as JSON and as text: ``inspect --state``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.contribution import (
    Attribution,
    Contribution,
    Method,
    difference,
)
from neurogame.inspect.named_state import named_state
from neurogame.learn.checkpoint import Checkpoint
from neurogame.simulate.game import Game, State


def state_report(
    checkpoint: Checkpoint,
    text: str,
    *,
    role: str | None = None,
    method: Method | None = None,
    against: str | None = None,
) -> dict[str, Any]:
    """Return what the value of a state is made of.

    Args:
        checkpoint: with an evaluator.
        text: the state; see :func:`~neurogame.inspect.named_state.named_state`.
        role: whose value; None: the first role's.
        method: see :func:`~neurogame.inspect.attribution.attribute.attribute`.
        against: another state, of which the contributions that differ are told instead.

    Raises:
        GameError: there is no such state or role, or the method does not fit.
        CheckpointError: the checkpoint holds no evaluator.
    """
    game = checkpoint.game()
    evaluator, index = checkpoint.evaluator(game), 0 if role is None else game.role_index(role)
    state = named_state(game, text)
    found = attribute(evaluator, state, index, method=method)
    report = {"state": str(state), "against": None}
    if against is not None:
        other = named_state(game, against)
        found = difference(found, attribute(evaluator, other, index, method=method))
        report["against"] = str(other)
    return {
        **report,
        "role": game.roles[index],
        **{name: value for name, value in found.to_json().items() if name != "role"},
        "contributions": [
            {**asdict(own), "holding": _holding(game, state, own), "text": own.text(state)}
            for own in found.contributions
        ],
        "by_fluent": _by_fluent(game, state, found),
    }


def print_state_report(report: dict[str, Any], top: int) -> None:
    """Print a report of :func:`state_report`.

    Args:
        report: what it returned.
        top: how many contributions and fluents to list.
    """
    print(f"\n{report['state']}")
    less = ""
    if report["against"] is not None:
        print(f"\nless\n\n{report['against']}")
        less = ", differences"
    print(f"\nvalue for {report['role']}: {report['value']:.3f} ({report['method']}{less})")
    print(f"{report['total']:+9.4f} in all, in {report['unit']}")
    print(f"{report['base']:+9.4f} base")
    listed = report["contributions"][:top]
    for own in listed:
        print(f"{own['amount']:+9.4f} {own['text']}")
    rest = sum(own["amount"] for own in report["contributions"][top:])
    if len(report["contributions"]) > top:
        print(f"{rest:+9.4f} {len(report['contributions']) - top} more")
    if report["method"] != "toggling":
        print(f"{report['gap']:+9.4f} left over")
    if report["method"] == "exact":
        print("\nby the fluents behind them")
        largest = sorted(report["by_fluent"].items(), key=lambda item: -abs(item[1]))
        for name, amount in largest[:top]:
            print(f"{amount:+9.4f} {name}")


def _holding(game: Game, state: State, own: Contribution) -> list[str]:
    """Return which of the fluents that a contribution reads hold."""
    return [game.fluents[fluent] for fluent in own.fluents if state.fluents[fluent]]


def _by_fluent(game: Game, state: State, found: Attribution) -> dict[str, float]:
    """Return what fluents add, by their names, where that is not 0."""
    held = state.fluents.tolist()
    return {
        name if there else f"(not {name})": amount
        for name, there, amount in zip(game.fluents, held, found.by_fluent, strict=True)
        if amount
    }
