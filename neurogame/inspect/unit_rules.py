"""The rules in a learned evaluator, by weight, and what it looks at that no rule asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, final

import numpy as np

from neurogame.array_types import Float64s, Int64s1
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules_network.evaluator import RulesNetwork, as_rules_network
from neurogame.inspect.attribution.unit_labels import labels_in_mode, units_of
from neurogame.inspect.table import Row, Table
from neurogame.show.state_text import squares_text
from neurogame.simulate.game import Game

LISTED = 10
"""Groups of conditions, and additions, that are listed."""
_GREW, _FADED = 1.25, 0.75


def unit_rules(evaluator: Evaluator, initial: Evaluator, game: Game) -> dict[str, list[Row]]:
    """Return the rules by weight, the conditions by weight, and the largest additions.

    Amounts are for the first role that somebody plays.

    Args:
        evaluator: of the game; nothing is returned of one that is no rules network.
        initial: the same before learning.
        game: the game.
    """
    now, then = as_rules_network(evaluator), as_rules_network(initial)
    if now is None or then is None:
        return {"rules": [], "conditions": [], "additions": []}
    modes = [UnitsInMode(now, then, game, mode) for mode in range(now.layout.sizes.modes)]
    rules = [row for mode in modes for row in mode.conditions()]
    rules = _summed(rules, ("when", "rule", "least"))
    # Modes that share weights look at the images of the same conditions and squares.
    modes = [modes[one] for one in np.unique(now.layout.weights, return_index=True)[1].tolist()]
    alike = [row for mode in modes for row in mode.conditions()]
    alike = _summed(alike, ("when", "orbit", "least"))
    additions = [row for mode in modes for row in mode.additions()]
    additions.sort(key=lambda row: -abs(row["adds"]))
    return {"rules": rules, "conditions": alike[:LISTED], "additions": additions[:LISTED]}


def unit_tables(report: dict[str, Any], role: str) -> list[Table]:
    """Return a report of :func:`unit_rules` as people read it, tables without rows among them.

    Args:
        report: what it returned.
        role: the first one that somebody plays, for which amounts are.
    """
    numbers = "at first={first:+.3f} | now={adds:+.3f} | own={own:.2f} | like={like:.0%} | "
    numbers += "became={became} | when={when}"
    what = f"what one more fluent of a condition adds to the log-odds of {role}, on average"
    return [
        Table(
            report["rules"],
            f"{numbers} | units={{units}} | rule={{rule}} | holding={{least}}",
            f"rules by weight: {what}; own: its own weights, 1 at first; like: cosine to these",
            listed=LISTED,
        ),
        Table(
            report["conditions"],
            f"{numbers} | alike={{units}} | squares={{board}} | condition={{label}}",
            "conditions by weight, those that the rules treat alike together",
        ),
        Table(
            report["additions"],
            "adds={adds:+.3f} | when={when} | squares={board} | what={label}",
            f"largest additions that no rule asked for: what one weight adds for {role}",
        ),
    ]


@final
class UnitsInMode:
    """A rules network, as states of one mode see it."""

    def __init__(self, now: RulesNetwork, then: RulesNetwork, game: Game, mode: int) -> None:
        """Look at a network.

        Args:
            now: the network.
            then: the same before learning.
            game: the game.
            mode: index.
        """
        layout = now.layout
        self._game, self._mode, self._evaluator = game, mode, now
        # Of two opponents there is one output.
        self._set, self._output = int(layout.weights[mode]), int(layout.turn[mode][game.players[0]])
        sign = float(layout.sign[mode])
        self._sign = sign
        self._embedding, self._first = (
            one.embedding[self._set].detach().double().numpy() for one in (now, then)
        )
        self._readout, self._readout_then = (
            sign * one.readout[mode, self._output].detach().double().numpy() for one in (now, then)
        )
        self._units = units_of(now, game)
        self._labels, self._tables = labels_in_mode(now, game, mode)
        said = layout.mode_fluent
        self._when = game.fluents[said[mode]] if mode < len(said) else "always"
        # Under symmetries that states of the mode are learned with.
        self._images = layout.images[0].astype(np.int64)

    def conditions(self) -> Iterator[Row]:
        """Yield a row for each unit that began as a condition of the rules."""
        for number, (unit, label) in enumerate(zip(self._units, self._labels, strict=True)):
            if unit is None:
                continue
            held = list(unit.held)
            now, first = self._embedding[:, number], self._first[:, number]
            norms = float(np.linalg.norm(now) * np.linalg.norm(first)) or 1.0
            own = float(now[held].mean())
            yield {
                "when": self._when,
                "rule": label.label.partition(": ")[0],
                "least": label.label.rpartition("; ")[2],
                "label": label.label,
                "board": squares_text(self._game, label.fluents),
                "orbit": self._orbit(np.array(unit.literals)),
                "first": float(self._readout_then[number] * first[held].mean()),
                "adds": float(self._readout[number]) * own,
                "own": own,
                "like": float(now @ first) / norms,
            }

    def _orbit(self, literals: Int64s1) -> list[int]:
        """Return the same for all conditions that symmetries make of each other."""
        images = 2 * self._images[:, literals >> 1] + literals % 2
        return min(np.sort(images, axis=1).tolist())

    def additions(self) -> Iterator[Row]:
        """Yield the largest weights that no condition has, of each unit and table one."""
        fluents = self._game.fluents
        place = self._game.structure.variable_of
        source = self._evaluator.layout.sources(self._mode)
        for number, (unit, label) in enumerate(zip(self._units, self._labels, strict=True)):
            weights, beside = self._embedding[:, number].copy(), ""
            if unit is not None:
                read = [one >> 1 for one in unit.literals]
                weights -= self._first[:, number]
                weights[np.isin(place, place[read])] = 0.0
            weights[source < 0] = 0.0
            largest = int(np.argmax(np.abs(weights)))
            amount = float(self._readout[number] * weights[largest])
            if unit is not None:
                beside = f"{fluents[source[largest]]} beside "
            yield self._addition(amount, beside + label.label, label.fluents)
        layout = self._evaluator.layout
        tables = self._evaluator.tables[self._set, self._output].detach().double().numpy()
        copies = np.unique(layout.first, return_index=True, return_counts=True)
        for first, look_up, count in zip(*(one.tolist() for one in copies), strict=True):
            rows: Float64s = self._sign * tables[first : layout.last[look_up] + 1]
            amount = float(rows[np.argmax(np.abs(rows))])
            label = self._tables[look_up]
            text = f"table of {label.label}"
            text += f" (and {count - 1} that the rules treat alike)" if count > 1 else ""
            yield self._addition(amount, text, label.fluents)

    def _addition(self, amount: float, label: str, fluents: Sequence[int]) -> Row:
        board = squares_text(self._game, fluents)
        return {"when": self._when, "adds": amount, "label": label, "board": board}


def _summed(rows: Sequence[Row], key: tuple[str, ...]) -> list[Row]:
    """Return means of what has the same key, the largest weight first."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str([row[name] for name in key]), []).append(row)
    summed: list[Row] = []
    for group in groups.values():
        means = {n: float(np.mean([r[n] for r in group])) for n in ("first", "adds", "own", "like")}
        largest = max(group, key=lambda row: abs(row["adds"]))
        summed.append({**largest, **means, "units": len(group), "became": _became(means)})
    return sorted(summed, key=lambda row: -abs(row["adds"]))


def _became(means: dict[str, float]) -> str:
    """Return what became of a condition's own weights."""
    own, turned = means["own"], means["own"] < 0 or means["first"] * means["adds"] < 0
    if turned:
        return "changed sign"
    return "grew" if own > _GREW else "faded" if own < _FADED else "stayed"
