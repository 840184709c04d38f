"""The loops behind factoring; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s, Int64s1
from neurogame.kernels.netlist.compiled import callee, compiled
from neurogame.kernels.netlist.extract_loops import count_uses


@callee
def _commonest(
    task: int,
    terms: int,
    term_task: Int64s,
    term_begin: Int64s,
    term_size: Int64s,
    pool: Int64s,
    counts: Int64s,
) -> int:
    """Return the literal that most terms of a task have in common, -1 if there is none."""
    best, literal = 1, -1
    for term in range(terms):
        if term_task[term] == task:
            for place in range(term_begin[term], term_begin[term] + term_size[term]):
                counts[pool[place]] += 1
                if counts[pool[place]] > best:
                    best, literal = counts[pool[place]], pool[place]
    for term in range(terms):
        if term_task[term] == task:
            for place in range(term_begin[term], term_begin[term] + term_size[term]):
                counts[pool[place]] = 0
    return literal


@callee
def _take_out(
    literal: int,
    task: int,
    inner: int,
    terms: int,
    term_task: Int64s,
    term_begin: Int64s,
    term_size: Int64s,
    term_value: Int64s,
    pool: Int64s,
) -> bool:
    """Move the terms with a literal to another task without it; return if one was it alone."""
    absorbed = False
    for term in range(terms):
        if term_task[term] != task:
            continue
        last = term_begin[term] + term_size[term] - 1
        for place in range(term_begin[term], last + 1):
            if pool[place] == literal:
                pool[place] = pool[last]
                term_size[term] -= 1
                term_task[term] = inner
                term_value[term] = -1
                absorbed = absorbed or term_size[term] == 0
                break
    if absorbed:
        for term in range(terms):
            if term_task[term] == inner:
                term_task[term] = -1
    return absorbed


@callee
def _list_terms(
    gate: int,
    first: int,
    start: Int64s,
    inputs: Int64s,
    uses: Int64s,
    term_task: Int64s,
    term_begin: Int64s,
    term_size: Int64s,
    term_value: Int64s,
    pool: Int64s,
) -> int:
    """Write the terms of a disjunction, all of the first task; return their number."""
    terms, size = 0, 0
    for edge in range(start[gate], start[gate + 1]):
        node = inputs[edge] >> 1
        term_begin[terms] = size
        term_task[terms] = 0
        term_value[terms] = inputs[edge] ^ 1
        if inputs[edge] & 1 and node >= first and uses[node] == 1:
            for below in range(start[node - first], start[node - first + 1]):
                pool[size] = inputs[below]
                size += 1
        else:
            pool[size] = inputs[edge] ^ 1
            size += 1
        term_size[terms] = size - term_begin[terms]
        terms += 1
    return terms


@callee
def _has_all(terms: int, term_task: Int64s) -> bool:
    """Say whether no term has been absorbed by another."""
    for term in range(terms):  # noqa: SIM110 - generators cannot be compiled
        if term_task[term] < 0:
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
        most = size if size > most else most
    return most


def factor(
    first: int, start: Int64s, inputs: Int64s, roots: Int64s
) -> tuple[Int64s, Int64s, Int64s]:
    """Take common literals out of the terms of each disjunction, the commonest first.

    A term is a conjunction that a gate reads complemented and that nobody else reads:
    ``~(a b) ~(a c)`` becomes ``~(a ~(~b ~c))``.

    Args:
        first: number of inputs.
        start: of the conjunctions.
        inputs: their literals.
        roots: wanted literals.

    Returns:
        Begin and end of each gate in the inputs that follow, and these inputs. New gates are
        numbered after the given ones and in no order.
    """
    count, total = len(start) - 1, int(start[-1])
    uses = count_uses(first, start, inputs, roots)
    most = count + 3 * total + 3
    begin, end = np.zeros(most, np.int64), np.zeros(most, np.int64)
    begin[:count], end[:count] = start[:count], start[1:]
    made = np.empty(8 * total + 16, np.int64)
    made[:total] = inputs
    counts = np.zeros(2 * (first + most), np.int64)
    size = _most_literals(first, start, inputs, uses)
    task, place, length, value = np.zeros((4, 2 * size), np.int64)
    pool, task_gate = np.empty(size, np.int64), np.empty(size + 1, np.int64)
    gates, filled = _factor(
        first,
        start,
        inputs,
        uses,
        begin,
        end,
        made,
        counts,
        task,
        place,
        length,
        value,
        pool,
        task_gate,
    )
    return begin[:gates], end[:gates], made[:filled]


@compiled
def _factor(
    first: int,
    start: Int64s1,
    inputs: Int64s1,
    uses: Int64s1,
    begin: Int64s1,
    end: Int64s1,
    made: Int64s1,
    counts: Int64s1,
    term_task: Int64s1,
    term_begin: Int64s1,
    term_size: Int64s1,
    term_value: Int64s1,
    pool: Int64s1,
    task_gate: Int64s1,
) -> tuple[int, int]:
    """Write what :func:`factor` returns; return the number of gates and of their inputs."""
    count, total = len(start) - 1, start[len(start) - 1]
    filled, gates = total, count
    for gate in range(count):
        wide = 0
        for edge in range(start[gate], start[gate + 1]):
            node = inputs[edge] >> 1
            if inputs[edge] & 1 and node >= first and uses[node] == 1:
                wide += 1
        if wide < 2:
            continue
        terms = _list_terms(
            gate, first, start, inputs, uses, term_task, term_begin, term_size, term_value, pool
        )
        task_gate[0] = gate
        task, tasks = 0, 1
        while task < tasks:
            while True:
                literal = _commonest(task, terms, term_task, term_begin, term_size, pool, counts)
                if literal < 0:
                    break
                absorbed = _take_out(
                    literal, task, tasks, terms,
                    term_task, term_begin, term_size, term_value, pool,
                )  # fmt: skip
                term_task[terms] = task
                term_value[terms] = literal
                # What was a term of an earlier gate here must not look like one of this.
                term_begin[terms], term_size[terms] = 0, 0
                if not absorbed:
                    # The rest of these terms becomes a gate, and the literal with it a term.
                    rest, own = gates, gates + 1
                    gates += 2
                    begin[own], end[own] = filled, filled + 2
                    made[filled], made[filled + 1] = literal, 2 * (first + rest) + 1
                    filled += 2
                    term_value[terms] = 2 * (first + own)
                    task_gate[tasks] = rest
                    tasks += 1
                terms += 1
            if tasks == 1 and begin[gate] == start[gate] and _has_all(terms, term_task):
                break
            for term in range(terms):
                if term_task[term] == task and term_value[term] < 0:
                    if term_size[term] == 1:
                        term_value[term] = pool[term_begin[term]]
                        continue
                    begin[gates] = filled
                    for place in range(term_begin[term], term_begin[term] + term_size[term]):
                        made[filled] = pool[place]
                        filled += 1
                    end[gates] = filled
                    term_value[term] = 2 * (first + gates)
                    gates += 1
            begin[task_gate[task]] = filled
            for term in range(terms):
                if term_task[term] == task:
                    made[filled] = term_value[term] ^ 1
                    filled += 1
            end[task_gate[task]] = filled
            task += 1
    return gates, filled


def in_order(
    first: int, begin: Int64s, end: Int64s, inputs: Int64s, roots: Int64s
) -> tuple[Int64s, Int64s, Int64s]:
    """Return start, inputs and roots of the gates that are needed, each after its inputs; int64.

    The arguments are what :func:`factor` returns, the number of inputs and the wanted literals.
    """
    count = len(begin)
    node_of = np.full(first + count, -1, np.int64)
    node_of[:first] = np.arange(first)
    start = np.zeros(count + 1, np.int64)
    made = np.empty(len(inputs), np.int64)
    stack, reading = np.empty((2, count + 1), np.int64)
    gates = _in_order(first, begin, end, inputs, roots, node_of, start, made, stack, reading)
    return start[: gates + 1], made[: start[gates]], 2 * node_of[roots >> 1] + (roots & 1)


@compiled
def _in_order(
    first: int,
    begin: Int64s1,
    end: Int64s1,
    inputs: Int64s1,
    roots: Int64s1,
    node_of: Int64s1,
    start: Int64s1,
    made: Int64s1,
    stack: Int64s1,
    reading: Int64s1,
) -> int:
    """Write what :func:`in_order` returns, and the new node of each; return the number of gates."""
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
    return gates
