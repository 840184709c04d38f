"""Choosing a slot of a record: upper confidence bounds, and what they can be mixed with."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import real_bits, whole
from neurogame.kernels.mcts.eight import best_of_eight, best_of_eight_judged
from neurogame.kernels.mcts.layout import (
    COUNT,
    KNOWN,
    MOVE,
    PENDING,
    SLOT_EXTRA,
    SLOT_MOVES,
    SLOT_SUMS,
)
from neurogame.kernels.mcts.tree import FIRST, RAVE, UCT
from neurogame.kernels.native.compiled import inner

_ZERO, _ONE, _THREE = np.float32(0), np.float32(1), np.float32(3)
_UNSEEN = np.float32(1)
"""What a move that was never seen is worth to all-moves-as-first, before others that are tried."""


@inner
def best_tried(
    heap: Any, base: int, pad: int, tried: int, spread: Any, mean: Any, loss: int
) -> Any:
    """Return a number whose upper 32 bits are the best score, and the lower ones tell the slot.

    The score of a slot is its mean plus ``C sqrt(ln N / n)``. Equal ones: the first slot. Slots
    that lead to proved values are left out; -1 if there are no others.

    *Reference:* Auer, Cesa-Bianchi and Fischer (2002), UCB1; Liu et al. (2020), WU-UCT.

    Args:
        heap: of the tree.
        base: where the slots' visits are.
        pad: length of an array of slots.
        tried: number of slots that may be chosen.
        spread: ``C sqrt(ln N)``; float32.
        mean: value of a slot from which nothing has come back; float32.
        loss: 1 if simulations on their way count as lost, 0 if only the bound counts them.
    """
    best, place = whole(-1), heap.ctypes.data + 4 * base
    for first in range(0, tried, 8):
        key = best_of_eight(
            place,
            place + 4 * SLOT_SUMS * pad,
            place + 4 * SLOT_MOVES * pad,
            first,
            tried,
            spread,
            mean,
            loss,
        )
        best = max(best, key)
        place += 32
    return best


@inner
def best_judged(
    heap: Any, base: int, pad: int, tried: int, spread: Any, mean: Any, options: Any, trust: Any
) -> Any:
    """Return what :func:`best_tried` does, with priors in the means.

    With ``beta`` for how far priors are trusted, the mean of a slot is ``beta H + (1 - beta) Q``;
    where priors are seeds it is ``(v H + sum) / (v + n)``, and just ``H`` before the first result.

    *Reference:* Trutman and Schiffel, "Creating action heuristics for general game playing agents"
    (2015); Sharma, Kobti and Goodwin, "Knowledge generation for improving simulations in UCT for
    general game playing" (2008).

    Args:
        heap: of the tree.
        base: where the slots' visits are.
        pad: length of an array of slots.
        tried: number of slots that may be chosen.
        spread: ``C sqrt(ln N)``; float32.
        mean: value of a slot from which nothing has come back, without its prior; float32.
        options: of the search.
        trust: beta; float32.
    """
    seeded, virtual = whole(options.seeded), np.float32(options.virtual)
    weight = _ZERO if seeded else trust
    best, place = whole(-1), heap.ctypes.data + 4 * base
    for first in range(0, tried, 8):
        key = best_of_eight_judged(
            place,
            place + 4 * SLOT_SUMS * pad,
            place + 4 * SLOT_MOVES * pad,
            place + 4 * options.prior * pad,
            first,
            tried,
            spread,
            mean,
            options.loss,
            weight,
            virtual,
            seeded,
        )
        best = max(best, key)
        place += 32
    return best


@inner
def first_value(
    reals: Any, base: int, pad: int, slot: int, urgent: Any, options: Any, trust: Any
) -> Any:
    """Return the value of an untried slot with a prior: a seed itself, others mixed by trust.

    Args:
        reals: the same memory as the heap.
        base: where the slots' visits are.
        pad: length of an array of slots.
        slot: which slot.
        urgent: value without a prior.
        options: of the search.
        trust: beta.
    """
    prior = reals[base + options.prior * pad + slot]
    return prior if options.seeded else urgent + trust * (prior - urgent)


@inner
def mixed_score(
    heap: Any,
    reals: Any,
    base: int,
    pad: int,
    slot: int,
    spread: Any,
    mean: Any,
    options: Any,
    trust: Any,
    worth: Any,
    table: int,
    judged: bool,
) -> Any:
    """Return the score of a slot with all-moves-as-first values and an evaluator's hints; float32.

    ``(1 - beta) Q + beta H + C sqrt(ln N / n)``, where ``Q`` is mixed with the implicit minimax
    value, plus the progressive bias ``w h / (n + 1)``.

    *Reference:* Gelly and Silver (2007), RAVE; Cazenave (2015), GRAVE; Chaslot et al. (2008),
    progressive bias; Lanctot et al. (2014), implicit minimax.

    Args:
        heap: as in :func:`best_tried`, like all arguments up to ``mean``.
        reals: the same memory as the heap.
        base: where the slots' visits are.
        pad: length of an array of slots.
        slot: which slot.
        spread: ``C sqrt(ln N)``.
        mean: value of a slot from which nothing has come back.
        options: of the search.
        trust: beta; float32.
        worth: GRAVE's tables.
        table: GRAVE's table to read.
        judged: whether slots have priors, which are then mixed with means before all else.
    """
    visits, word = heap[base + slot], heap[base + SLOT_MOVES * pad + slot]
    total = reals[base + SLOT_SUMS * pad + slot]
    begun = visits + (word & PENDING)
    counted = begun if options.loss else visits
    value = total / np.float32(counted) if counted > 0 else mean
    if judged:
        value = _with_prior(reals, base, pad, slot, total, counted, value, options, trust)
    bias = _ZERO
    if options.hinted and visits > 0:
        hint = reals[base + SLOT_EXTRA * pad + slot]
        value += np.float32(options.minimax) * (hint - value)
        bias = np.float32(options.bias) * hint / np.float32(visits + 1)
    if options.kind != UCT:
        seen, hits = _all_moves(heap, reals, base, pad, slot, options, worth, table)
        if seen > _ZERO:
            value += trust * (hits / seen - value)
    return value + spread / np.sqrt(np.float32(max(begun, 1))) + bias


@inner
def _with_prior(
    reals: Any,
    base: int,
    pad: int,
    slot: int,
    total: Any,
    counted: int,
    value: Any,
    options: Any,
    trust: Any,
) -> Any:
    """Return a slot's mean with its prior, as :func:`best_judged` has it."""
    prior = reals[base + options.prior * pad + slot]
    if not options.seeded:
        return value + trust * (prior - value)
    virtual = np.float32(options.virtual)
    return (total + virtual * prior) / (np.float32(counted) + virtual) if counted > 0 else prior


