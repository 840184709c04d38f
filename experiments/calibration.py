"""Calibration of trained evaluators: against the outcomes of games, and against exact values.

Outcomes are those of games that each evaluator plays against itself, one ply ahead, with a fifth of
the moves at random. Exact values are proved for random positions of games that can be solved::

    python experiments/calibration.py
    python experiments/calibration.py checkpoints/hex5.pt --matches 1000 --json
"""

from __future__ import annotations

import argparse
import json

import torch
from tqdm import tqdm

from neurogame.arena.yardstick import sample_positions
from neurogame.inspect.calibration import calibrate, calibrate_exactly
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.search.exact import Prover

SHIPPED = ("tictactoe", "connectfour5", "connectfour", "pentago")
PLIES = {"tictactoe": range(1, 9), "connectfour5": range(4, 20, 2), "pentago": range(56, 70, 2)}
"""After how many random joint moves the positions with exact values are taken."""


def main() -> None:
    """Print one table against outcomes, by distance too, and one against exact values."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    default = [f"checkpoints/{name}.pt" for name in SHIPPED]
    parser.add_argument("checkpoints", nargs="*", default=default, metavar="CHECKPOINT")
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--positions", type=int, default=40, help="per number of plies")
    parser.add_argument("--nodes", type=int, default=300_000, help="of each proof")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    outcomes, exact, reports = [], [], {}
    for path in tqdm(options.checkpoints, desc="calibration"):
        checkpoint = load_checkpoint(path)
        game, evaluator = checkpoint.game(), checkpoint.evaluator()
        found = calibrate(game, evaluator, matches=options.matches, seed=options.seed)
        reports[game.name] = {"outcomes": found.to_json()}
        whole, odd, even = found.whole, found.before, found.after
        near, far = found.by_distance[0].found, found.by_distance[-1].found
        outcomes.append(
            f"| {game.name} | {found.games} | {whole.brier:.4f} ± {found.brier_error:.4f} "
            f"| {whole.constant:.4f} | {whole.error:.4f} ± {found.calibration_error_error:.4f} "
            f"| {near.absolute:.3f} | {far.absolute:.3f} "
            f"| {found.correction.slope:.2f} {found.correction.shift:+.2f} "
            f"| {odd.brier:.4f} -> {even.brier:.4f} | {odd.error:.4f} -> {even.error:.4f} |"
        )
        if game.name not in PLIES:
            continue
        prover = Prover(game, options.nodes, evaluator=evaluator)
        states = [
            (state, ply)
            for ply in PLIES[game.name]
            for state in sample_positions(game, options.positions, options.seed, [ply])
        ]
        shown = tqdm(states, desc=game.name, leave=False)
        truth = calibrate_exactly(evaluator, shown, prover.value)
        reports[game.name]["exact"] = truth.to_json()
        exact.append(
            f"| {game.name} | {truth.states} | {truth.unproved} | {truth.whole.brier:.4f} "
            f"| {truth.whole.constant:.4f} | {truth.whole.error:.4f} "
            f"| {truth.whole.absolute:.3f} | {100 * truth.rank:.1f} % |"
        )
    if options.json:
        print(json.dumps(reports))
        return
    print(
        "| game | games | Brier | constant | error | MAE at 1 ply | MAE farthest | correction "
        "| Brier before, after | error before, after |\n" + "|---" * 10 + "|"
    )
    print("\n".join(outcomes))
    print(
        "\n| game | states | unproved | Brier | constant | error | MAE | pairs in order |\n"
        + "|---" * 8
        + "|"
    )
    print("\n".join(exact))


if __name__ == "__main__":
    main()
