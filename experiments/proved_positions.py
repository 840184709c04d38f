"""Does it pay to learn proved values beside those of self-play, at equal seconds?

    python experiments/proved_positions.py --out runs/proved --seconds 60 180 connectfour reversi6
    python experiments/proved_positions.py --out runs/proved --report

A part of the time goes into exact searches of positions that self-play has just come to, sampled
the more often the more of their phase are proved. Every position that a search proves on its way,
not the root alone, goes into a bounded store. After each round so many of them are learned, all
phases alike, that they are a given share of all positions learned from. Both it and the recipe
learn on one processor core from the same seed; then their averaged weights play each other two
plies ahead, from openings of exactly four random plies in both roles, and with `--positions` it is
asked how often one ply ahead they keep the exact value of connect four. A finished cell stays in
the folder.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from cells import Cells, pooled, progress
from connectfour_exact import kept_share, read_positions
from kept_values import one_ply
from snapshots import Snapshot, snapshots

from neurogame.arena.yardstick import Yardstick
from neurogame.array_types import Float32s, UInt64s
from neurogame.graph.lanes import pack_lanes, unpack_lanes
from neurogame.kernels.self_play.recorded import GamesToLearn, learn_recorded
from neurogame.learn.lanes.worker import LaneWorker
from neurogame.learn.learner import average_in
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.native.entries import entry
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State

GAMES = ("connectfour", "reversi6", "breakthrough6", "dotsandboxes")
_DEPTH, _FRESH, _FEWEST = 10_000, 70_000, 2_000
_PIECE = 0.05
"""Processor seconds of searches at once."""


@final
class ProvedStore:
    """Positions whose values are proved; full, it forgets some at random."""

    def __init__(self, game: Game, most: int, random: np.random.Generator) -> None:
        """Begin with none; ``most`` positions are held."""
        self._random = random
        self._states: UInt64s = np.zeros((most, -(-len(game.fluents) // 64)), np.uint64)
        self._values: Float32s = np.zeros((most, len(game.roles)), np.float32)
        self._phase = np.zeros(most, np.int64)
        self.held = self.taken = 0

    def take(self, search: AlphaBeta) -> None:
        """Take what a search has proved, and let it forget it."""
        proved = dict(search.proved_states)
        search.forget(proofs=True)
        if not proved:
            return
        octets = np.frombuffer(b"".join(proved), np.uint8).reshape(len(proved), -1)
        bits = np.unpackbits(octets, axis=1).astype(np.bool_)
        values = np.array(list(proved.values()), np.float32)
        known = ~np.isnan(values).any(axis=1)
        states = pack_lanes(bits[known])
        end = self.held + len(states)
        if end <= len(self._states):
            rows = np.arange(self.held, end)
            self.held = end
        else:
            rows = self._random.integers(0, self.held, len(states))
        self._states[rows], self._values[rows] = states, values[known]
        self._phase[rows] = bits[known].sum(axis=1)
        self.taken += len(states)

    def drawn(self, count: int) -> tuple[UInt64s, Float32s]:
        """Return positions and values; those of rare phases, by fluents that hold, more often."""
        phase = self._phase[: self.held]
        often = np.maximum(np.bincount(phase)[phase], self.held / 60)
        ends = np.cumsum(1 / often)
        rows = np.searchsorted(ends, self._random.random(count) * ends[-1])
        rows = np.minimum(rows, self.held - 1)
        return self._states[rows], self._values[rows]


def learned(game: Game, seed: int, options: argparse.Namespace) -> Iterator[Snapshot]:
    """Learn with proved values, and yield what was learned at each mark."""
    config = fitted(game, seed=seed)
    evaluator = fresh_rules_network(game, config)
    averaged = copy.deepcopy(evaluator).requires_grad_(False)
    worker = LaneWorker(game, config, evaluator, number=0)
    search = AlphaBeta(game, averaged, settings=SearchSettings(think_when_forced=True))
    random = np.random.default_rng(seed)
    store = ProvedStore(game, options.store, random)
    learn = entry(learn_recorded)
    tried, proved = np.ones((2, len(game.fluents) + 1))
    worker.play(0)
    seconds = searching = 0.0
    rounds = 0
    for mark in options.seconds:
        while seconds < mark:
            before = worker.games.own.plies
            seconds += worker.play(config.round_plies)
            rounds += 1
            started = time.process_time()
            average_in(averaged, evaluator, rounds, config)
            if searching < options.proving * seconds:
                begun = time.process_time()
                while time.process_time() < begun + _PIECE:
                    _prove(game, worker, search, (tried, proved), options.nodes, random)
                    store.take(search)
                searching += time.process_time() - begun
            if store.held >= _FEWEST:
                made = worker.games.own.plies - before
                count = int(made * options.share / (1 - options.share))
                learn(_lesson(worker, *store.drawn(count), random))
            seconds += time.process_time() - started
        progress(f"{seconds:.0f} s, {store.taken:,} proved in {searching:.0f} s of searches")
        yield Snapshot(
            seconds=seconds, games=worker.games.own.games, evaluator=copy.deepcopy(averaged)
        )


def _prove(
    game: Game,
    worker: LaneWorker,
    search: AlphaBeta,
    known: tuple[np.ndarray[Any, np.dtype[np.float64]], ...],
    nodes: int,
    random: np.random.Generator,
) -> None:
    """Search the position of some lane, of one that is likely to be proved."""
    tried, proved = known
    lane = int(random.integers(len(worker.games.own.ply)))
    fluents = unpack_lanes(worker.games.own.state[lane : lane + 1], len(game.fluents))[0]
    phase = int(fluents.sum())
    if random.random() > max(0.02, proved[phase] / tried[phase]):
        return
    state = State(game, torch.from_numpy(fluents))
    role = max(range(len(game.roles)), key=lambda one: len(state.legal_moves[one]))
    if state.is_terminal or len(state.legal_moves[role]) < 2:
        return
    found = search.search(state, role, Limit(nodes=nodes, depth=_DEPTH))
    tried[phase] += 1 - 0.01 * tried[phase]
    proved[phase] += found.proved - 0.01 * proved[phase]


def _lesson(
    worker: LaneWorker, states: UInt64s, values: Float32s, random: np.random.Generator
) -> GamesToLearn:
    """Return positions to learn from, each a game of its own under some symmetry."""
    count, images = len(states), worker.learning.images.shape[1]
    return GamesToLearn(
        learning=worker.learning,
        states=states,
        modes=np.zeros(count, np.int32),
        searched=np.zeros_like(values),
        cut=np.zeros(count, np.uint8),
        goals=np.zeros_like(values),
        ended=np.ones(count, np.uint8),
        targets=values,
        first=np.arange(count + 1, dtype=np.int64),
        image=random.integers(0, images, count),
        lambda_=0.0,
    )


def report(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table."""
    print("| game | seconds | games | of the recipe | against the recipe | kept | by the recipe |")
    print("|---" * 7 + "|")
    for name, mark in dict.fromkeys((row["game"], row["seconds"]) for row in rows):
        cells = [row for row in rows if (row["game"], row["seconds"]) == (name, mark)]
        games = [sum(row[key] for row in cells) for key in ("games", "games of the recipe")]
        kept = [
            ", ".join(f"{row[key]:.1f}" for row in cells if key in row)
            for key in ("kept", "kept by the recipe")
        ]
        numbers = " | ".join(f"{one:,}" for one in games)
        print(f"| {name} | {mark:g} | {numbers} | {pooled(cells, 'result')} | {' | '.join(kept)} |")


