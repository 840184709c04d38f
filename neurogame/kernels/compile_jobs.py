"""What is compiled ahead, in parts that processes can do side by side."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, kw_only=True)
class CompileJob:
    """Functions that are compiled in one process.

    Attributes:
        seconds: that it takes, about.
        words: a command line that has one of them needs it.
        modules: whose functions called from Python are compiled, for the types that they declare.
        entries: functions of structs that compiled code calls by their address, by module.
    """

    seconds: int
    words: tuple[str, ...]
    modules: tuple[str, ...] = ()
    entries: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def is_needed(self, line: str) -> bool:
        """Return whether a command line needs what is compiled here."""
        return not set(re.findall("[a-z]+", line)).isdisjoint(self.words)

    def holds(self, module: str | None) -> bool:
        """Return whether functions of a module are compiled here."""
        return module in {f"neurogame.{name}" for name in (*self.modules, *dict(self.entries))}

    def compile(self) -> None:
        """Compile what has not been kept."""
        from neurogame.compiling import compile_declared

        for name in self.modules:
            compile_declared(f"neurogame.{name}")
        if self.entries:
            from neurogame.native.entries import entry

            for name, functions in self.entries:
                module = importlib.import_module(f"neurogame.{name}")
                for function in functions:
                    entry(getattr(module, function), arrays=function in _WITH_ARRAYS)


_WITH_ARRAYS = ("value_states", "value_rules_network", "value_heuristic", "play_rounds")
_OPENINGS = ("match", "arena", "train")
"""Commands that have alpha-beta tell which openings are decided."""
_GAMES = ("simulate", "bench", "play", "learn", "serve", "manage", *_OPENINGS)
_SEARCHES = ("mcts", "alphabeta", "heuristic", "auto", "serve", "play", "action", *_OPENINGS)
_LEARNING = ("train", "learn", "serve", "auto")
_EVALUATED = ("features", "cutoff", "bias", "minimax", "experience")
"""Of a tree search that wants an evaluator."""

JOBS = {
    "alpha-beta search": CompileJob(
        seconds=11,
        words=("alphabeta", "heuristic", "auto", "serve", "play", *_OPENINGS),
        modules=("search.alphabeta.compiled.advance", "search.alphabeta.compiled.table"),
    ),
    "tree search": CompileJob(
        seconds=9,
        words=("mcts", "auto", "serve", "train", "action", "easy"),
        modules=("native.clock",),
        entries=(
            (
                "search.mcts.compiled.run",
                ("run", "do_nothing", "play_on", "play_by_policy", "take_leaf"),
            ),
            ("search.mcts.compiled.expand", ("set_root", "gather_leaves", "insert")),
            ("search.mcts.compiled.descend", ("descend",)),
            ("search.mcts.compiled.backup", ("collect", "back_up")),
            ("search.mcts.compiled.compact", ("mark", "unmark", "slide")),
            ("search.mcts.compiled.tables", ("enter_anew",)),
        ),
    ),
    "circuits, first half": CompileJob(
        seconds=5,
        words=_GAMES,
        modules=(
            "kernels.netlist.extract_loops",
            "kernels.netlist.factor_loops",
            "kernels.netlist.walk_loops",
            "kernels.codegen.schedule_loops",
        ),
    ),
    "circuits, second half": CompileJob(
        seconds=5,
        words=_GAMES,
        modules=(
            "kernels.netlist.map_loops",
            "kernels.netlist.move_loops",
            "kernels.netlist.chain_loops",
            "kernels.codegen.encode",
        ),
    ),
    "positions in search": CompileJob(
        seconds=3,
        words=_SEARCHES,
        modules=("kernels.lane_rows", "kernels.leaves.machine"),
        entries=(
            ("kernels.leaves.compiled_rules", ("make_moves", "look_at")),
            ("kernels.leaves.uniform", ("play_on",)),
        ),
    ),
    "playouts with statistics": CompileJob(
        seconds=5,
        words=("playout", "tree", "auto", "serve"),
        entries=(
            ("kernels.leaves.playouts", ("walk",)),
            ("kernels.leaves.choosing", ("choose_learned", "choose_scored")),
            ("kernels.leaves.move_statistics", ("learn_all", "forget")),
            ("search.mcts.compiled.all_moves", ("learn_all_moves",)),
        ),
    ),
    "features": CompileJob(
        seconds=3,
        words=("features", *_LEARNING),
        modules=("kernels.feature_sums", "structure.refine_loops"),
    ),
    "networks": CompileJob(
        seconds=10,
        words=("greedy", *_LEARNING),
        modules=("kernels.neural.program", "kernels.neural.pack_flags", "kernels.neural.blocks"),
    ),
    "learning in lanes": CompileJob(
        seconds=16,
        words=("refine", *_LEARNING),
        entries=(("kernels.self_play.play", ("play_rounds", "start_lanes")),),
    ),
    "rules network in search": CompileJob(
        seconds=5,
        words=("train", "alphabeta", "auto", "serve", "play", *_EVALUATED),
        entries=(("kernels.rules_network.search", ("value_rules_network",)),),
    ),
    "values of what moves lead to": CompileJob(
        seconds=3,
        words=("values", "features", "auto", "serve"),
        entries=(("kernels.leaves.next_values", ("score_next",)),),
    ),
    "heuristics in search": CompileJob(
        seconds=5,
        words=("heuristic", "blind", "max", "min"),
        entries=(("kernels.heuristic.search", ("value_heuristic",)),),
    ),
    "networks in search": CompileJob(
        seconds=4,
        words=("train", "alphabeta", "auto", "serve", *_EVALUATED),
        entries=(("kernels.leaves.networks", ("value_states",)),),
    ),
}
