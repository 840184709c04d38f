"""What the parts of the learner are worth: each variant against the recipe, after the same seconds.

    python experiments/learning_ablations.py --out runs/ablations --seconds 5 15 60 GAME...
    python experiments/learning_ablations.py --out runs/ablations --report

Both learn on one processor core from the same seed. At each number of seconds their averaged
weights play each other, two plies ahead, from openings of exactly four random plies in both roles.
50 % means: as good as the recipe. Intervals know that matches from one opening belong together;
each seed's own score stands beside, and of the variants that draw rule units to their conditions
how much of these units stands outside. A finished cell stays in the folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import Cells, pooled, progress
from snapshots import Snapshot, snapshots

from neurogame.arena.yardstick import Yardstick
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.rule_units import RuleUnit, rule_weights
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

GAMES = ("connectfour", "reversi6", "breakthrough6", "qubic")
RECIPE = "recipe"
FORMER = "some conditions at random thresholds"
"""How hidden units began before there were rule units."""
_FORMER_SHARE, _NOISE = 0.6, 0.03
VARIANTS: dict[str, dict[str, Any]] = {
    RECIPE: {},
    "patterns alone": {"network": {"hidden": 0, "lookups": 160}},
    "patterns of lines alone": {"network": {"hidden": 0, "lookups": 160, "line_share": 1.0}},
    "embeddings alone": {"network": {"lookups": 0}},
    "of one size": {"doublings": 0},
    "64 look-ups": {"network": {"lookups": 64}},
    "320 look-ups": {"network": {"lookups": 320}},
    "patterns of 5 at most": {"network": {"longest": 5}},
    "patterns of 12 at most": {"network": {"longest": 12}},
    "no look-ups of lines": {"network": {"line_share": 0.0}},
    "64 hidden units": {"network": {"hidden": 64}},
    **{f"a pull of {pull:g}": {"pull": pull} for pull in (5e-5, 1e-4, 2e-4, 4e-4, 8e-4)},
    "larger steps of tables": {"table_rate": 0.05},
    "smaller steps of tables": {"table_rate": 0.008},
    "without rules": {"network": {"rules": 0.0}},
    FORMER: {"network": {"rules": 0.0}},
    "half as many rules": {"network": {"rules": 0.45}},
    "half as many rules, twice the units": {"network": {"hidden": 256, "rules": 0.45}},
    "without features": {"network": {"features": 0.0}},
    "free units alone": {"network": {"rules": 0.0, "features": 0.0}},
    "without symmetries": {"network": {"symmetries": False}},
    "without modes": {"network": {"mode": False}},
    "no random starts": {"openings": 0},
    "up to 20 random plies first": {"openings": 20},
    "up to 24 random plies first, lambda 0.9": {"openings": 24, "lambda_": 0.9},
    "one setting for all games": {
        "step_size": 0.006,
        "epsilon": 0.05,
        "openings": 6,
        "lanes": 512,
    },
    "lambda 0": {"lambda_": 0.0},
    "lambda 0.4": {"lambda_": 0.4},
    "lambda 0.9": {"lambda_": 0.9},
    "lambda 1": {"lambda_": 1.0},
}
FRESH = 70_000


def learned(game: Game, variant: str, seed: int, marks: Sequence[float]) -> list[Snapshot]:
    """Return what a variant has learned after each number of seconds."""
    begin = begin_at_random if variant == FORMER else None
    return list(snapshots(game, VARIANTS[variant], seed, marks, begin=begin))


def begin_at_random(game: Game, evaluator: RulesNetwork, seed: int) -> None:
    """Let 60 % of the units begin as one condition of the goals each, from some fluents on."""
    structure, hidden = game.structure, evaluator.bias.shape[1]
    if not structure.conditions:
        return
    random = np.random.default_rng(seed)
    chosen = random.permutation(len(structure.conditions))
    held = [
        tuple(2 * fluent for fluent in structure.conditions[int(chosen[unit % len(chosen)])])
        for unit in range(int(_FORMER_SHARE * hidden))
    ]
    units = tuple(RuleUnit(literals=one, least=int(random.integers(1, len(one)))) for one in held)
    first, bias = evaluator.first_embedding.clone(), evaluator.first_bias.clone()
    weights, biases = map(torch.from_numpy, rule_weights(game, units))
    first[:, : len(units)] = weights + _NOISE * torch.from_numpy(
        random.standard_normal(weights.shape)
    )
    bias[: len(units)] = biases
    evaluator.begin(first, bias)


def outside_share(evaluator: RulesNetwork) -> float:
    """Return which share of a rule unit's squared weights its condition does not name; mean, 0..1.

    Args:
        evaluator: with rule units or not (0.0).
    """
    outside = evaluator.outside_weights()
    units = outside.any(axis=0)
    squares = (evaluator.embedding.detach().numpy() ** 2)[..., units]
    shares = (squares * outside[:, units]).sum(axis=1) / squares.sum(axis=1)
    return float(shares.mean()) if units.any() else 0.0


def _score(rows: list[dict[str, Any]]) -> str:
    """Return the pooled score of a cell's seeds, and what stands outside conditions."""
    text = pooled(rows, "result")
    if not rows[0]["variant"].startswith("a pull") or any("outside" not in row for row in rows):
        return text
    mine, recipe = (100 * sum(row["outside"][one] for row in rows) / len(rows) for one in (0, 1))
    return f"{text}; {mine:.0f} % outside (recipe {recipe:.0f})"


