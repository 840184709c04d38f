"""Can the printed lines be trusted? How often they alone choose the move that the evaluator does.

    python experiments/printed_lines.py --out runs/lines checkpoints/connectfour.pt ...

In states of games of the evaluator with itself (one ply ahead, one move in five at random) each
move's state is told in the lines of `inspect --state`, amounts rounded to two digits. Their sum,
the last line `other` left out, stands for the value of the move; a game that is over counts its
goal, as it does for the evaluator. Asked are states with a choice in which the evaluator's best
move does not end the game. Equal sums share the choice evenly. Beside it as many single
contributions, the largest ones, of which none are told together.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import Cells, progress

from neurogame.arena.positions import played_positions
from neurogame.array_types import Float64s1, Float64s2
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.in_short import LINES, in_short
from neurogame.intervals import wilson_interval
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.simulate.game import Game, State

MATCHES, SEED, MOST = 60, 90_000, 100.0
COLUMNS = ("single", "chance", "lost", "other")


def choice(evaluator: Evaluator, state: State) -> tuple[Float64s2, list[float]] | None:
    """Return what each move is worth, and how much of each the last line holds.

    Args:
        evaluator: of the state's game.
        state: not terminal.

    Returns:
        By the whole, by the lines with names, and by the largest contributions, float64
        ``[3, K]``, log-odds; and shares, 0..1. None where nobody has a choice, or the best move
        ends the game.
    """
    role = max(range(len(state.legal_moves)), key=lambda one: len(state.legal_moves[one]))
    others = [moves[0] for moves in state.legal_moves]
    worths, shares, ends = [], list[float](), []
    for move in state.legal_moves[role]:
        after = state.next([*others[:role], move, *others[role + 1 :]])
        ends.append(after.is_terminal)
        if after.is_terminal:
            worths.append([MOST * ((after.goals[role] or 0) / 100 - 0.5)] * 3)
            continue
        found = attribute(evaluator, after, role)
        rows = in_short(found)
        untold = [row for row in rows if row["text"].startswith("other")]
        shares += [untold[0]["share"] if untold else 0.0]
        lines = [row["amount"] for row in rows if row not in untold]
        single = [one.amount for one in found.contributions[: LINES - 1]]
        sums = (sum(round(amount, 2) for amount in some) for some in (lines, single))
        worths.append([found.total, *sums])
    columns = np.array(worths).T
    alone = len(ends) < 2 or ends[int(columns[0].argmax())]
    return None if alone else (columns, shares)


def agreed(worths: Float64s1, chosen: Float64s1) -> float:
    """Return how likely what is best by one is best by the other, equals chosen evenly."""
    best = np.flatnonzero(chosen >= chosen.max() - 1e-9)
    return float((worths[best] >= worths.max() - 1e-9).mean())


def measured(game: Game, evaluator: Evaluator, count: int) -> dict[str, Any]:
    """Return the figures of a game."""
    played = played_positions(game, evaluator, matches=MATCHES, seed=SEED)
    order = np.random.default_rng(SEED).permutation(len(played)).tolist()
    held = played.states.to_bool()
    same, shares = list[list[float]](), list[float]()
    while order and len(same) < count:
        state = State(game, held[order.pop()])
        asked = choice(evaluator, state)
        if asked is None:
            continue
        (whole, lines, single), untold = asked
        values = 1 / (1 + np.exp(-whole))
        chance = float((whole >= whole.max() - 1e-9).mean())
        lost = float(values.max() - values[int(lines.argmax())])
        same.append([agreed(whole, lines), agreed(whole, single), chance, lost])
        shares += untold
    names = ("lines", "single", "chance", "lost")
    figures = dict(zip(names, np.array(same).mean(axis=0).tolist(), strict=True))
    return {"game": game.name, "states": len(same), "other": float(np.mean(shares)), **figures}


def told(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a table, and the mean of all games."""
    print("| game | states | same move by the lines | by as many single contributions ", end="")
    print("| at random | value lost by the lines | `other` |\n" + "|---" * 7 + "|")
    for row in rows:
        low, high = wilson_interval(row["lines"] * row["states"], row["states"])
        figures = " | ".join(f"{100 * row[name]:.1f}" for name in COLUMNS)
        share = f"{100 * row['lines']:.1f} [{100 * low:.0f}, {100 * high:.0f}]"
        print(f"| {row['game']} | {row['states']} | {share} | {figures} |")
    means = (float(np.mean([row[name] for row in rows])) for name in ("lines", *COLUMNS))
    print("| mean | | " + " | ".join(f"{100 * mean:.1f}" for mean in means) + " |")


def main() -> None:
    """Measure the games that are not measured yet, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoints", nargs="+", type=Path)
    parser.add_argument("--states", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cells = Cells(options.out)
    for path in options.checkpoints:
        checkpoint = load_checkpoint(path)
        game = checkpoint.game()
        if not cells.has(game.name):
            progress(game.name)
            cells.put(game.name, measured(game, checkpoint.evaluator(game), options.states))
    told(cells.all())


if __name__ == "__main__":
    main()
