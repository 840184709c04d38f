"""Choosing an edge of a record: upper confidence bounds, and what they can be mixed with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neurogame.native.bits import real_bits, whole
from neurogame.native.compiled import inner
from neurogame.search.mcts.compiled.chance import choose_outcome
from neurogame.search.mcts.compiled.eight import best_of_eight, best_of_eight_judged
from neurogame.search.mcts.compiled.search import FIRST, NUMBER, RAVE, SEED, UCT, Options
from neurogame.search.mcts.compiled.tree import (
    COLUMNS,
    COUNT,
    HINTS,
    JUDGED,
    KNOWN,
    PENDING,
    ROLE,
    SETTLED,
    Decider,
    Edges,
    Tree,
    decider_of,
    edges_of,
    move_of,
    record_at,
    sums_of,
)

_ZERO, _HALF, _ONE, _THREE = np.float32(0), np.float32(0.5), np.float32(1), np.float32(3)
_UNSEEN = np.float32(1)
"""What a move that was never seen is worth to all-moves-as-first, before others that are tried."""


class Terms(NamedTuple):
    """What the scores of all edges of a decider are made of.

    Attributes:
        spread: ``C sqrt(ln N)``; where priors are probabilities ``C sqrt(N)``.
        trust: beta, how far all-moves-as-first values, or priors, are trusted in means.
        mean: value of an edge from which nothing has come back.
        urgent: value of an untried edge.
        table: which of GRAVE's tables is read.
        judged: whether edges have priors; mixed with means, they are so before all else.
    """

    spread: np.float32
    trust: np.float32
    mean: np.float32
    urgent: np.float32
    table: int
    judged: bool


@inner
def choose(
    tree: Tree,
    options: Options,
    record: int,
    deciders: int,
    number: int,
    spread: np.float32,
    trust: np.float32,
    table: int,
) -> int:
    """Return the edge that a decider chooses; its first choice puts it behind the tried ones.

    Args:
        tree: the order of edges is changed.
        options: of the search.
        record: where to choose.
        deciders: how many choose there.
        number: which of them.
        spread: see :class:`Terms`, like the following.
        trust: of values beside the mean.
        table: of GRAVE.
    """
    decider, edges = decider_of(tree, record, number), edges_of(tree, record, deciders, number)
    header = record_at(tree.heap, record)
    count, tried, status = decider.head & COUNT, decider.tried, header.status
    if decider.head >> ROLE == tree.chance:
        edge = choose_outcome(tree, options, record, edges, deciders)
        return _first_choice(tree, decider, edges, edge)
    plain, judged = options.kind == UCT and tree.hinted == 0, status & JUDGED != 0
    if status & SETTLED:
        return best_known(edges, tried)
    if plain and options.urgency == FIRST and tried < count and not judged:
        decider.tried = tried + 1
        return tried
    visits, total = header.visits, sums_of(tree, record).sums[decider.head >> ROLE]
    mean = total / np.float32(visits) if visits > 0 else _HALF
    urgent = np.float32(options.urgent) if options.urgency == NUMBER else mean
    terms = Terms(spread, trust, mean, urgent, table, judged)
    if plain:
        edge = _best_plain(tree, options, edges, count, tried, terms)
    else:
        edge = best_mixed(tree, options, edges, count, tried, terms)
    if edge < 0:
        return best_known(edges, tried)
    return _first_choice(tree, decider, edges, edge)


@inner
def _first_choice(tree: Tree, decider: Decider, edges: Edges, edge: int) -> int:
    """Return where an edge lies that is chosen, maybe for the first time: behind the tried ones."""
    tried = decider.tried
    if edge >= tried:
        exchange(edges, tree.width, edge, tried)
        decider.tried = tried + 1
        edge = tried
    return edge


@inner
def _best_plain(
    tree: Tree, options: Options, edges: Edges, count: int, tried: int, terms: Terms
) -> int:
    """Return what :func:`best_mixed` does, of means, bounds and priors alone."""
    untried = terms.urgent + terms.spread
    if terms.judged:
        key = best_judged(tree, options, edges, tried, terms)
        if tried < count:
            # Untried edges lie in the order of their priors: no other has a better score.
            untried = first_value(tree, options, edges, tried, terms)
            untried += bound(edges, tried, terms)
    else:
        key = best_tried(edges, tried, terms.spread, terms.mean)
    edge = edge_of(key) if key >= 0 else -1
    if tried < count and not is_better(key, untried):
        edge = tried
    return edge


@inner
def best_tried(edges: Edges, tried: int, spread: np.float32, mean: np.float32) -> int:
    """Return a number whose upper 32 bits are the best score, and the lower ones tell the edge.

    The score of an edge is its mean plus ``C sqrt(ln N / n)``. Equal ones: the first edge. Edges
    that lead to proved values are left out; -1 if there are no others.

    *Reference:* Auer, Cesa-Bianchi and Fischer (2002), UCB1; Liu et al. (2020), WU-UCT.

    Args:
        edges: of a decider.
        tried: number of edges that may be chosen.
        spread: ``C sqrt(ln N)``.
        mean: value of an edge from which nothing has come back.
    """
    best = whole(-1)
    for first in range(0, tried, 8):
        best = max(best, best_of_eight(edges, first, tried, spread, mean))
    return best


@inner
def best_judged(tree: Tree, options: Options, edges: Edges, tried: int, terms: Terms) -> int:
    """Return what :func:`best_tried` does, with priors in the means.

    With ``beta`` for how far priors are trusted, the mean of an edge is ``beta H + (1 - beta) Q``;
    where priors are seeds it is ``(v H + sum) / (v + n)``, and just ``H`` before the first result;
    where they are probabilities the mean is ``Q``, and :func:`bound` has them.

    *Reference:* Trutman and Schiffel, "Creating action heuristics for general game playing agents"
    (2015); Sharma, Kobti and Goodwin, "Knowledge generation for improving simulations in UCT for
    general game playing" (2008); Silver et al., "Mastering the game of Go without human knowledge"
    (2017).

    Args:
        tree: the tree.
        options: of the search.
        edges: of a decider.
        tried: number of edges that may be chosen.
        terms: of their scores.
    """
    mixing, virtual = options.mixing, np.float32(options.numbers.virtual)
    best, priors, spread, mean = whole(-1), tree.priors, terms.spread, terms.mean
    for first in range(0, tried, 8):
        key = best_of_eight_judged(
            edges, first, tried, spread, mean, priors, terms.trust, virtual, mixing
        )
        best = max(best, key)
    return best


@inner
def first_value(tree: Tree, options: Options, edges: Edges, edge: int, terms: Terms) -> np.float32:
    """Return the value of an untried edge with a prior: a seed itself, others mixed by trust."""
    prior = edges.extra[tree.priors, edge]
    value: np.float32 = (
        prior if options.mixing == SEED else terms.urgent + terms.trust * (prior - terms.urgent)
    )
    return value


@inner
def bound(edges: Edges, edge: int, terms: Terms) -> np.float32:
    """Return the upper part of an edge's confidence bound; an untried one has that of one try.

    Args:
        edges: of a decider.
        edge: one of them.
        terms: of the scores.
    """
    begun = edges.visits[edge] + (edges.moves[edge] & PENDING)
    width: np.float32 = terms.spread / np.sqrt(np.float32(max(begun, 1)))
    return width


@inner
def mixed_score(tree: Tree, options: Options, edges: Edges, edge: int, terms: Terms) -> np.float32:
    """Return the score of an edge with all-moves-as-first values and an evaluator's hints.

    ``(1 - beta) Q + beta H`` and the bound, where ``Q`` is mixed with the implicit minimax
    value, plus the progressive bias ``w h / (n + 1)``. In ``H`` simulations on their way count as
    lost: nothing else keeps those of a block from going the same way.

    *Reference:* Gelly and Silver (2007), RAVE; Cazenave (2015), GRAVE; Chaslot et al. (2008),
    progressive bias; Lanctot et al. (2014), implicit minimax.

    Args:
        tree: the tree.
        options: of the search.
        edges: of a decider.
        edge: one that has been tried.
        terms: of the scores.
    """
    visits, total = edges.visits[edge], edges.sums[edge]
    value = total / np.float32(visits) if visits > 0 else terms.mean
    if terms.judged:
        # As best_judged has it.
        prior, virtual = edges.extra[tree.priors, edge], np.float32(options.numbers.virtual)
        if options.mixing != SEED:
            value = value + terms.trust * (prior - value)
        elif visits > 0:
            value = (total + virtual * prior) / (np.float32(visits) + virtual)
        else:
            value = prior
    bias = _ZERO
    if tree.hinted and visits > 0:
        hint, known = edges.extra[HINTS, edge], np.float32(options.numbers.experience)
        value += known / (np.float32(visits) + known) * (hint - value)
        value += np.float32(options.numbers.minimax) * (hint - value)
        bias = np.float32(options.numbers.bias) * hint / np.float32(visits + 1)
    if options.kind != UCT:
        seen, hits = _all_moves(tree, options, edges, edge, terms.table)
        if seen > _ZERO:
            seen += np.float32(edges.moves[edge] & PENDING)
            value += terms.trust * (hits / seen - value)
    score: np.float32 = value + bound(edges, edge, terms) + bias
    return score


@inner
def _all_moves(
    tree: Tree, options: Options, edges: Edges, edge: int, table: int
) -> tuple[np.float32, np.float32]:
    """Return how often the move of an edge was made at all, and the sum of the results."""
    if options.kind == RAVE:
        return edges.extra[tree.seen, edge], edges.extra[tree.seen + 1, edge]
    move = move_of(edges.moves[edge])
    return tree.worth[table, move, 0], tree.worth[table, move, 1]


@inner
def trust_at(visits: int, k: float) -> np.float32:
    """Return beta, the weight of all-moves-as-first values or priors.

    ``sqrt(k / (3 N + k))``, one half at ``N = k``.
    """
    weight = np.float32(k)
    beta: np.float32 = np.sqrt(weight / (_THREE * np.float32(visits) + weight))
    return beta


@inner
def best_mixed(
    tree: Tree, options: Options, edges: Edges, count: int, tried: int, terms: Terms
) -> int:
    """Return the edge to choose by :func:`mixed_score`, -1 if all lead to proved values.

    Args:
        tree: the tree.
        options: of the search.
        edges: of a decider.
        count: number of edges.
        tried: number of those that were chosen before, the first ones.
        terms: of the scores.
    """
    first = options.urgency == FIRST and tried < count and not terms.judged
    best, score = -1, _ZERO
    if not first:
        for edge in range(tried):
            if edges.moves[edge] & KNOWN:
                continue
            value = mixed_score(tree, options, edges, edge, terms)
            if best < 0 or value > score:
                best, score = edge, value
    for edge in range(tried, count):
        value = _UNSEEN if first else terms.urgent
        if terms.judged:
            value = first_value(tree, options, edges, edge, terms)
        if options.kind != UCT:
            seen, hits = _all_moves(tree, options, edges, edge, terms.table)
            if seen > _ZERO:
                value += (_ONE if first else terms.trust) * (hits / seen - value)
        if not first:
            value += bound(edges, edge, terms)
        if best < 0 or value > score:
            best, score = edge, value
    return best


@inner
def best_known(edges: Edges, tried: int) -> int:
    """Return the edge with the best proved child; some child must be proved."""
    best, score = 0, np.float32(-1)
    for edge in range(tried):
        if edges.moves[edge] & KNOWN:
            value = edges.sums[edge] / np.float32(max(edges.visits[edge], 1))
            if value > score:
                best, score = edge, value
    return best


@inner
def exchange(edges: Edges, width: int, one: int, other: int) -> None:
    """Exchange two edges."""
    if one == other:
        return
    for column in (edges.visits, edges.moves, edges.links):
        kept = column[one]
        column[one] = column[other]
        column[other] = kept
    total = edges.sums[one]
    edges.sums[one] = edges.sums[other]
    edges.sums[other] = total
    extra = edges.extra
    for row in range(width - COLUMNS):
        part = extra[row, one]
        extra[row, one] = extra[row, other]
        extra[row, other] = part


@inner
def edge_of(key: int) -> int:
    """Return the edge that a number of :func:`best_tried` tells."""
    return COUNT - (key & 0xFFFFFFFF)


@inner
def is_better(key: int, score: np.float32) -> bool:
    """Return whether a number of :func:`best_tried` tells of a score at least as good."""
    return key >= 0 and bool(score < _ZERO or key >> 32 >= whole(real_bits(score)))
