"""What is known of connect four, among the weights of what was learned from its rules alone.

The first player wins by threats in odd rows, the second by threats in even rows (Allis, "A
knowledge-based approach of Connect-Four", 1988). Of the units that began as "at least 3 of 4" of a
line in one row, the table tells what one more stone of the line adds to the log-odds of the one who
has it: mean over these lines, a column for each file.

    python experiments/connectfour_facts.py runs/seed1/best.pt runs/seed2/best.pt ...
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

from neurogame.evaluators.rules_network.evaluator import as_rules_network
from neurogame.inspect.unit_rules import UnitsInMode
from neurogame.learn.checkpoints.checkpoint import load_checkpoint

_CELL = re.compile(r"\(cell (\d) (\d) (red|black)\)")
_LEAST = "at least 3 of 4"


def added(path: Path) -> dict[tuple[str, str, str], float]:
    """Return what a stone adds, by whose line, whose turn, and the row; mean over lines.

    Raises:
        ValueError: the file holds no rules network.
    """
    checkpoint = load_checkpoint(path)
    game = checkpoint.game()
    now, then = (
        as_rules_network(one)
        for one in (checkpoint.evaluator(game), checkpoint.initial_evaluator(game))
    )
    if now is None or then is None:
        raise ValueError(f"{path}: no rules network has been released there; train for longer")
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for mode in range(now.layout.sizes.modes):
        for row in UnitsInMode(now, then, game, mode).conditions():
            cells = _CELL.findall(row["label"])
            heights = {height for _, height, _ in cells}
            if row["least"] != _LEAST or len(heights) > 1:
                continue
            colour = cells[0][2]
            turn = "to move" if colour in row["when"] else "other to move"
            parity = "odd rows" if int(heights.pop()) % 2 else "even rows"
            found[colour, turn, parity].append(row["adds"] * (1 if colour == "red" else -1))
    return {key: float(np.mean(values)) for key, values in sorted(found.items())}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    columns = [added(path) for path in options.files]
    print("| lines of | turn | in | " + " | ".join(str(path) for path in options.files) + " |")
    print("|---" * (3 + len(columns)) + "|")
    for key in sorted(set().union(*columns)):
        told = " | ".join(f"{column.get(key, float('nan')):+.2f}" for column in columns)
        print(f"| {' | '.join(key)} | {told} |")


if __name__ == "__main__":
    main()
