"""How often does what was learned of connect four keep the exact value, one ply ahead?

    python experiments/connectfour_exact.py ../shared/positions/connectfour-exact.txt \
        ../shared/positions/connectfour-public.tsv --seconds 15 60 --seed 33 \
        --settings openings=24,lambda_=0.9 openings=24
    python experiments/connectfour_exact.py ../shared/positions/connectfour-public.tsv \
        --checkpoints checkpoints/connectfour.pt

Each line of a file holds the moves so far as digits, before them the name of a set where there is
one, and the exact score of each column: above 0 it wins, 0 is a draw, -1000 a full column. The
recipe and each of the settings learn on one processor core for the same seconds; weights are
averaged ones. Positions without a name are told apart by their plies.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from kept_values import one_ply
from lost_positions import state_of
from snapshots import snapshots

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State

_PHASES = (8, 12, 18, 25, 43)
_FULL = -1000


def read_positions(game: Game, path: Path) -> Iterator[tuple[str, State, dict[int, float]]]:
    """Yield the set, the state and what each move is worth to the one who moves: 0, 1/2 or 1."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        words = line.split()
        first = next(place for place, word in enumerate(words) if word.isdigit())
        name, moves, scores = words[:first], words[first], map(int, words[first + 1 :])
        state, role = state_of(game, moves), len(moves) % 2
        values = {
            game.move_index(game.roles[role], f"(drop {column})"): (1 + np.sign(score)) / 2
            for column, score in enumerate(scores, start=1)
            if score > _FULL
        }
        if set(values) != set(state.legal_moves[role]):
            raise GameError(f"{path}:{number}: {len(values)} scores, but other moves are legal")
        if len(values) > 1:
            yield name[0] if name else _phase(len(moves)), state, values


def _phase(plies: int) -> str:
    for begin, end in pairwise(_PHASES):
        if begin <= plies < end:
            return f"{begin} to {end - 1} plies"
    return f"below {_PHASES[0]} plies"


def _settings(text: str) -> dict[str, Any]:
    """Return settings of the learner from text such as ``openings=24,network.lookups=384``."""
    given: dict[str, Any] = {"network": {}}
    for one in filter(None, text.split(",")):
        name, value = one.split("=")
        of_network, _, within = name.partition("network.")
        chosen = given if of_network else given["network"]
        chosen[of_network or within] = float(value) if "." in value else int(value)
    return given


def main() -> None:
    """Learn, and print a table: per cent of the moves that keep the value, by set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seconds", nargs="+", type=float, default=[15.0, 60.0])
    parser.add_argument("--seed", type=int, default=33)
    parser.add_argument("--settings", nargs="*", default=[], help="of the learner, by name")
    parser.add_argument(
        "--checkpoints", nargs="+", type=Path, help="nothing learns: these are asked"
    )
    parser.add_argument("--move-seconds", type=float, help="for each move, not one ply")
    parser.add_argument("--no-foresight", action="store_true", help="one ply is one ply")
    options = parser.parse_args()
    torch.set_num_threads(1)
    game = Game.load("connectfour")
    sets: dict[str, list[tuple[State, dict[int, float]]]] = {}
    for path in options.files:
        for name, state, values in read_positions(game, path):
            sets.setdefault(name, []).append((state, values))
    print("| settings | seconds | games | " + " | ".join(sets) + " | mean |")
    print("|---" * (len(sets) + 4) + "|")
    for text, at, games, evaluator in _asked(game, options):
        settings = SearchSettings(foresight=not options.no_foresight)
        search = AlphaBeta(game, evaluator, settings=settings, seed=options.seed)
        limit = None if options.move_seconds is None else Limit(seconds=options.move_seconds)
        shares = [kept_share(one_ply(search, limit), positions) for positions in sets.values()]
        told = " | ".join(f"{share:.1f}" for share in (*shares, sum(shares) / len(shares)))
        print(f"| {text} | {at:g} | {games:,} | {told} |", flush=True)


def _asked(game: Game, options: argparse.Namespace) -> Iterator[tuple[str, float, int, Evaluator]]:
    """Yield what each row is about: a text, seconds, games, and what was learned in them."""
    if options.checkpoints:
        for path in options.checkpoints:
            checkpoint = load_checkpoint(path)
            counters = checkpoint.counters
            evaluator = checkpoint.evaluator(game)
            yield str(path), counters["seconds"], counters["matches"], evaluator
        return
    for text in ("", *options.settings):
        for at, one in zip(
            options.seconds,
            snapshots(game, _settings(text), options.seed, options.seconds),
            strict=True,
        ):
            yield text or "the recipe", at, one.games, one.evaluator


def kept_share(
    choose: Callable[[State], int], positions: Sequence[tuple[State, dict[int, float]]]
) -> float:
    """Return per cent of the moves that keep the value."""
    kept = sum(values[choose(state)] == max(values.values()) for state, values in positions)
    return 100 * kept / len(positions)


if __name__ == "__main__":
    main()
