"""How much of a trained evaluator can be said in few weighted rules?

Rules of several sizes are extracted from shipped checkpoints. On other games it is measured how far
they value states and choose moves as the evaluator does, and in matches how well they play against
it, and against the evaluator before learning::

    python experiments/extracted_rules.py connectfour breakthrough6 qubic --matches 200

Settings of the extraction were chosen with other seeds.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from neurogame.arena.positions import played_positions
from neurogame.arena.yardstick import Yardstick
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.rules.extract import Extractor
from neurogame.inspect.rules.fidelity import fidelity
from neurogame.inspect.rules.report import rules_file_text
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.comparison import Comparison
from neurogame.learn.rules_file import evaluator_of_rules
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

SIZES = (10, 30, 100)
TEST_SEED = 7919


def score(found: Comparison) -> str:
    """Return a score with its interval, and how many matches differ."""
    return (
        f"{100 * found.score:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}], {found.distinct}"
    )


def measured(
    game: Game, own: Evaluator, others: tuple[Evaluator, Evaluator], matches: int, seed: int
) -> dict[str, Comparison]:
    """Let rules play the evaluator that they came from, and the untrained one."""
    found = {}
    for depth in (1, 2):
        yardstick = Yardstick(game=game, matches=matches, seed=seed, limit=Limit(depth=depth))
        for name, other in zip(("trained", "untrained"), others, strict=True):
            found[f"{name}, depth {depth}"] = yardstick.measure(own, other)
    return found


def main() -> None:
    """Extract, measure and print a table row by row."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=["connectfour", "breakthrough6", "qubic"])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"))
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path, help="folder for the rules and results.jsonl")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    columns = ("game", "rules", "difference", "correlation", "side %", "moves % (chance)")
    rivals = [f"{name}, depth {d}" for d in (1, 2) for name in ("trained", "untrained")]
    print(f"| {' | '.join((*columns, *rivals))} |")
    print("|---" * (len(columns) + len(rivals)) + "|")
    for name in options.games:
        checkpoint = load_checkpoint(options.checkpoints / f"{name}.pt")
        game = checkpoint.game()
        pair = checkpoint.evaluator(game), checkpoint.initial_evaluator(game)
        extractor = Extractor(game, pair[0], seed=options.seed)
        played = played_positions(
            game, pair[0], matches=100, seed=options.seed + TEST_SEED, epsilon=0.5
        ).drawn(1500, options.seed)
        before = fidelity(game, *pair, played)
        print(
            f"| {name} | untrained | {before.difference:.3f} | | | {100 * before.moves:.1f} "
            f"({100 * before.chance:.1f}) | | | | |",
            flush=True,
        )
        for size in options.sizes:
            rules, about = extractor.rules(size)
            own = evaluator_of_rules(rules, game)
            told = fidelity(game, pair[0], own, played)
            matches = measured(game, own, pair, options.matches, options.seed + TEST_SEED)
            row: dict[str, Any] = {"game": name, "size": len(rules.rules), **asdict(told)}
            row |= {rival: asdict(matches[rival]) for rival in rivals}
            cells = [
                f"{told.difference:.3f} | {told.correlation:.3f} | {100 * told.side:.1f} | "
                f"{100 * told.moves:.1f} ({100 * told.chance:.1f})",
                *(score(matches[rival]) for rival in rivals),
            ]
            print(f"| {name} | {len(rules.rules)} | {' | '.join(cells)} |", flush=True)
            if options.out:
                text = rules_file_text(rules, about, told, f"checkpoints/{name}.pt")
                (options.out / f"{name}-{size}.rules").write_text(text, encoding="utf-8")
                with (options.out / "results.jsonl").open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
