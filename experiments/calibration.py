"""Calibration of trained evaluators: against the outcomes of games, and against exact values.

Outcomes are those of games that each evaluator plays against itself, one ply ahead, with a fifth of
the moves at random. Exact values are proved for random positions of games that can be solved::

    python experiments/calibration.py
    python experiments/calibration.py checkpoints/hex5.pt --matches 1000 --json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np
import torch
from tqdm import tqdm

from neurogame.arena.exact_positions import sample_positions
from neurogame.arena.positions import values_of
from neurogame.arena.reliability import Reliability, reliability
from neurogame.array_types import Float64s1
from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.calibration import AtDistance, by_distance, calibrate
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.search.exact import Prover
from neurogame.simulate.game import State
from neurogame.simulate.states import StateBatch

SHIPPED = ("tictactoe", "connectfour5", "connectfour", "pentago")
PLIES = {"tictactoe": range(1, 9), "connectfour5": range(4, 20, 2), "pentago": range(56, 70, 2)}
"""After how many random joint moves the positions with exact values are taken."""


@final
@dataclass(frozen=True, kw_only=True)
class ExactCalibration:
    """An evaluator's values beside exact ones.

    Attributes:
        states: states whose value is proved.
        unproved: states that were left out, as their value was not proved.
        whole: all forecasts, the exact values as outcomes.
        by_ply: by plies since the start.
        rank: share of the pairs of states with different exact values that the evaluator puts in
            the right order, ties counted half, 0..1; NaN where all exact values are equal.
    """

    states: int
    unproved: int
    whole: Reliability
    by_ply: tuple[AtDistance, ...]
    rank: float

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dictionary."""
        return asdict(self)


def calibrate_exactly(
    evaluator: Evaluator,
    states: Iterable[tuple[State, int]],
    worth: Callable[[State, int], float | None],
) -> ExactCalibration:
    """Compare an evaluator's values with exact ones.

    Args:
        evaluator: of the states' game.
        states: states that are not terminal, each with its plies since the start.
        worth: the goal / 100 that a role gets from a state under best play, None where that is
            not known, such as :meth:`neurogame.search.exact.Prover.value`.

    Raises:
        GameError: no value is proved.
    """
    asked = list(states)
    known = [(state, ply, worth(state, 0)) for state, ply in asked]
    proved = [(state, ply, value) for state, ply, value in known if value is not None]
    if not proved:
        raise GameError(
            f"none of {len(asked)} states has a proved value, so there is nothing to compare "
            "with; take states nearer to the end, or allow more nodes"
        )
    batch = StateBatch.from_bool(torch.stack([state.fluents for state, _, _ in proved]))
    forecasts = values_of(evaluator, batch)[:, 0]
    exact = np.array([value for _, _, value in proved])
    plies = np.array([ply for _, ply, _ in proved], np.int64)
    return ExactCalibration(
        states=len(proved),
        unproved=len(asked) - len(proved),
        whole=reliability(forecasts, exact),
        by_ply=by_distance(forecasts, exact, plies),
        rank=_rank(forecasts, exact),
    )


def _rank(forecasts: Float64s1, exact: Float64s1) -> float:
    """Return the share of pairs in the right order."""
    differ = exact[:, None] > exact[None, :]
    if not differ.any():
        return float("nan")
    gaps = (forecasts[:, None] - forecasts[None, :])[differ]
    return float(np.mean((gaps > 0) + 0.5 * (gaps == 0)))


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
        reports[game.name] = {"outcomes": asdict(found)}
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