@inner
def _all_moves(
    heap: Any, reals: Any, base: int, pad: int, slot: int, options: Any, worth: Any, table: int
) -> Any:
    """Return how often the move of a slot was made at all, and the sum of the results."""
    if options.kind == RAVE:
        place = base + (options.width - 2) * pad + slot
        return reals[place], reals[place + pad]
    move = (heap[base + SLOT_MOVES * pad + slot] & ~KNOWN) >> MOVE
    return worth[table, move, 0], worth[table, move, 1]


@inner
def trust_at(visits: int, k: float) -> Any:
    """Return beta, the weight of all-moves-as-first values or priors; float32.

    ``sqrt(k / (3 N + k))``, one half at ``N = k``.
    """
    weight = np.float32(k)
    return np.sqrt(weight / (_THREE * np.float32(visits) + weight))


@inner
def best_mixed(
    heap: Any,
    reals: Any,
    base: int,
    pad: int,
    count: int,
    tried: int,
    spread: Any,
    mean: Any,
    urgent: Any,
    options: Any,
    trust: Any,
    worth: Any,
    table: int,
    judged: bool,
) -> int:
    """Return the slot to choose by :func:`mixed_score`, -1 if all lead to proved values.

    Args:
        heap: as in :func:`mixed_score`, like all arguments that bear the same names.
        reals: the same memory.
        base: where the slots' visits are.
        pad: length of an array of slots.
        count: number of slots.
        tried: number of those that were chosen before, the first ones.
        spread: ``C sqrt(ln N)``.
        mean: value of a slot from which nothing has come back.
        urgent: value of an untried slot.
        options: of the search.
        trust: beta.
        worth: GRAVE's tables.
        table: GRAVE's table to read.
        judged: whether slots have priors.
    """
    first = options.urgency == FIRST and tried < count and not judged
    best, score = -1, _ZERO
    if not first:
        for slot in range(tried):
            if heap[base + SLOT_MOVES * pad + slot] & KNOWN:
                continue
            own = mixed_score(
                heap, reals, base, pad, slot, spread, mean, options, trust, worth, table, judged
            )
            if best < 0 or own > score:
                best, score = slot, own
    for slot in range(tried, count):
        own = _UNSEEN if first else urgent
        if judged:
            own = first_value(reals, base, pad, slot, urgent, options, trust)
        if options.kind != UCT:
            seen, hits = _all_moves(heap, reals, base, pad, slot, options, worth, table)
            if seen > _ZERO:
                own += (_ONE if first else trust) * (hits / seen - own)
        if not first:
            own += spread
        if best < 0 or own > score:
            best, score = slot, own
    return best


@inner
def best_known(heap: Any, reals: Any, base: int, pad: int, tried: int) -> int:
    """Return the slot with the best proved child; some child must be proved."""
    best, score = 0, np.float32(-1)
    for slot in range(tried):
        if heap[base + SLOT_MOVES * pad + slot] & KNOWN:
            own = reals[base + SLOT_SUMS * pad + slot] / np.float32(max(heap[base + slot], 1))
            if own > score:
                best, score = slot, own
    return best


@inner
def exchange_slots(heap: Any, base: int, pad: int, width: int, one: int, other: int) -> None:
    """Exchange two slots."""
    if one != other:
        for array in range(width):
            place = base + array * pad
            kept = heap[place + one]
            heap[place + one] = heap[place + other]
            heap[place + other] = kept


@inner
def slot_of(key: int) -> int:
    """Return the slot that a number of :func:`best_tried` tells."""
    return COUNT - (key & 0xFFFFFFFF)


@inner
def is_better(key: int, score: Any) -> bool:
    """Return whether a number of :func:`best_tried` tells of a score at least as good."""
    return key >= 0 and (score < _ZERO or key >> 32 >= whole(real_bits(score)))
