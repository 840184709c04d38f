"""The loops behind factoring; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s, Int64s1
from neurogame.graph.graph import Graph
from neurogame.kernels.netlist.extract_loops import count_uses
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct


class _Factoring(Struct):
    """Conjunctions, and the terms of the one whose common literals are taken out.

    Such a gate is a list of tasks: task 0 is the gate itself, each further one a new gate for what
    is left of the terms that had a literal in common. Every term belongs to a task.

    Attributes:
        first: number of inputs.
        gates: gates so far, the given ones first.
        filled: literals of ``made`` so far.
        terms: number of terms.
        tasks: number of tasks.
        start: of the given gates; ``[G + 1]``.
        inputs: their literals; ``[E]``.
        uses: how often each node is read; ``[I + G]``.
        begin: of each gate in ``made``.
        end: likewise.
        made: literals of all gates, those of the given ones first.
        counts: of literals, all 0 between uses; twice as long as there may be nodes.
        task: of each term; -1 once another one has absorbed it.
        place: where each term's literals begin in ``pool``.
        length: how many they are.
        value: the literal of a term that is a gate or a literal alone, else below 0.
        pool: literals of the terms.
        task_gate: gate of each task.
    """

    first: int
    gates: int
    filled: int
    terms: int = 0
    tasks: int = 0
    start: Int64s1
    inputs: Int64s1
    uses: Int64s1
    begin: Int64s1
    end: Int64s1
    made: Int64s1
    counts: Int64s1
    task: Int64s1
    place: Int64s1
    length: Int64s1
    value: Int64s1
    pool: Int64s1
    task_gate: Int64s1


@inner
def _commonest(work: _Factoring, task: int) -> int:
    """Return the literal that most terms of a task have in common, -1 if there is none."""
    # Arrays that are read often have names: each `work.array` is more to compile.
    tasks, begin, length, pool, counts = work.task, work.place, work.length, work.pool, work.counts
    best, literal = 1, -1
    for term in range(work.terms):
        if tasks[term] == task:
            for place in range(begin[term], begin[term] + length[term]):
                counts[pool[place]] += 1
                if counts[pool[place]] > best:
                    best, literal = counts[pool[place]], pool[place]
    for term in range(work.terms):
        if tasks[term] == task:
            for place in range(begin[term], begin[term] + length[term]):
                counts[pool[place]] = 0
    return literal


@inner
def _take_out(work: _Factoring, literal: int, task: int) -> bool:
    """Move the terms with a literal to a new task without it; return if one was it alone."""
    tasks, begin, length, pool = work.task, work.place, work.length, work.pool
    absorbed = False
    for term in range(work.terms):
        if tasks[term] != task:
            continue
        last = begin[term] + length[term] - 1
        for place in range(begin[term], last + 1):
            if pool[place] == literal:
                pool[place] = pool[last]
                length[term] -= 1
                tasks[term] = work.tasks
                work.value[term] = -1
                absorbed = absorbed or length[term] == 0
                break
    if absorbed:
        for term in range(work.terms):
            if tasks[term] == work.tasks:
                tasks[term] = -1
    return absorbed


@inner
def _is_term(work: _Factoring, literal: int) -> bool:
    """Return whether a gate's input is a conjunction, complemented, that nobody else reads."""
    node = literal >> 1
    return literal & 1 == 1 and node >= work.first and work.uses[node] == 1


@inner
def _list_terms(work: _Factoring, gate: int) -> None:
    """Write the terms of a disjunction, all of the first task."""
    start, inputs = work.start, work.inputs
    terms, size = 0, 0
    for edge in range(start[gate], start[gate + 1]):
        work.place[terms] = size
        work.task[terms] = 0
        work.value[terms] = inputs[edge] ^ 1
        if _is_term(work, inputs[edge]):
            term = (inputs[edge] >> 1) - work.first
            for below in range(start[term], start[term + 1]):
                work.pool[size] = inputs[below]
                size += 1
        else:
            work.pool[size] = inputs[edge] ^ 1
            size += 1
        work.length[terms] = size - work.place[terms]
        terms += 1
    work.terms, work.tasks = terms, 1


@inner
def _add(work: _Factoring, literal: int) -> None:
    """Add a literal to the gate that is being written."""
    work.made[work.filled] = literal
    work.filled += 1


@inner
def _has_all(work: _Factoring) -> bool:
    """Say whether no term has been absorbed by another."""
    for term in range(work.terms):  # noqa: SIM110 - generators cannot be compiled
        if work.task[term] < 0:
            return False
    return True


@compiled
def _most_literals(first: int, start: Int64s1, inputs: Int64s1, uses: Int64s1) -> int:
    """Return how many literals the terms of a disjunction have at most."""
    most = 0
    for gate in range(len(start) - 1):
        size = start[gate + 1] - start[gate]
        for edge in range(start[gate], start[gate + 1]):
            node = inputs[edge] >> 1
            if inputs[edge] & 1 and node >= first and uses[node] == 1:
                size += start[node - first + 1] - start[node - first]
        most = max(most, size)
    return most


