"""Smaller action formulas that rank moves nearly as before.

Most parts of a formula are hardly ever near satisfaction, or add the same to every move. What a
gate loses if it leaves an input out is measured on sampled states, to first order for all inputs
at once: by how much the scaled values of the legal moves change, apart from changes that shift or
stretch the values of all moves alike. Inputs that cost least for each edge saved are left out, as
many as a bound on the real change allows, then the rest is measured again.

*Reference:* Trutman and Schiffel, section "Time Spent on Evaluating the Heuristic", last
paragraph: parts that are triggered in rare states, fluents that change from state to state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
from fuzzy_truth import FuzzyTruth
from ranking import RankingChange, ranking_change
from shared_terms import packed, remade, without_shared_terms

from neurogame.array_types import Bools, Float64s, Int64s
from neurogame.errors import ConfigurationError, LimitError
from neurogame.graph.graph import AND, OR, Graph
from neurogame.graph.levels import split_at_changes
from neurogame.regress.action_formulas import ActionFormulas
from neurogame.settings import Settings, setting

_SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01)
_COMMON = (1.0, 0.9, 0.75, 0.5, 0.25)
_NARROW = 0.05
_LEAST_VALUES = 64
_MOST_VALUES = 30_000_000


@final
@dataclass(frozen=True, kw_only=True)
class TrimConfig(Settings):
    """How far formulas may be trimmed; bounds hold on other states than those that rank parts."""

    best: float = setting(
        0.015,
        "share of states whose best move may change",
        least=0,
        most=1,
    )
    shift: float = setting(
        0.05,
        "mean change of a move's scaled value",
        least=0,
        most=1,
    )
    rounds: int = setting(
        10,
        "how often the parts are measured again, at least 1",
        least=1,
    )
    draws: int = setting(
        4,
        "random combinations of moves in which changes are measured, at least 1",
        least=1,
    )
    seed: int = setting(
        0,
        "of these sums",
    )


@final
@dataclass(frozen=True, kw_only=True)
class Samples:
    """States to try formulas on.

    Attributes:
        inputs: inputs of the circuit without the constant, all moves false: the formulas must be
            specialised and without unknowns; bool ``[S, I - 1]``.
        legal: legal moves of the role; bool ``[S, M]``.
    """

    inputs: Bools
    legal: Bools

    def part(self, rows: Bools | Int64s) -> Samples:
        """Return some of the states, by flags, bool ``[S]``, or by numbers, int64 ``[k]``."""
        return Samples(inputs=self.inputs[rows], legal=self.legal[rows])


def action_values(own: ActionFormulas, truth: Float64s, inputs: Bools) -> Float64s:
    """Return the value of every move of a role.

    Several goals are combined by disjunction, the formula of value ``v`` times ``v / 100``. A
    move of whose formulas nothing is left has 0.5.

    Args:
        own: formulas of the role's moves.
        truth: of their leaves; float64 ``[K, 2]``.
        inputs: see :class:`~.fuzzy_truth.FuzzyTruth`; bool ``[S, I - 1]``.

    Returns:
        Float64 ``[S, M]`` in 0..1.
    """
    return _combined(own, FuzzyTruth(own.graph, own.leaves, truth, inputs).nodes)[0]


def trim(
    own: ActionFormulas,
    truth: Callable[[Int64s], Float64s],
    samples: Samples,
    clock: Bools,
    config: TrimConfig | None = None,
) -> tuple[ActionFormulas, RankingChange]:
    """Leave parts of a role's formulas out.

    Args:
        own: specialised formulas without unknown moves.
        truth: gives the truth of leaves, float64 ``[K, 2]``, from their literals.
        samples: states; the first half ranks the parts, the second half bounds the change.
        clock: fluents that tell the ply or the turn; gates leave them out first of all, if the
            bound allows it; bool ``[F]``.
        config: the bounds.

    Returns:
        The smaller formulas, and the change on the second half of the samples.

    Raises:
        ConfigurationError: the formulas are not specialised, or the role has a choice in fewer
            than two of the states.
        LimitError: the formulas are too large to be measured.
    """
    config = config or TrimConfig()
    if not own.specialised:
        raise ConfigurationError(
            "only specialised formulas can be trimmed; these are the same for all moves"
        )
    chosen = samples.part(np.flatnonzero(samples.legal.sum(axis=1) > 1))
    if len(chosen.legal) < 2:
        raise ConfigurationError(
            f"the role has a choice in {len(chosen.legal)} of {len(samples.legal)} sampled states; "
            "at least 2 are needed, better hundreds"
        )
    half = np.arange(len(chosen.legal)) < len(chosen.legal) // 2
    results = []
    for kinds, alone in product(((), (OR, AND)), (False, True)):
        trimmer = _Trimmer(own, truth, chosen.part(half), chosen.part(~half), config)
        trimmer.leave_out_leaves(clock)
        for kind in kinds:
            trimmer.leave_out_shared(kind)
        for _ in range(config.rounds):
            if not trimmer.leave_out_edges(alone):
                break
        results.append((trimmer.own, trimmer.whole_change()))
    # Without shared terms, gates are shared less, and small steps may lead astray.
    return min(results, key=lambda result: result[0].graph.edge_count)


@final
class _Trimmer:
    """Formulas of a role that become smaller."""

    def __init__(
        self,
        own: ActionFormulas,
        truth: Callable[[Int64s], Float64s],
        ranking: Samples,
        bounding: Samples,
        config: TrimConfig,
    ) -> None:
        nodes = len(own.leaves) + own.graph.gate_count
        room = _MOST_VALUES // max(nodes, 1)
        if room < _LEAST_VALUES:
            raise LimitError(
                f"formulas of {nodes:,} nodes are too large to be trimmed; the limit is "
                f"{_MOST_VALUES // _LEAST_VALUES:,}"
            )
        self.own, self.truth, self.config = own, truth, config
        self.ranking = ranking.part(np.arange(min(room, len(ranking.legal))))
        self.bounding = bounding.part(np.arange(min(room, len(bounding.legal))))
        self.random = np.random.default_rng(config.seed)
        self.before = action_values(own, truth(own.leaves), self.bounding.inputs)
        self.first = 0

    def whole_change(self) -> RankingChange:
        """Return all numbers of the change so far."""
        after = action_values(self.own, self.truth(self.own.leaves), self.bounding.inputs)
        return ranking_change(self.before, after, self.bounding.legal)

    def leave_out_leaves(self, fluents: Bools) -> None:
        """Leave all leaves of some fluents out, if the bound allows it."""
        graph, place = self.own.graph, (self.own.leaves >> 1) - 1
        inside = np.flatnonzero((place >= 0) & (place < len(fluents)))
        gone = np.zeros(graph.node_count, np.bool_)
        gone[1 + inside] = fluents[place[inside]]
        if gone.any():
            self._try(_without_edges(self.own, gone[graph.inputs >> 1]))

    def leave_out_shared(self, kind: int) -> None:
        """Leave terms out that many moves share, of as many moves as the bound allows."""
        for share in _COMMON:
            smaller = without_shared_terms(self.own, kind, share)
            fewer = smaller is not None and smaller.graph.edge_count < self.own.graph.edge_count
            if smaller is not None and fewer and not self._try(smaller):
                return

    def leave_out_edges(self, alone: bool) -> bool:
        """Leave out as many edges as the bound allows.

        Args:
            alone: whether a conjunction may lose no more than one input. Of two inputs that are
                both false neither alone makes a difference, but both do.

        Returns:
            Whether edges were left out, so that a repeat may be worth it.
        """
        graph, edges = self.own.graph, self.own.graph.edge_count
        if not edges:
            return False
        order = np.argsort(self._losses() / _savings(graph), kind="stable")
        gate = np.repeat(np.arange(graph.gate_count), graph.fan_in)[order]
        first = np.zeros(edges, np.bool_)
        first[np.unique(gate, return_index=True)[1]] = True
        if alone:
            order = order[first | (graph.kind[gate] == OR)]
        for place, share in enumerate(_SHARES[self.first :], self.first):
            gone = np.zeros(edges, np.bool_)
            gone[order[: int(share * len(order))]] = True
            if gone.any() and self._try(_without_edges(self.own, gone)):
                # What is too much now will hardly be less later.
                self.first = max(place - 1, 0)
                return True
        return False

    def _try(self, smaller: ActionFormulas) -> bool:
        """Take smaller formulas unless that breaks the bound."""
        after = action_values(smaller, self.truth(smaller.leaves), self.bounding.inputs)
        change = ranking_change(self.before, after, self.bounding.legal, tau=False)
        if change.best > self.config.best or change.shift > self.config.shift:
            return False
        self.own = smaller
        return True

    def _losses(self) -> Float64s:
        """Return what leaving each edge out changes in the ranking; float64 ``[E]``."""
        own, states = self.own, self.ranking
        valued = FuzzyTruth(own.graph, own.leaves, self.truth(own.leaves), states.inputs)
        values, slopes = _combined(own, valued.nodes)
        loss = np.zeros(own.graph.edge_count)
        for draw in range(self.config.draws):
            directions = _pairs if draw % 2 else _contrasts
            weights = directions(values, states.legal, self.random)
            weights = (weights.T[None] * slopes).reshape(-1, len(values))
            for edges, change in valued.changes(weights):
                loss[edges] += (change**2).mean(axis=1)
        return loss


def _combined(own: ActionFormulas, nodes: Float64s) -> tuple[Float64s, Float64s]:
    """Return values ``[S, M]``, and their slopes by each formula's truth ``[N, M, S]``."""
    several = len(own.goals) > 1
    shares = own.goals / 100 if several else np.ones(len(own.goals))
    left: Float64s = 1 - shares[:, None, None] * nodes[own.outputs]
    slopes = np.stack(
        [shares[n] * np.delete(left, n, axis=0).prod(axis=0) for n in range(len(left))]
    )
    nothing = np.asarray(own.unknown.all(axis=0))[:, None]
    values: Float64s = np.where(nothing, 0.5, 1 - left.prod(axis=0)).T
    return values, np.where(nothing, 0.0, slopes)


