"""Table 2, "Learning 1-ply": 500 consecutive matches of a learner against a fixed opponent.

Both sides look one ply ahead and the learner, in alternating roles, learns after every match.
The opponent is the same network before any learning (``untrained``) or the fixed fuzzy goal
evaluator. Every run can be interrupted and started again::

    python experiments/learning_one_ply.py --game pentago --runs 5 --out runs/one-ply
    python experiments/learning_one_ply.py --game qubic --runs 5 --out runs/one-ply
    python experiments/learning_one_ply.py --report --out runs/one-ply

*Reference:* Michulke & Thielscher, sections 4.1 and 4.2, Table 2 and figure 2.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from neurogame.evaluators.config import EvaluatorConfig
from neurogame.learn.config import TrainConfig
from neurogame.learn.opponent import make_opponent
from neurogame.learn.run_folder import ROUNDS, RunFolder
from neurogame.learn.train import Trainer
from neurogame.simulate.game import Game

PUBLISHED = {"pentago": 74.28, "qubic": 50.0}
LAST = 200
# Two deterministic players repeat themselves, so that a learner may win every match and know one
# line of play. How it fares from random openings says what it has learned beyond that.
OPENINGS = 400
STRENGTH = "strength.json"
PAIRS = 10


def _setting(kind: str, **learning: Any) -> dict[str, Any]:
    play = {"depth": 1, "concurrent": 1, "outlook": "own", "epsilon": 0.0, "random_plies": 0}
    quiet = {"updates": 1.0, "evaluate_every": 0, "checkpoint_every": 0}
    return {**play, **quiet, "evaluator": EvaluatorConfig(kind=kind, noise=0.01), **learning}


# The paper's rule: discounted outcomes, learned once from all selected states of each new match.
_PAPER: dict[str, Any] = {"target": "outcome", "buffer": 0, "batch": 1000}
_ADAM: dict[str, Any] = {**_PAPER, "optimiser": "adam", "learning_rate": 0.01}

# How a learner is set up. "paper": every number as printed (the p of equation 7 and the size of
# the weight noise are not printed); the others are this package's.
SETTINGS = {
    "paper": _setting(
        "cilp-paper", **_PAPER, optimiser="sgd", learning_rate=0.001, gradient_limit=0.0
    ),
    "adam": _setting("cilp-paper", **_ADAM),
    "adam-sound": _setting("cilp", **_ADAM),
    # A match that was won changes nothing.
    "until-won": _setting("cilp-paper", **_ADAM, winning_rate=0.0),
    # The same with up to four random plies at the start of every match: hardly any match repeats.
    "until-won-open": _setting("cilp-paper", **_ADAM, winning_rate=0.0, random_plies=4),
    "until-won-sound": _setting("cilp", **_ADAM, winning_rate=0.0),
    "td-replay-sound": _setting(
        "cilp",
        target="td",
        lambda_=0.95,
        learning_rate=0.01,
        buffer=10000,
        batch=128,
        updates=2.0,
    ),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """The matches of one run.

    Attributes:
        game: library name.
        setting: name in :data:`SETTINGS`.
        opponent: ``untrained`` or ``fuzzy``.
        seed: of the run.
        scores: goal of the learner in each match, 0..100, in order.
        distinct: number of different matches by their moves.
        strength: score of the final weights from random openings of up to four plies, and the
            ends of its 95 % interval, 0..100; NaN where it is not yet measured.
    """

    game: str
    setting: str
    opponent: str
    seed: int
    scores: list[float]
    distinct: int
    strength: tuple[float, float, float]


def play_run(game: Game, setting: str, opponent: str, seed: int, matches: int, out: Path) -> None:
    """Play one run, or what is missing of it."""
    config = TrainConfig(opponent=opponent, seed=seed, matches=matches, **SETTINGS[setting])
    folder = RunFolder(out / f"{game.name}-{setting}-{opponent}-{seed}")
    if folder.latest.exists():
        trainer = Trainer(game, config, folder, resumed=folder.resume())
    else:
        names = {"rules": game.name, "setting": setting}
        folder.create({**names, **config.to_json()})
        trainer = Trainer(game, config, folder)
    trainer.run()
    rival = make_opponent(game, config, trainer.initial).evaluator
    strength = trainer.measure(rival, OPENINGS)
    (folder.path / STRENGTH).write_text(json.dumps(strength.to_json()))


def read_run(path: Path) -> Run | None:
    """Return the matches recorded in a run's folder, or None if it is not one."""
    if not (path / ROUNDS).exists():
        return None
    config = json.loads((path / "config.json").read_text())
    rows = [json.loads(line) for line in (path / ROUNDS).read_text().splitlines()]
    roles = len(rows[0]["mean_goals"]) if rows else 1
    # Match number m, counted from 0, has the learner in role m modulo the number of roles.
    scores = [100 * row["mean_goals"][(row["matches"] - 1) % roles] for row in rows]
    return Run(
        game=config["rules"],
        setting=config["setting"],
        opponent=config["opponent"],
        seed=config["seed"],
        scores=scores,
        distinct=len({row["moves_digest"] for row in rows}),
        strength=_strength(path / STRENGTH),
    )


