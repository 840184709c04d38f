"""What a rules network is before it has learned, beside the goal networks of C-IL2P.

    python experiments/before_training.py --out runs/before GAME...
    python experiments/before_training.py --out runs/before --depth 2 GAME...
    python experiments/before_training.py --out runs/before --report

- `as it begins`: units of the rules under a readout of 0, so that all values are 0.5 and the search
  alone tells moves apart;
- `fitted`: the same units under the readout that comes closest to the log-odds of the goal
  networks (`cilp`) in states of random play, by least squares: what the units know of them.

Both play the untrained goal networks, in all library games of two players, from openings of exactly
four random plies in both roles. The rank correlation with the goal networks is that of values, of
opposed roles of their difference, in other states of random play; `values` is how many different
ones these have there, to a millionth. A finished cell stays in the folder.
"""

from __future__ import annotations

import argparse
import copy
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import Cells, progress, share
from sancho_observations import spearman

from neurogame.array_types import Float64s
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.gdl.library import library_names
from neurogame.inspect.attribution.unit_labels import units_of
from neurogame.learn.comparison import compare
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states

SEED = 90_000
STATES, FRESH = 8192, 2048
RIDGE = 1e-4


def fitted_to(network: RulesNetwork, goals: Evaluator, states: torch.Tensor) -> RulesNetwork:
    """Return a network with the readout that is closest to the log-odds of another evaluator.

    Args:
        network: what is copied.
        goals: the other evaluator.
        states: float ``[B, F]``.
    """
    network, layout = copy.deepcopy(network), network.layout
    odds = torch.logit(goals(states).double())
    if layout.sizes.opposed:
        odds = (odds[:, :1] - odds[:, 1:]) / 2
    mode = layout.mode_of(states)
    for number in range(layout.sizes.modes):
        rows = torch.nonzero(mode == number).view(-1)
        if not len(rows):
            continue
        embedding = network.embedding[int(layout.weights[number])]
        seen = layout.seen(states[rows], number)
        units = torch.relu(network.bias[number] + seen @ embedding).double()
        wanted = torch.zeros(len(rows), layout.sizes.outputs, dtype=torch.float64)
        turn = torch.from_numpy(layout.turn[number]).long()
        wanted[:, turn] = float(layout.sign[number]) * odds[rows, : layout.sizes.outputs]
        square = units.t() @ units + RIDGE * len(rows) * torch.eye(units.shape[1])
        network.readout[number] = torch.linalg.solve(square, units.t() @ wanted).t().float()
    return network


def correlation(game: Game, one: Evaluator, other: Evaluator, states: torch.Tensor) -> float:
    """Return the rank correlation of what two evaluators' choices follow, the mean over players."""
    values, others = (judged(game, evaluator, states) for evaluator in (one, other))
    return float(
        np.mean([spearman(mine, its) for mine, its in zip(values.T, others.T, strict=True)])
    )


def judged(game: Game, evaluator: Evaluator, states: torch.Tensor) -> Float64s:
    """Return values, of opposed roles their difference; ``[B, players]``, or ``[B, 1]``."""
    values: Float64s = evaluator(states).double().numpy()[:, game.players]
    # What floats can hardly tell apart is alike.
    return (values[:, :1] - values[:, 1:] if opposed(game) else values).round(6)


def run(game: Game, depth: int, matches: int) -> dict[str, Any]:
    """Return how a game's rules network does before learning."""
    started = time.process_time()
    goals = make_evaluator(game).requires_grad_(False)
    begun = fresh_rules_network(game, fitted(game)).requires_grad_(False)
    states, fresh = (
        sample_states(game.simulator(), count, SEED + number).to_bool().float()
        for number, count in enumerate((STATES, FRESH))
    )
    variants = {"as it begins": begun, "fitted": fitted_to(begun, goals, states)}
    units = units_of(begun, game)
    row: dict[str, Any] = {
        "game": game.name,
        "depth": depth,
        "rule units": sum(unit is not None for unit in units),
        "units": len(units),
        "values": len(np.unique(judged(game, goals, fresh)[:, 0])),
    }
    for name, network in variants.items():
        row[f"{name} correlation"] = correlation(game, network, goals, fresh)
        row[name] = compare(
            game,
            network,
            goals,
            matches=matches,
            seed=SEED,
            opening_plies=4,
            opening_nodes=0,
            margin=opposed(game),
            depth=depth,
        ).to_json()
    return row | {"processor seconds": time.process_time() - started}


def report(rows: list[dict[str, Any]]) -> None:
    """Print the table, a line for each game."""
    depths = sorted({row["depth"] for row in rows})
    variants = ("as it begins", "fitted")
    ahead = [f"{depth} {'ply' if depth == 1 else 'plies'}" for depth in depths]
    heads = [f"{variant}, {plies}" for plies in ahead for variant in variants]
    heads = ["game", "rule units", "values", "rank correlation, fitted", *heads]
    print(f"| {' | '.join(heads)} |\n" + "|---" * len(heads) + "|")
    for name in dict.fromkeys(row["game"] for row in rows):
        cells = {row["depth"]: row for row in rows if row["game"] == name}
        row = next(iter(cells.values()))
        line = [name, f"{row['rule units']} of {row['units']}", f"{row['values']:,}"]
        line.append(f"{row['fitted correlation']:.2f}")
        for depth in depths:
            line += [share([cells[depth]], v) if depth in cells else "" for v in variants]
        print(f"| {' | '.join(line)} |")


def main() -> None:
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=library_names())
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--depth", type=int, default=1, help="plies that both look ahead")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--report", action="store_true", help="only print the table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cells = Cells(options.out)
    for name in () if options.report else options.games:
        cell, game = f"{name}-{options.depth}", Game.load(name)
        if len(game.players) == 2 and not cells.has(cell):
            progress(f"{name}, {options.depth} plies")
            cells.put(cell, run(game, options.depth, options.matches))
    report(cells.all())


if __name__ == "__main__":
    main()
