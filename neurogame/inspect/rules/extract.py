"""Extraction: any evaluator to few weighted rules that value states much as it does.

Nothing is read but the evaluator's values: rules are fitted to its log-odds in states of its own
games and in what moves lead to, as a student to a teacher.

*Reference:* Craven and Shavlik, "Using sampling and queries to extract rules from trained neural
networks" (1994).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import final

import numpy as np

from neurogame.array_types import Float32s, Float64s
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules.ground_rule import GroundRule
from neurogame.evaluators.rules.of_rules import mode_fluents
from neurogame.evaluators.rules.signature import rules_signature
from neurogame.evaluators.rules.weighted_rules import RuleSet
from neurogame.inspect.rules.candidates import CandidateMaker, RuleCandidate
from neurogame.inspect.rules.choose import RIDGE, Chosen
from neurogame.inspect.rules.design import Design
from neurogame.inspect.rules.generalise import Generaliser
from neurogame.inspect.rules.needs import find_needs
from neurogame.inspect.rules.samples import ExtractConfig, TeacherSamples, gather_samples
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game
from neurogame.waiting import during

_RANDOM = 0.5
"""Share of random moves in the games: rules are to hold off the beaten track as well."""
_LEAST_STATES = 5
"""A candidate counts in that many states, or is left out: less says nothing."""
_LABELS = {"square": "squares", "line": "lines", "pair": "pairs", "threat": "threats"}


@final
@dataclass(frozen=True, kw_only=True)
class ExtractedRule:
    """What there is to say about a rule.

    Attributes:
        kind: what it is about, see :class:`~neurogame.inspect.rules.candidates.RuleCandidate`.
        instances: how many.
        held: of these count in a state, on average.
        effect: standard deviation of what it adds to log-odds, over states.
    """

    kind: str
    instances: int
    held: float
    effect: float


@final
class Extractor:
    """Makes rules of one evaluator; asking for more of them goes on from where it was."""

    def __init__(
        self, game: Game, evaluator: Evaluator, *, seed: int, config: ExtractConfig | None = None
    ) -> None:
        """Let the evaluator play, and weigh what might be worth something.

        Args:
            game: the game.
            evaluator: any.
            seed: decides the games.
            config: how much to look at.

        Raises:
            GameError: none of the games ended.
        """
        config = config or ExtractConfig()
        self._game, self._opposed = game, opposed(game)
        with during(f"{game.name}: games of the evaluator, and its values", 10):
            samples = gather_samples(game, evaluator, config, epsilon=_RANDOM, seed=seed)
        with during(f"{game.name}: candidates for rules", 20):
            self._candidates, self._chosen, self._columns = self._weighed(samples, config)

    def _weighed(
        self, samples: TeacherSamples, config: ExtractConfig
    ) -> tuple[list[RuleCandidate], Chosen, Float32s]:
        """Return the most promising candidates, and the choice among them."""
        game = self._game
        design = Design(samples, len(game.roles), opposed=self._opposed)
        needs = find_needs(game.structure, samples.made, set(mode_fluents(game)))
        maker = CandidateMaker(game, opposed=self._opposed, needs=needs)
        base = _promising(maker.base(), design, design.target, config.candidates)
        columns = design.columns(base)
        products, target = _products(columns, design.target)
        fitted = np.linalg.solve(products + RIDGE * np.eye(len(base)), target)
        rest = design.target - columns.T @ fitted.astype(np.float32)
        # Only what the base leaves open: pairs that repeat it are of no use.
        more = _promising(maker.pairs(), design, rest, config.candidates - len(base))
        candidates = base + more
        columns = np.concatenate([columns, design.columns(more)])
        products, target = _products(columns, design.target)
        counted = np.stack([design.truths.column(one.instances) for one in candidates])
        instances = np.array([len(one.instances) for one in candidates], np.int64)
        families = [one.family for one in candidates]
        return candidates, Chosen(products, target, families, instances), counted

    def rules(self, size: int) -> tuple[RuleSet, list[ExtractedRule]]:
        """Return rules, those that matter most first, and what there is to say about each.

        Args:
            size: number of rules, at least what earlier calls asked for; fewer are returned where
                more would not help.
        """
        with during(f"{self._game.name}: {size} rules", size / 10):
            self._chosen.grow(size)
        ranked: list[tuple[float, list[GroundRule], ExtractedRule]] = []
        for rule, weight in enumerate(self._chosen.weight.tolist()):
            places = np.flatnonzero(self._chosen.member == rule)
            instances = [one for k in places.tolist() for one in self._candidates[k].instances]
            column = self._columns[places].sum(axis=0)
            effect = abs(weight) * float(column.std())
            about = ExtractedRule(
                kind=self._candidates[int(places[0])].kind,
                instances=len(instances),
                held=float(np.abs(self._columns[places]).sum(axis=0).mean()),
                effect=effect,
            )
            ranked.append((effect, self._weighted(instances, weight), about))
        ranked.sort(key=lambda one: -one[0])
        written = Generaliser(self._game.circuit)
        rules = [
            written.rule(ground, _LABELS.get(about.kind, "roles")) for _, ground, about in ranked
        ]
        return (
            RuleSet(
                game=self._game.name.lower(),
                signature=rules_signature(self._game.rules),
                opposed=self._opposed,
                facts=written.facts,
                rules=tuple(rules),
            ),
            [about for _, _, about in ranked],
        )

    def _weighted(self, instances: list[GroundRule], weight: float) -> list[GroundRule]:
        """Return instances with a weight of three digits; of opponents, who gains by it."""
        rounded = float(f"{weight:.3g}")
        if rounded < 0 and self._opposed:
            return [replace(one, role=1 - one.role, weight=-rounded) for one in instances]
        return [replace(one, weight=rounded) for one in instances]


def _promising(
    candidates: Iterable[RuleCandidate], design: Design, target: Float32s, most: int
) -> list[RuleCandidate]:
    """Return the candidates that alone explain most of a target, in the order that they came."""
    scored = []
    for number, one in enumerate(candidates):
        column = design.column(one)
        if np.count_nonzero(column) >= _LEAST_STATES:
            gain = float(column @ target) ** 2 / (float(column @ column) + RIDGE)
            scored.append((gain, -number, one))
    kept = nlargest(max(most, 0), scored, key=lambda entry: entry[:2])
    return [one for _, _, one in sorted(kept, key=lambda entry: -entry[1])]


def _products(columns: Float32s, target: Float32s) -> tuple[Float64s, Float64s]:
    """Return products of columns with each other and with a target."""
    return (columns @ columns.T).astype(np.float64), (columns @ target).astype(np.float64)
