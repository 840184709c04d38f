"""From a circuit to the gates of one ply.

Which way of sharing parts gives the fewest gates differs from game to game, so small circuits are
built in several ways and the smallest result is kept. How many ways depends on the size of the
circuit alone, never on a clock, so the result is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.netlist.assemble import Assembled, make_ply, with_selection
from neurogame.kernels.netlist.facts import Facts
from neurogame.kernels.netlist.logic import Logic, play_logic, step_logic
from neurogame.kernels.netlist.mapping import Effort
from neurogame.kernels.netlist.ply import Ply, Section
from neurogame.kernels.netlist.synthesis import Style, synthesise

_SMALL = 60_000
"""Input literals of a circuit up to which all ways are tried."""
_LARGE = 600_000
"""Input literals of a circuit from which on little effort is made."""
_FEW_NAMED = 2


def build_step(circuit: Circuit) -> Ply:
    """Return the gates of one ply in which the moves are given.

    Args:
        circuit: the game.
    """

    def build(logic: Logic, style: Style, effort: Effort) -> Ply:
        return make_ply(logic, Assembled(*synthesise(logic.graph, style)), None, effort)

    return _smallest(circuit, lambda named: step_logic(circuit, named), build)


def build_play(circuit: Circuit, facts: Facts, *, moves: bool = False) -> Ply:
    """Return the gates of one ply in which the moves are chosen.

    Args:
        circuit: the game.
        facts: proved of it.
        moves: whether the rows of the moves made are wanted.
    """

    def build(logic: Logic, style: Style, effort: Effort) -> Ply:
        network, literals = synthesise(logic.graph, style)
        assembled = with_selection(circuit, logic, network, literals)
        return make_ply(logic, assembled, facts, effort)

    return _smallest(
        circuit, lambda named: play_logic(circuit, facts, moves=moves, most_named=named), build
    )


def _smallest(
    circuit: Circuit,
    formulate: Callable[[int], Logic],
    build: Callable[[Logic, Style, Effort], Ply],
) -> Ply:
    """Return the smallest of the plies that the ways for a circuit of this size give."""
    plies = [build(formulate(named), style, effort) for named, style, effort in _ways(circuit)]
    return min(plies, key=_cost)


def _ways(circuit: Circuit) -> Iterator[tuple[int, Style, Effort]]:
    """Yield ways to build a ply: most moves named by a set, style and effort."""
    size = circuit.graph.edge_count
    every = circuit.move_count
    if size > _LARGE:
        yield 0, Style(window=16, widest=64), Effort(cuts=4, flow=1, exact=1)
        return
    yield every, Style(), Effort()
    if size <= _SMALL:
        yield every, Style(width=3), Effort()
        yield _FEW_NAMED, Style(), Effort()


def _cost(ply: Ply) -> int:
    """Return twice the gates of a ply, those of GOALS half: they run only where a game ends."""
    return 2 * ply.netlist.gate_count - len(ply.gates(Section.GOALS))
