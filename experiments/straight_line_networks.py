"""Goal networks as straight-line code, beside the kernel that interprets them: is one worth it?

python -m experiments.straight_line_networks connectfour pentago breakthrough

Writes every upper neuron of a network as instructions on vectors of 16 lanes, with the places of
its tables and children as constants and the weights read from memory, as the gates of a game are
written. Weights stay changeable. Prints the time of a block of lanes on both, the largest
difference of outputs, and what compiling took. It needs AVX-512.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir

from neurogame.array_types import Int64s1
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.kernels.codegen.engine import compile_text, load_object
from neurogame.kernels.neural.layout import SOUND
from neurogame.kernels.neural.lookup import index_lanes
from neurogame.kernels.neural.network import ROWS, Network, propagate
from neurogame.kernels.neural.program import Program, Space, make_space
from neurogame.native.compiled import compiled
from neurogame.simulate.game import Game

RUNS, REPEATS = 7, 2000
_REAL, _WHOLE, _BYTE, _WORD = (ir.FloatType(), ir.IntType(32), ir.IntType(8), ir.IntType(64))
_VECTOR, _WHOLES = ir.VectorType(_REAL, 16), ir.VectorType(_WHOLE, 16)
_FAST = ("contract", "nsz", "arcp")
# Cephes' expf and logf, as in neurogame/kernels/neural/lane_math.py.
_EXP = (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
_LOG = (
    *(-1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
    *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
_DAMPING = (1 / 24, 1 / 2880, 1 / 181440, 1 / 9676800)


def real(value: float) -> Any:
    """Return a constant vector."""
    return ir.Constant(_VECTOR, [float(np.float32(value))] * 16)


def whole(value: int) -> Any:
    """Return a constant vector of whole numbers."""
    return ir.Constant(_WHOLES, [value] * 16)


class Mathematics:
    """Vectors of 16 numbers: arithmetic that may be fused, and functions out of line."""

    def __init__(self, module: Any, builder: Any) -> None:
        self.module, self.b = module, builder
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        self._round = ir.Function(module, kind, "llvm.rint.v16f32")
        self.exp = self._outline("exp16", self._exp)
        self.log = self._outline("log16", self._log)
        self.tanh = self._outline("tanh16", self._tanh)

    def _outline(self, name: str, body: Callable[[Any], Any]) -> Callable[[Any], Any]:
        function = ir.Function(self.module, ir.FunctionType(_VECTOR, [_VECTOR]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        outside, self.b = self.b, ir.IRBuilder(function.append_basic_block())
        self.b.ret(body(function.args[0]))
        self.b = outside
        return lambda x: self.b.call(function, [x])

    def add(self, *terms: Any) -> Any:
        """Return a sum."""
        total = terms[0]
        for term in terms[1:]:
            total = self.b.fadd(total, term, flags=_FAST)
        return total

    def less(self, one: Any, other: Any) -> Any:
        """Return a difference."""
        return self.b.fsub(one, other, flags=_FAST)

    def times(self, one: Any, other: Any) -> Any:
        """Return a product."""
        return self.b.fmul(one, other, flags=_FAST)

    def over(self, one: Any, other: Any) -> Any:
        """Return a quotient."""
        return self.b.fdiv(one, other, flags=_FAST)

    def where(self, sign: str, one: Any, other: Any, then: Any, otherwise: Any) -> Any:
        """Return one of two vectors, lane by lane, by a comparison."""
        return self.b.select(self.b.fcmp_ordered(sign, one, other), then, otherwise)

    def powers(self, first: float, rest: tuple[float, ...], x: Any) -> Any:
        """Return a polynomial, highest power first."""
        total = real(first)
        for factor in rest:
            total = self.add(self.times(total, x), real(factor))
        return total

    def _exp(self, x: Any) -> Any:
        b = self.b
        y = self.where(">", x, real(-87), x, real(-87))
        y = self.where("<", y, real(88), y, real(88))
        n = b.call(self._round, [self.times(y, real(1.44269504088896341))])
        r = self.less(self.less(y, self.times(n, real(_LN2_HIGH))), self.times(n, real(_LN2_LOW)))
        p = self.powers(1.9875691500e-4, _EXP, r)
        bits = b.shl(b.add(b.fptosi(n, _WHOLES), whole(127)), whole(23))
        near = self.add(self.times(self.times(p, r), r), r, real(1))
        return self.times(near, b.bitcast(bits, _VECTOR))

    def _log(self, x: Any) -> Any:
        b, bits = self.b, self.b.bitcast(x, _WHOLES)
        power = b.ashr(b.sub(bits, whole(0x3F3504F3)), whole(23))
        n = b.sitofp(power, _VECTOR)
        r = self.less(b.bitcast(b.sub(bits, b.shl(power, whole(23))), _VECTOR), real(1))
        p, square = self.powers(7.0376836292e-2, _LOG, r), self.times(r, r)
        rest = self.less(self.times(self.times(p, r), square), self.times(real(0.5), square))
        low = self.add(self.times(n, real(_LN2_LOW)), rest)
        return self.add(self.times(n, real(_LN2_HIGH)), self.add(r, low))

    def _tanh(self, x: Any) -> Any:
        size = self.where(">", x, real(0), x, self.b.fneg(x))
        e = self._exp(self.times(real(-2), size))
        y = self.over(self.less(real(1), e), self.add(real(1), e))
        return self.where(">", x, real(0), y, self.b.fneg(y))

    def log_sigmoid(self, x: Any) -> Any:
        """Return ``-log(1 + exp(-x))``."""
        size = self.where(">", x, real(0), self.b.fneg(x), x)
        more = self.log(self.add(real(1), self.exp(size)))
        return self.less(self.where(">", x, real(0), real(0), x), more)

    def damping(self, t: Any) -> Any:
        """Return ``log((1 - exp(-t)) / t)`` near 0."""
        square, (c1, c2, c3, c4) = self.times(t, t), map(real, _DAMPING)
        inner = self.less(c3, self.times(square, c4))
        inner = self.less(c2, self.times(square, inner))
        inner = self.less(c1, self.times(square, inner))
        return self.times(t, self.less(self.times(t, inner), real(0.5)))


class Writer:
    """Writes one network for a number of lanes, kinds PLAIN and SOUND."""

    def __init__(self, program: Program, lanes: int) -> None:
        self.program, self.lanes, self.net = program, lanes, program.network
        self.module = ir.Module()
        self.module.triple = llvmlite.binding.get_process_triple()
        kind = ir.FunctionType(ir.VoidType(), [_WORD])
        function = ir.Function(self.module, kind, "run")
        self.b = ir.IRBuilder(function.append_basic_block())
        self.m = Mathematics(self.module, self.b)
        lookup = ir.FunctionType(_VECTOR, [_VECTOR, _WHOLES, _VECTOR])
        name = "llvm.x86.avx512.vpermi2var.ps.512"
        self.lookup = ir.Function(self.module, lookup, name)
        given = self.b.inttoptr(function.args[0], _WORD.as_pointer())
        kinds = (_WORD, _BYTE, _REAL, _REAL, _REAL, _REAL, _REAL)
        self.column, self.entry, self.state, self.tables, self.edges, self.nodes, self.offsets = (
            self.b.inttoptr(self.b.load(self.b.gep(given, [_WORD(i)])), one.as_pointer())
            for i, one in enumerate(kinds)
        )

    def text(self) -> str:
        """Return the module."""
        for number, row in enumerate(self.net.pattern):
            self._index(number, row)
        for neuron in range(len(self.net.table_start) - 1):
            self._neuron(neuron)
        self.b.ret_void()
        return str(self.module)

    def _index(self, number: int, row: Any) -> None:
        octets, flags = ir.VectorType(_BYTE, self.lanes), ir.VectorType(ir.IntType(1), self.lanes)
        nothing = ir.Constant(octets, [0] * self.lanes)
        found = nothing
        for bit, leaf in enumerate(row.tolist()):
            if leaf != self.program.columns:
                word = self.b.load(self.b.gep(self.column, [_WORD(leaf)]))
                word = word if self.lanes == 64 else self.b.trunc(word, ir.IntType(self.lanes))
                value = ir.Constant(octets, [1 << bit] * self.lanes)
                held = self.b.select(self.b.bitcast(word, flags), value, nothing)
                found = self.b.or_(found, held)
        place = self.b.gep(self.entry, [_WORD(number * self.lanes)])
        self.b.store(found, self.b.bitcast(place, octets.as_pointer()), align=1)

    def _vector(self, base: Any, place: int) -> Any:
        return self.b.bitcast(self.b.gep(base, [_WORD(int(place))]), _VECTOR.as_pointer())

    def _same(self, base: Any, place: int) -> Any:
        """Return one number of memory in all lanes."""
        number = self.b.load(self.b.gep(base, [_WORD(int(place))]))
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        one = self.b.insert_element(nothing, number, _WHOLE(0))
        return self.b.shuffle_vector(one, nothing, whole(0))

    def _at(self, neuron: int, row: int, piece: int) -> Any:
        rows = ROWS[self.net.kind]
        return self._vector(self.state, (neuron * rows + row) * self.lanes + 16 * piece)

    def _sums(self, neuron: int) -> list[list[Any]]:
        net, pieces, channels = self.net, self.lanes // 16, self.net.tables.shape[1]
        sums = [[real(0)] * pieces for _ in range(channels)]
        octets = ir.VectorType(_BYTE, 16).as_pointer()
        for table in range(net.table_start[neuron], net.table_start[neuron + 1]):
            first = int(net.table_pattern[table]) * self.lanes
            for piece in range(pieces):
                place = self.b.gep(self.entry, [_WORD(first + 16 * piece)])
                pick = self.b.zext(self.b.load(self.b.bitcast(place, octets), align=1), _WHOLES)
                for channel in range(channels):
                    begin = (table * channels + channel) * 32
                    low = self.b.load(self._vector(self.tables, begin), align=4)
                    high = self.b.load(self._vector(self.tables, begin + 16), align=4)
                    found = self.b.call(self.lookup, [low, pick, high])
                    sums[channel][piece] = self.b.fadd(sums[channel][piece], found)
        return sums

    def _neuron(self, neuron: int) -> None:
        net, sums, count = self.net, self._sums(neuron), self.net.edges.shape[1]
        sound, neurons = net.kind == SOUND, len(net.table_start) - 1
        edges = range(net.edge_start[neuron], net.edge_start[neuron + 1])
        if sound:
            self._deviations(neuron, edges, sums)
        row = 2 if sound else 0
        for edge in edges:
            weight = self._same(self.edges, (1 if sound else 0) * count + edge)
            for piece, total in enumerate(sums[row]):
                below = self.b.load(self._at(int(net.edge_child[edge]) >> 1, row, piece), align=4)
                sums[row][piece] = self.m.add(total, self.m.times(weight, below))
        bias, steep = self._same(self.nodes, row * neurons + neuron), real(net.steep)
        for piece, total in enumerate(sums[row]):
            found = self.m.tanh(self.m.times(steep, self.m.add(total, bias)))
            self.b.store(found, self._at(neuron, row, piece), align=4)

    def _deviations(self, neuron: int, edges: range, sums: list[list[Any]]) -> None:
        """Write the logarithms of the output's distances from its floor and its ceiling."""
        m, neurons = self.m, len(self.net.table_start) - 1
        floor, ceiling = (self._same(self.nodes, row * neurons + neuron) for row in (0, 1))
        half = real(float(np.log(2)))
        least = m.add(half, m.log_sigmoid(self.b.fneg(floor)))
        most = m.add(half, m.log_sigmoid(ceiling))
        for piece in range(self.lanes // 16):
            (up, kept_up, base_up), (down, kept_down, base_down) = (
                self._rise(neuron, edges, sums[channel][piece], channel, piece)
                for channel in (0, 1)
            )
            x = m.where("<", up, down, m.add(floor, up), m.less(ceiling, down))
            shrunk = m.where(">", x, real(0), self.b.fneg(x), x)
            total = m.add(real(1), m.exp(shrunk))
            for row, value, kept, base, limit, part in (
                (0, up, kept_up, base_up, least, m.where(">", x, real(0), real(0), x)),
                (
                    *(1, down, kept_down, base_down, most),
                    self.b.fneg(m.where(">", x, real(0), x, real(0))),
                ),
            ):
                far = m.less(real(1), m.exp(self.b.fneg(value)))
                moved = m.where("<", value, real(0.5), kept, far)
                more = m.add(base, m.damping(value))
                more = m.where("<", value, real(0.5), more, real(0))
                found = m.add(m.add(limit, part), m.log(m.over(moved, total)), more)
                self.b.store(found, self._at(neuron, row, piece), align=4)

    def _rise(
        self, neuron: int, edges: range, total: Any, channel: int, piece: int
    ) -> tuple[Any, Any, Any]:
        """Return a deviation of the net input, and it divided by the exponential of a base."""
        m, net, neurons = self.m, self.net, len(self.net.table_start) - 1
        offset = self._same(self.offsets, channel * neurons + neuron)
        if not len(edges):
            return m.times(total, m.exp(offset)), total, offset
        filled = net.table_start[neuron] < net.table_start[neuron + 1]
        own = m.add(m.log(total), offset) if filled else real(-1e30)
        base, others = own, []
        for edge in edges:
            child = int(net.edge_child[edge])
            below = self.b.load(self._at(child >> 1, channel ^ (child & 1), piece), align=4)
            others.append(m.add(self._same(self.edges, edge), below))
            base = m.where(">", base, others[-1], base, others[-1])
        kept = m.add(*(m.exp(m.less(one, base)) for one in (own, *others)))
        return m.times(kept, m.exp(base)), kept, base


@compiled
def interpret(network: Network, space: Space, column: Int64s1, times: int) -> None:
    """Compute all upper neurons of a block of lanes, again and again."""
    for _ in range(times):
        index_lanes(column, network.pattern, space.entry)
        propagate(network, space.entry, space.state)


def measure(name: str, kind: str, lanes: int) -> str:
    """Return one line of the table."""
    evaluator = make_evaluator(Game.load(name), EvaluatorConfig(kind=kind))
    assert isinstance(evaluator, GoalNetworks)
    program = evaluator.program()
    net, space = program.network, make_space(program, lanes)
    column = np.random.default_rng(0).integers(-(2**62), 2**62, program.columns + 1)
    column[-1] = 0
    begun = time.process_time()
    text = Writer(program, lanes).text()
    written = time.process_time()
    code = load_object(compile_text(text))
    ready = time.process_time()
    state = np.zeros_like(space.state)
    arrays = (column, space.entry, state, net.tables, net.edges, net.nodes, net.offsets)
    addresses = np.array([array.ctypes.data for array in arrays], np.int64)
    run, place = code.function("run"), addresses.ctypes.data
    interpret(net, space, column, 1)
    run(place)
    rows = slice(0, 3 if net.kind == SOUND else 1)
    error = float(np.abs(state[:, rows] - space.state[:, rows]).max())
    times: tuple[list[float], list[float]] = [], []
    for _ in range(RUNS):
        start = time.process_time()
        interpret(net, space, column, REPEATS)
        between = time.process_time()
        for _ in range(REPEATS):
            run(place)
        times[0].append((between - start) / REPEATS)
        times[1].append((time.process_time() - between) / REPEATS)
    one, other = (statistics.median(found) * 1e6 for found in times)
    return (
        f"{name:16s} {kind:10s} {lanes:5d} {net.nodes.shape[1]:7d} {len(net.tables):6d} "
        f"{one:12.2f} {other:12.2f} {one / other:6.2f} {error:8.1e} {written - begun:8.2f} "
        f"{ready - written:8.2f}"
    )


def main() -> None:
    """Measure the games named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=["connectfour", "pentago", "breakthrough"])
    parser.add_argument("--kinds", nargs="*", default=["cilp-paper", "cilp"])
    parser.add_argument("--lanes", nargs="*", type=int, default=[16, 64])
    options = parser.parse_args()
    print(
        f"{'game':16s} {'kind':10s} {'lanes':>5s} {'neurons':>7s} {'tables':>6s} "
        f"{'interpret us':>12s} {'straight us':>12s} {'ratio':>6s} {'error':>8s} "
        f"{'write s':>8s} {'LLVM s':>8s}"
    )
    for name in options.games:
        for kind in options.kinds:
            for lanes in options.lanes:
                print(measure(name, kind, lanes), flush=True)


if __name__ == "__main__":
    main()