def factor(form: Graph) -> tuple[Int64s, Int64s, Int64s]:
    """Take common literals out of the terms of each disjunction, the commonest first.

    A term is a conjunction that a gate reads complemented and that nobody else reads:
    ``~(a b) ~(a c)`` becomes ``~(a ~(~b ~c))``.

    Args:
        form: the conjunctions.

    Returns:
        Begin and end of each gate in the inputs that follow, and these inputs. New gates are
        numbered after the given ones and in no order.
    """
    count, total, uses = form.gate_count, form.edge_count, count_uses(form)
    most = count + 3 * total + 3
    size = _most_literals(form.input_count, form.start, form.inputs, uses)
    task, place, length, value = np.zeros((4, 2 * size), np.int64)
    begin, end = np.zeros((2, most), np.int64)
    work = _Factoring(
        first=form.input_count,
        gates=count,
        filled=total,
        start=form.start,
        inputs=form.inputs,
        uses=uses,
        begin=begin,
        end=end,
        made=np.empty(8 * total + 16, np.int64),
        counts=np.zeros(2 * (form.input_count + most), np.int64),
        task=task,
        place=place,
        length=length,
        value=value,
        pool=np.empty(size, np.int64),
        task_gate=np.empty(size + 1, np.int64),
    )
    begin[:count], end[:count] = form.start[:-1], form.start[1:]
    work.made[:total] = form.inputs
    _factor(work)
    return begin[: work.gates], end[: work.gates], work.made[: work.filled]


@compiled
def _factor(work: _Factoring) -> None:
    """Write what :func:`factor` returns."""
    start = work.start
    for gate in range(len(start) - 1):
        wide = 0
        for edge in range(start[gate], start[gate + 1]):
            if _is_term(work, work.inputs[edge]):
                wide += 1
        if wide < 2:
            continue
        _list_terms(work, gate)
        work.task_gate[0] = gate
        task = 0
        while task < work.tasks:
            _split(work, task)
            if work.tasks == 1 and work.begin[gate] == start[gate] and _has_all(work):
                break
            _write_terms(work, task)
            work.begin[work.task_gate[task]] = work.filled
            for term in range(work.terms):
                if work.task[term] == task:
                    _add(work, work.value[term] ^ 1)
            work.end[work.task_gate[task]] = work.filled
            task += 1


@inner
def _split(work: _Factoring, task: int) -> None:
    """Take literals out of the terms of a task as long as two of them share one."""
    while True:
        literal = _commonest(work, task)
        if literal < 0:
            break
        absorbed = _take_out(work, literal, task)
        term = work.terms
        work.task[term], work.value[term] = task, literal
        # What was a term of an earlier gate here must not look like one of this.
        work.place[term], work.length[term] = 0, 0
        work.terms += 1
        if not absorbed:
            # The rest of these terms becomes a gate, and the literal with it a term.
            rest, whole = work.gates, work.gates + 1
            work.gates += 2
            work.begin[whole] = work.filled
            _add(work, literal)
            _add(work, 2 * (work.first + rest) + 1)
            work.end[whole] = work.filled
            work.value[term] = 2 * (work.first + whole)
            work.task_gate[work.tasks] = rest
            work.tasks += 1


@inner
def _write_terms(work: _Factoring, task: int) -> None:
    """Make gates of those terms of a task that are several literals."""
    for term in range(work.terms):
        if work.task[term] == task and work.value[term] < 0:
            first = work.place[term]
            if work.length[term] == 1:
                work.value[term] = work.pool[first]
                continue
            work.begin[work.gates] = work.filled
            for place in range(first, first + work.length[term]):
                _add(work, work.pool[place])
            work.end[work.gates] = work.filled
            work.value[term] = 2 * (work.first + work.gates)
            work.gates += 1


@compiled(arrays=True)
def in_order(
    first: int, begin: Int64s1, end: Int64s1, inputs: Int64s1, roots: Int64s1
) -> tuple[Int64s, Int64s, Int64s]:
    """Return start, inputs and roots of the gates that are needed, each after its inputs; int64.

    The arguments are what :func:`factor` returns, the number of inputs and the wanted literals.
    """
    count = len(begin)
    node_of = np.full(first + count, -1, np.int64)
    node_of[:first] = np.arange(first)
    start, made = np.zeros(count + 1, np.int64), np.empty(len(inputs), np.int64)
    stack, reading = np.empty(count + 1, np.int64), np.empty(count + 1, np.int64)
    gates, filled = 0, 0
    for index in range(len(roots)):
        stack[0] = roots[index] >> 1
        if node_of[stack[0]] >= 0:
            continue
        reading[0] = begin[stack[0] - first]
        depth = 1
        while depth > 0:
            node = stack[depth - 1]
            # Each gate goes on where it stopped: wide ones are not read anew for every input.
            edge = reading[depth - 1]
            while edge < end[node - first] and node_of[inputs[edge] >> 1] >= 0:
                edge += 1
            reading[depth - 1] = edge
            if edge < end[node - first]:
                below = inputs[edge] >> 1
                stack[depth], reading[depth] = below, begin[below - first]
                depth += 1
                continue
            for edge in range(begin[node - first], end[node - first]):
                made[filled] = 2 * node_of[inputs[edge] >> 1] + (inputs[edge] & 1)
                filled += 1
            node_of[node] = first + gates
            gates += 1
            start[gates] = filled
            depth -= 1
    return start[: gates + 1], made[:filled], 2 * node_of[roots >> 1] + (roots & 1)
