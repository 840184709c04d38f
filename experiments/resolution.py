"""Soundness and resolution of goal networks: the paper's setting, equation (4), and log space.

For the network of the first role's best goal: how many different outputs it gives to random
boards in float32, whether every won state scores above every other, and how often its sign
disagrees with the rules::

    python experiments/resolution.py --game pentago --boards 20000 --stones 5
    neurogame reproduce michulke soundness

*Reference:* Michulke & Thielscher, section 3.2, "Practical Aspects of C-IL2P".
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from typing import Any

import numpy as np
import torch

from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.evaluators.proof_build import build_proof_graph
from neurogame.graph.evaluate import holds
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from neurogame.splitmix import seed_word

SETTINGS = {
    "W = 1 (paper)": EvaluatorConfig(kind="cilp-paper"),
    "W of eq. (4), plain": EvaluatorConfig(kind="cilp-paper", weight="eq4"),
    "W of eq. (4), log space, detail 0": EvaluatorConfig(kind="cilp", detail=0.0),
    "W of eq. (4), log space": EvaluatorConfig(kind="cilp"),
}


def random_boards(game: Game, count: int, stones: int, seed: int) -> torch.Tensor:
    """Return boards with random stones of the first role; bool ``[count, F]``.

    Its stones are the fluents that end with its name, of the relation that has most of these.
    """
    own = [i for i, f in enumerate(game.fluents) if f.endswith(f" {game.roles[0]})")]
    relations = Counter(game.fluents[i].split()[0] for i in own)
    relation = relations.most_common(1)[0][0]
    cells = [i for i in own if game.fluents[i].split()[0] == relation]
    rng = np.random.default_rng(seed_word(seed))
    boards = np.zeros((count, len(game.fluents)), np.bool_)
    for board in boards:
        board[rng.choice(cells, stones, replace=False)] = True
    return torch.from_numpy(boards)


def measure(game: Game, boards: torch.Tensor, stones: int, seed: int) -> dict[str, Any]:
    """Return the figures of each setting, and of the boards."""
    graph = build_proof_graph(game.circuit)
    best = next(i for i, g in enumerate(graph.goals) if (g.role, g.value) == (0, 100))
    dense = random_boards(game, 20_000, 3 * stones, seed + 1)
    reachable = sample_states(game.simulator(), 5000, seed).to_bool()
    everything = torch.cat([boards, dense, reachable])
    truth = torch.from_numpy(np.asarray(holds(graph.graph, everything.numpy())))[:, best]
    distinct = len(np.unique(boards.numpy(), axis=0))
    found: dict[str, Any] = {"boards": distinct, "won": int(truth.sum()), "states": len(truth)}
    for name, config in SETTINGS.items():
        evaluator = make_evaluator(game, config)
        assert isinstance(evaluator, GoalNetworks)
        with torch.no_grad():
            output = evaluator.networks(everything)[:, best]
            exact = evaluator.double().networks(boards.double())[:, best]
        won, rest = float(output[truth].min()), float(output[~truth].max())
        found[name] = {
            "values": len(np.unique(output[: len(boards)].numpy())),
            "exact values": len(np.unique(exact.numpy().round(11))),
            "lowest won": won,
            "highest not won": rest,
            "margin": won - rest,
            "wrong sign": int(((output > 0) != truth).sum()),
        }
    return found


def report(found: dict[str, Any]) -> str:
    """Return one line per setting."""
    lines = [
        f"{found['boards']} different boards; {found['won']} won among {found['states']} states",
        f"{'setting':36s} {'values':>7s} {'float64':>7s} {'min(won)':>10s} {'max(not)':>10s} "
        f"{'wrong sign':>10s}",
    ]
    for name in SETTINGS:
        own = found[name]
        lines.append(
            f"{name:36s} {own['values']:7d} {own['exact values']:7d} {own['lowest won']:10.4f} "
            f"{own['highest not won']:10.4f} {own['wrong sign']:10d}"
        )
    return "\n".join(lines)


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="pentago")
    parser.add_argument("--boards", type=int, default=20_000)
    parser.add_argument("--stones", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    torch.set_num_threads(1)
    game = Game.load(options.game)
    boards = random_boards(game, options.boards, options.stones, options.seed)
    found = measure(game, boards, options.stones, options.seed)
    print(json.dumps(found) if options.json else report(found))


if __name__ == "__main__":
    main()