def _strength(path: Path) -> tuple[float, float, float]:
    if not path.exists():
        return (float("nan"),) * 3
    data = json.loads(path.read_text())
    return 100 * data["score"], 100 * data["low"], 100 * data["high"]


def interval(scores: list[float]) -> tuple[float, float]:
    """Return the mean and the half width of its 95 % interval, matches taken as independent."""
    values = np.array(scores)
    spread = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(values.mean()), float(1.96 * spread)


def run_interval(means: list[float]) -> tuple[float, float]:
    """Return the mean over runs and the half width of its 95 % interval (Student's t)."""
    quantiles = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}
    values = np.array(means)
    spread = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(values.mean()), float(quantiles.get(len(values), 1.96) * spread)


def moving(scores: list[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return minimum, mean and maximum over the last pairs of matches; ``[3, P]``.

    A pair is two consecutive matches with roles swapped; there are ``PAIRS`` of them per point.
    """
    pairs = np.array(scores[: len(scores) // 2 * 2]).reshape(-1, 2).mean(axis=1)
    if len(pairs) < PAIRS:
        return np.empty((3, 0))
    windows = np.lib.stride_tricks.sliding_window_view(pairs, PAIRS)
    return np.stack([windows.min(axis=1), windows.mean(axis=1), windows.max(axis=1)])


def report(out: Path) -> str:
    """Return all runs as Markdown, and draw figure 2 for each group where matplotlib is there."""
    runs = [run for path in sorted(out.iterdir()) if (run := read_run(path)) and run.scores]
    lines = [
        f"Mean score of the learner, 0..100; 95 % intervals; last {LAST} matches of each run.",
        "",
        "| game | setting | opponent | seed | matches | all | last | best 20 | distinct "
        "| from random openings |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.game, run.setting, run.opponent), []).append(run)
        whole, last = interval(run.scores), interval(run.scores[-LAST:])
        best = moving(run.scores)[1]
        lines.append(
            f"| {run.game} | {run.setting} | {run.opponent} | {run.seed} | {len(run.scores)} "
            f"| {whole[0]:.1f} ± {whole[1]:.1f} | {last[0]:.1f} ± {last[1]:.1f} "
            f"| {best.max() if best.size else float('nan'):.0f} | {run.distinct} "
            "| {:.1f} [{:.1f}, {:.1f}] |".format(*run.strength)
        )
    lines += ["", "| game | setting | opponent | runs | mean of last | worst run | published |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for (game, setting, opponent), members in groups.items():
        means = [float(np.mean(run.scores[-LAST:])) for run in members]
        mean, half = run_interval(means)
        lines.append(
            f"| {game} | {setting} | {opponent} | {len(members)} | {mean:.1f} ± {half:.1f} "
            f"| {min(means):.1f} | {PUBLISHED.get(game, float('nan'))} |"
        )
        draw(members, out / f"figure2-{game}-{setting}-{opponent}.png")
    return "\n".join(lines) + "\n"


def draw(runs: list[Run], path: Path) -> None:
    """Draw the moving minimum, mean and maximum of each run, as in figure 2."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(len(runs), 1, figsize=(8, 2.2 * len(runs)), squeeze=False)
    for axis, run in zip(axes[:, 0], runs, strict=True):
        low, mean, high = moving(run.scores)
        x = 2 * (np.arange(len(mean)) + PAIRS)
        axis.fill_between(x, low, high, alpha=0.2, step="mid")
        axis.plot(x, mean)
        axis.axhline(50, color="grey", linewidth=0.5)
        axis.set(ylim=(-3, 103), ylabel=f"seed {run.seed}")
    axes[0, 0].set_title(f"{runs[0].game}, {runs[0].setting} against {runs[0].opponent}")
    axes[-1, 0].set_xlabel(f"matches (minimum, mean, maximum of the last {PAIRS} pairs)")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def main() -> None:
    """Run the experiment from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="pentago", help="library name or path")
    parser.add_argument("--setting", default="until-won", choices=SETTINGS)
    parser.add_argument("--opponent", default="untrained", choices=["untrained", "fuzzy"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--out", type=Path, default=Path("runs/one-ply"))
    parser.add_argument("--report", action="store_true", help="only write the report")
    options = parser.parse_args()
    # One thread: small matrices, and the same sums in the same order on every machine.
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.report:
        game = Game.load(options.game)
        for seed in range(options.first_seed, options.first_seed + options.runs):
            play_run(game, options.setting, options.opponent, seed, options.matches, options.out)
    text = report(options.out)
    (options.out / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
