"""Functions of three inputs as few operations of two inputs, for processors without more."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

Operation: TypeAlias = tuple[int, str, int, int]
"""Table of the result, the operation, tables of its two operands; LLVM's name of the operation, or
``"and not"``, the second operand where the first is not, one instruction of most processors."""

SOURCES = (0xF0, 0xCC, 0xAA)
_CONSTANTS = (0, 255)


@lru_cache(maxsize=256)
def expression(table: int) -> tuple[Operation, ...]:
    """Return the operations that compute a truth table, in order; empty for an input.

    Tables stand for values: ``0xF0, 0xCC, 0xAA`` are the inputs ``a, b, c``, 0 and 255 the
    constants.

    Args:
        table: 0..255, see ``Netlist.table``.
    """
    best = _best()

    def cost(table: int) -> int:
        return best[table][0] if table in best else 0

    order: dict[int, Operation] = {}

    def visit(wanted: int) -> None:
        if wanted in SOURCES or wanted in _CONSTANTS or wanted in order:
            return
        _, operation, left, right = best[wanted]
        # What takes longer first: fewer values wait.
        for operand in sorted((left, right), key=cost, reverse=True):
            visit(operand)
        order[wanted] = (wanted, operation, left, right)

    visit(table)
    return tuple(order.values())


@lru_cache(maxsize=1)
def _best() -> dict[int, tuple[int, str, int, int]]:
    """Return per table the cheapest last operation: its cost in all, its name and operands."""
    cost = dict.fromkeys((*SOURCES, *_CONSTANTS), 0)
    best: dict[int, tuple[int, str, int, int]] = {}
    for total in range(1, 8):
        known = sorted(cost.items())
        for left, left_cost in known:
            for right, right_cost in known:
                if left_cost + right_cost + 1 != total:
                    continue
                for name, value in (
                    ("and", left & right),
                    ("or", left | right),
                    ("xor", left ^ right),
                    ("and not", ~left & right),
                ):
                    if value not in cost:
                        cost[value] = total
                        best[value] = (total, name, left, right)
    return best