def _contrasts(values: Float64s, legal: Bools, random: np.random.Generator) -> Float64s:
    """Return random sums of the legal moves' scaled values that see the ranking only; ``[S, M]``.

    A sum of random signs is the same for values that are shifted; of four and more moves, for
    values that are stretched, too.
    """
    count = np.maximum(legal.sum(axis=1, keepdims=True), 1)
    signs = np.where(legal, random.choice([-1.0, 1.0], legal.shape), 0.0)
    signs -= np.where(legal, signs.sum(axis=1, keepdims=True) / count, 0.0)
    middle = np.where(legal, values, 0.0).sum(axis=1, keepdims=True) / count
    centred = np.where(legal, values - middle, 0.0)
    size = np.square(centred).sum(axis=1, keepdims=True)
    along = (signs * centred).sum(axis=1, keepdims=True) / np.where(size > 0, size, 1.0)
    signs -= np.where(count > 3, along * centred, 0.0)
    return _per_spread(signs, values, legal)


def _pairs(values: Float64s, legal: Bools, random: np.random.Generator) -> Float64s:
    """Return the lead of the best move over a random other one, in terms of itself; ``[S, M]``."""
    rows = np.arange(len(values))
    best = np.where(legal, values, -np.inf).argmax(axis=1)
    other = np.where(legal, random.random(legal.shape), -1.0).argmax(axis=1)
    lead = np.zeros_like(values)
    lead[rows, best] += 1
    lead[rows, other] -= 1
    spread = np.ptp(np.where(legal, values, values[rows, best][:, None]), axis=1)
    gap = (values[rows, best] - values[rows, other]) / np.where(spread > 0, spread, 1.0)
    return _per_spread(lead / np.maximum(gap, _NARROW)[:, None], values, legal)