def report(cells: Cells) -> str:
    """Return the table of all finished cells."""
    runs: dict[tuple[str, float], dict[str, list[dict[str, Any]]]] = {}
    for one in cells.all():
        runs.setdefault((one["variant"], one["seconds"]), {}).setdefault(one["game"], []).append(
            one
        )
    games = list(dict.fromkeys(game for row in runs.values() for game in row))
    lines = ["| variant | seconds | " + " | ".join(games) + " |", "|---" * (len(games) + 2) + "|"]
    order = list(VARIANTS)
    for (variant, seconds), row in sorted(
        runs.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
    ):
        values = [_score(row[game]) if game in row else "" for game in games]
        lines.append(f"| {variant} | {seconds:g} | " + " | ".join(values) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument(
        "--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS), help="default: all"
    )
    parser.add_argument("--first-seed", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, nargs="+", default=[15.0], help="rising")
    parser.add_argument("--matches", type=int, default=134)
    parser.add_argument("--depth", type=int, default=2, help="plies that both look ahead")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="only print the table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    cells = Cells(options.out)
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for name in [] if options.report else options.games:
            cell = f"{name}-{{}}-{seed}-{options.seconds[-1]:g}"
            names = {variant: cell.format(variant.replace(" ", "-")) for variant in VARIANTS}
            missing = [
                one for one in options.variants if one != RECIPE and not cells.has(names[one])
            ]
            if not missing:
                continue
            game = Game.load(name)
            progress(names[RECIPE])
            recipe = learned(game, RECIPE, seed, options.seconds)
            yardstick = Yardstick(
                game=game,
                matches=options.matches,
                seed=FRESH + seed,
                limit=Limit(depth=options.depth),
            )
            for variant in missing:
                progress(names[variant])
                for mark, mine, other in zip(
                    options.seconds,
                    learned(game, variant, seed, options.seconds),
                    recipe,
                    strict=True,
                ):
                    last = mark == options.seconds[-1]
                    cells.put(
                        names[variant] if last else f"{names[variant]}-at-{mark:g}",
                        {
                            "game": name,
                            "variant": variant,
                            "seed": seed,
                            "seconds": mark,
                            "games": mine.games,
                            "games of the recipe": other.games,
                            "outside": [outside_share(one.evaluator) for one in (mine, other)],
                            "result": yardstick.measure(mine.evaluator, other.evaluator).to_json(),
                        },
                    )
    print(report(cells))


if __name__ == "__main__":
    main()