def main() -> None:
    """Run what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, nargs="+", default=[60.0], help="rising")
    parser.add_argument("--seeds", type=int, nargs="+", default=[400])
    parser.add_argument("--share", type=float, default=0.25, help="of proved positions")
    parser.add_argument("--proving", type=float, default=0.2, help="share of the seconds")
    parser.add_argument("--nodes", type=int, default=5_000, help="of each search")
    parser.add_argument("--store", type=int, default=1_000_000, help="positions")
    parser.add_argument("--matches", type=int, default=134)
    parser.add_argument("--positions", type=Path, help="exact values of connect four")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cells = Cells(options.out)
    for name in () if options.report else options.games:
        for seed in options.seeds:
            if cells.has(f"{name}-{seed}-{options.seconds[-1]:g}"):
                continue
            progress(f"{name}, seed {seed}")
            game = Game.load(name)
            yardstick = Yardstick(game=game, matches=options.matches, seed=_FRESH + seed)
            recipe = snapshots(game, {}, seed, options.seconds)
            pairs = zip(options.seconds, learned(game, seed, options), recipe, strict=True)
            for mark, mine, other in pairs:
                row = {
                    "game": name,
                    "seed": seed,
                    "seconds": mark,
                    "games": mine.games,
                    "games of the recipe": other.games,
                    "result": yardstick.measure(mine.evaluator, other.evaluator).to_json(),
                }
                if options.positions and name == "connectfour":
                    known = [one[1:] for one in read_positions(game, options.positions)]
                    for key, one in (("kept", mine), ("kept by the recipe", other)):
                        choose = one_ply(AlphaBeta(game, one.evaluator, seed=seed))
                        row[key] = kept_share(choose, known)
                cells.put(f"{name}-{seed}-{mark:g}", row)
    report(cells.all())


if __name__ == "__main__":
    main()
