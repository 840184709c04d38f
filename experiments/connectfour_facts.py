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
from neurogame.inspect.attribution.unit_labels import labels_in_mode, units_of
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
    network = as_rules_network(checkpoint.evaluator(game))
    if network is None:
        raise ValueError(f"{path}: no rules network has been released there; train for longer")
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    layout = network.layout
    for mode in range(layout.sizes.modes):
        read = network.readout[mode, int(layout.turn[mode][0])].detach().numpy()
        weights = network.embedding[int(layout.weights[mode])].detach().numpy()
        turn = game.fluents[layout.mode_fluent[mode]]
        labels, _ = labels_in_mode(network, game, mode)
        for number, (unit, label) in enumerate(zip(units_of(network, game), labels, strict=True)):
            cells = _CELL.findall(label.label)
            rows = {row for _, row, _ in cells}
            if unit is None or len(rows) > 1 or not label.label.endswith(_LEAST):
                continue
            colour = cells[0][2]
            sign = float(layout.sign[mode]) * (1 if colour == "red" else -1)
            adds = sign * read[number] * weights[list(unit.held), number].mean()
            row = "odd rows" if int(rows.pop()) % 2 else "even rows"
            found[colour, "to move" if colour in turn else "other to move", row].append(adds)
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
