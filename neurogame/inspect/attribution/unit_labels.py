"""What hidden units and pattern tables are called, in the words of the rules.

A hidden unit that began as a condition of the rules bears the name of the rule, one that began as
a feature that of the feature; every other one is called by the fluents that it looks at most, a
pattern table by the places that it reads. A *place*
is a variable of the structure, such as a square, in the words that all of its fluents share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final
from weakref import WeakKeyDictionary

import numpy as np

from neurogame.array_types import Float32s1, Int64s, Int64s1
from neurogame.evaluators.attribution import Contribution, Kind
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.rule_units import RuleUnit, units_read
from neurogame.evaluators.rules_network.unit_images import unit_symmetries
from neurogame.features.candidates import find_candidates
from neurogame.features.feature import Feature
from neurogame.inspect.attribution.rule_sources import RuleSource, rule_source
from neurogame.show.layout import find_layout
from neurogame.simulate.game import Game, State

_LISTED, _ALIKE = 3, 4
"""Kinds of fluents by which a unit without a rule is called, and fluents of each one."""
_LIKE = 0.9
"""Cosine of first weights to those of a feature, from which on a unit began as this."""


@final
@dataclass(frozen=True, kw_only=True)
class UnitLabel:
    """What a hidden unit or a pattern table is called.

    Attributes:
        kind: ``rule``, ``unit`` (another hidden unit) or ``pattern``.
        label: for people; of a rule first what it is about, up to ``": "``.
        fluents: that it looks at, ascending; those of the rule, or the largest ones.
    """

    kind: Kind
    label: str
    fluents: tuple[int, ...]


@final
class PlaceNames:
    """Names of the variables of a game, and of what can stand there."""

    def __init__(self, game: Game) -> None:
        """Name all variables; see :func:`place_names`."""
        self._game, structure = game, game.structure
        self.place_of = structure.variable_of.tolist()
        words = [[w.strip("()") for w in text.split()] for text in game.fluents]
        self.names: list[tuple[str, ...]] = []
        self.contents = [""] * len(game.fluents)
        for variable in structure.variables:
            fluents = variable.fluents.tolist()
            mine = [words[fluent] for fluent in fluents]
            same = [len(set(column)) == 1 for column in zip(*mine, strict=False)]
            # A variable of several relations is called by all of them.
            relation = "|".join(dict.fromkeys(each[0] for each in mine))
            rest = (word for word, keep in zip(mine[0][1:], same[1:], strict=False) if keep)
            name = (relation, *rest)
            if name in self.names:
                name = (*name, "|".join(w[-1] for w in mine[:_LISTED]))
            self.names.append(name)
            for fluent, each in zip(fluents, mine, strict=True):
                kept = [*same, *([False] * len(each))]
                content = (word for word, keep in zip(each, kept, strict=False) if not keep)
                self.contents[fluent] = " ".join(content)

    @cached_property
    def blank(self) -> frozenset[int]:
        """Fluents that say that nothing stands on a square of a board."""
        return frozenset(
            fluent
            for board in find_layout(self._game).boards
            for fluent, (_, content) in board.squares.items()
            if content == board.blank
        )

    @cached_property
    def features(self) -> list[Feature]:
        """What units may begin as besides conditions: sums over fluents."""
        return [one for one in find_candidates(self._game) if one.fluents.any()]

    def places(self, fluents: Iterable[int]) -> list[int]:
        """Return the variables of fluents, in the order of their names; constants have none."""
        known = {self.place_of[fluent] for fluent in fluents} - {-1}
        return sorted(known, key=lambda v: [(len(word), word) for word in self.names[v]])

    def text(self, places: Sequence[int], state: State | None = None) -> str:
        """Return places as text, ``cell (3 1) (3 2)``, and what stands there in a state."""
        texts: list[str] = []
        last = ""
        for place in places:
            relation, *others = self.names[place]
            texts += [] if relation == last else [relation]
            texts += [f"({' '.join(others)})"] if others else []
            texts += [] if state is None else self._standing(state, place)
            last = relation
        return " ".join(texts)

    def _standing(self, state: State, place: int) -> list[str]:
        """Return what stands at a place, if anything does."""
        variable = self._game.structure.variables[place].fluents.tolist()
        held = [f for f in variable if state.fluents[f] and f not in self.blank]
        return [self.contents[f] or "holds" for f in held]


_places: WeakKeyDictionary[Game, PlaceNames] = WeakKeyDictionary()


def place_names(game: Game) -> PlaceNames:
    """Return the names of the variables of a game; made once per game."""
    if game not in _places:
        _places[game] = PlaceNames(game)
    return _places[game]


def contribution_text(contribution: Contribution, state: State) -> str:
    """Return a line for people: of a pattern what stands at its places.

    Args:
        contribution: any.
        state: the one whose value it adds to.
    """
    if contribution.kind != "pattern":
        return contribution.label
    names = place_names(state.game)
    return names.text(names.places(contribution.fluents), state) or contribution.label


def units_of(evaluator: RulesNetwork, game: Game) -> tuple[RuleUnit | None, ...]:
    """Return what hidden units began as, None where no rule is behind them."""
    first = (one.numpy() for one in (evaluator.first_embedding, evaluator.first_bias))
    return units_read(game.structure, *first)


def labels_in_mode(
    evaluator: RulesNetwork, game: Game, mode: int
) -> tuple[list[UnitLabel], list[UnitLabel]]:
    """Return the labels of hidden units and of look-ups, in the words of states of a mode.

    Args:
        evaluator: of the game.
        game: the game.
        mode: index; states of other modes are seen with other eyes, by the same weights.
    """
    begun = _begun.setdefault(evaluator, {})
    if (game, mode) not in begun:
        begun[game, mode] = _Begun(evaluator, game, mode)
    labels = begun[game, mode]
    return labels.units(evaluator), labels.tables


@final
class _Begun:
    """The labels that learning does not change: of what units began as, and of look-ups."""

    def __init__(self, evaluator: RulesNetwork, game: Game, mode: int) -> None:
        layout, names = evaluator.layout, place_names(game)
        self._names = names
        # Which fluent of the state each fluent of the perspective is.
        self._source = layout.sources(mode)
        self._weights = int(layout.weights[mode])
        first, symmetries = evaluator.first_embedding.numpy(), unit_symmetries(layout)
        # Of fluents that are seen as none, what no unit reads.
        begun = np.vstack([first, np.zeros_like(first[:1])])[layout.seen_as[mode]]
        self._units = [
            _of_feature(names, begun[:, number], float(evaluator.first_bias[number]))
            if unit is None
            else _of_rule(game, names, unit, self._source, symmetries)
            for number, unit in enumerate(units_of(evaluator, game))
        ]
        self.tables = []
        for readers in _readers(evaluator):
            read = self._source[readers]
            fluents = sorted(read[read >= 0].tolist())
            text = names.text(names.places(fluents)) or "every state"
            self.tables.append(UnitLabel(kind="pattern", label=text, fluents=tuple(fluents)))

    def units(self, evaluator: RulesNetwork) -> list[UnitLabel]:
        """Return the labels of units; of those that began as nothing by their present weights."""
        weights = evaluator.embedding[self._weights].detach().numpy()
        return [
            unit or _of_weights(self._names, weights[:, number], self._source)
            for number, unit in enumerate(self._units)
        ]


_begun: WeakKeyDictionary[RulesNetwork, dict[tuple[Game, int], _Begun]] = WeakKeyDictionary()
"""Of each network by game and mode: explanations of many states ask for the same labels."""


def _of_rule(
    game: Game, names: PlaceNames, unit: RuleUnit, source: Int64s1, symmetries: Int64s
) -> UnitLabel:
    """Return the label of a unit that began as a condition of the rules."""
    there = [2 * int(source[one >> 1]) + one % 2 for one in unit.literals if source[one >> 1] >= 0]
    held = sorted(one >> 1 for one in there if one % 2 == 0)
    barred = sorted(one for one in there if one % 2)
    rule = rule_source(game, there)
    if not rule.head:
        # What is the same under a symmetry comes from the same rule, though of another head.
        literals = np.array(unit.literals)
        images = 2 * symmetries[:, literals >> 1] + literals % 2
        rules = (rule_source(game, image) for image in images.tolist())
        rule = next((one for one in rules if one.head), rule)
        rule = replace(rule, head=rule.relation)
    places = names.places(held)
    texts = [game.fluents[fluent] for fluent in held]
    if len(held) > len(places):
        alike = " ".join(dict.fromkeys(names.contents[fluent] for fluent in held))
        texts = [f"{names.text(places)} any of {alike}"]
    texts += [f"(not {game.fluents[one >> 1]})" for one in barred]
    move = f"{rule.head} if " if rule.relation == "legal" else ""
    least = "all" if unit.least == len(places) else f"at least {unit.least} of {len(places)}"
    label = f"{_about(names, rule, held)}: {move}{' '.join(texts)}; {least}"
    fluents = tuple(sorted({one >> 1 for one in there}))
    return UnitLabel(kind="rule", label=label, fluents=fluents)


def _about(names: PlaceNames, rule: RuleSource, held: Sequence[int]) -> str:
    """Return what a rule is about: ``line of white (connectfour.kif:61)``."""
    contents = sorted({names.contents[fluent] for fluent in held} - {""})
    whose = f" of {contents[0]}" if len(contents) == 1 else ""
    return f"{rule.relation}{whose}" + (f" ({rule.where})" if rule.where else "")


def _of_feature(names: PlaceNames, first: Float32s1, bias: float) -> UnitLabel | None:
    """Return the label of a unit that began as a feature, of which first weights are multiples."""
    best, most = None, _LIKE * float(np.linalg.norm(first))
    for feature in names.features:
        along = float(feature.fluents @ first) / float(np.linalg.norm(feature.fluents))
        if abs(along) > most:
            best, most, sign = feature, abs(along), along
    if best is None:
        return None
    least = -bias * float(np.linalg.norm(best.fluents)) / sign
    label = f"feature: {best.text}; {'above' if sign > 0 else 'below'} {least:.3g}"
    return UnitLabel(kind="unit", label=label, fluents=tuple(np.flatnonzero(best.fluents).tolist()))


def _of_weights(names: PlaceNames, column: Float32s1, source: Int64s1) -> UnitLabel:
    """Return the label of a unit that no rule asked for: its largest weights."""
    order = np.argsort(-np.abs(column), kind="stable")
    order = order[(source[order] >= 0) & (column[order] != 0)]
    large = order[np.abs(column[order]) >= np.abs(column[order[:1]]) / 2]
    groups: dict[tuple[str, str, str], list[int]] = {}
    for fluent in large.tolist():
        there, sign = int(source[fluent]), "+" if column[fluent] > 0 else "-"
        relation = names.names[names.place_of[there]][0]
        groups.setdefault((relation, names.contents[there], sign), []).append(there)
    # What is largest first; of many alike how many they are.
    largest = list(groups.items())[:_LISTED]
    texts = []
    for (relation, content, sign), each in largest:
        texts += [f"{len(each)} of {relation} {content} {sign}"] * (len(each) > _ALIKE)
        if len(each) <= _ALIKE:
            where = names.text(names.places(each))
            texts.append(" ".join(filter(None, (where, content, sign))))
    fluents = sorted(fluent for _, each in largest for fluent in each)
    label = f"free: mostly {', '.join(texts)}" if texts else "free: reads nothing"
    return UnitLabel(kind="unit", label=label, fluents=tuple(fluents))


def _readers(evaluator: RulesNetwork) -> list[Int64s1]:
    """Return the fluents of the perspective that each look-up reads."""
    layout = evaluator.layout
    fluent = np.repeat(np.arange(layout.sizes.fluents), np.diff(layout.start))
    order = np.argsort(layout.lookup, kind="stable")
    counts = np.bincount(layout.lookup, minlength=layout.sizes.lookups)
    return np.split(fluent[order], np.cumsum(counts)[:-1]) if layout.sizes.lookups else []