def _per_spread(weights: Float64s, values: Float64s, legal: Bools) -> Float64s:
    """Return weights of scaled values as weights of values; none where all are equal."""
    high = np.where(legal, values, -np.inf).max(axis=1, keepdims=True)
    low = np.where(legal, values, np.inf).min(axis=1, keepdims=True)
    flat = high - low <= 1e-9 * np.abs(high)
    found: Float64s = np.where(flat, 0.0, weights / np.where(flat, 1.0, high - low))
    return found


def _savings(graph: Graph) -> Float64s:
    """Return how many edges each edge keeps, shared parts shared out; float64 ``[E]``."""
    readers = np.bincount(graph.inputs >> 1, minlength=graph.node_count)
    np.add.at(readers, graph.outputs >> 1, 1)
    below = np.zeros(len(readers))
    saved = np.zeros(graph.edge_count)
    # The gates of positive formulas ascend by level.
    for gates in split_at_changes(np.arange(graph.gate_count), graph.level):
        edges = slice(graph.start[gates[0]], graph.start[gates[-1] + 1])
        inputs = graph.inputs[edges] >> 1
        saved[edges] = 1 + below[inputs] / readers[inputs]
        first = graph.start[gates] - graph.start[gates[0]]
        below[graph.input_count + gates] = np.add.reduceat(saved[edges], first)
    return saved


def _without_edges(own: ActionFormulas, gone: Bools) -> ActionFormulas:
    """Return the formulas whose gates leave some inputs out, simplified."""
    store, literal = remade(own, gone)
    return packed(own, store, literal[own.outputs])
