"""What learning changed in connect four: which squares and patterns it raised, over several seeds.

Give the checkpoints of runs that differ in their seed alone::

    for s in 1 2 3 4 5; do
      neurogame train connectfour --seconds 20 --seed $s --no-strength --out runs/seed$s
    done
    python experiments/what_learning_changed.py runs/seed?/latest.pt

Two known facts are looked for: the centre columns are worth more, and a threat (three in a line
whose fourth square is empty and cannot be filled yet) helps the first player more in odd rows, the
second one more in even rows (Allis, "A knowledge-based approach of Connect-Four", 1988).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import product

import numpy as np
import torch
from fluent_weights import fluent_weights
from oscillating import oscillating_fluents, oscillating_weights
from pruning import prune_curve
from tqdm import tqdm

from neurogame.arena.positions import PlayedPositions, played_positions, values_of
from neurogame.arena.reliability import log_odds
from neurogame.array_types import Float64s1, Float64s2, Int64s1, Int64s2
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.inspect.change.agreement import agreement
from neurogame.inspect.change.fluent_effects import FluentEffects, fluent_effects
from neurogame.inspect.change.move_changes import move_changes
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.simulate.game import Game

COLOURS = ("red", "black")


def row(what: str, numbers: Sequence[float]) -> dict[str, object]:
    """Return a row of a table: mean, standard deviation and agreement over runs."""
    found = agreement(np.array(numbers))
    return {
        "what": what,
        "mean": f"{found.mean:+.3f}",
        "sd": f"{found.deviation:.3f}",
        "same sign": f"{round(found.same_sign * found.runs)}/{found.runs}",
        "runs": " ".join(f"{number:+.3f}" for number in numbers),
    }


def stone(game: Game, column: int, height: int, colour: str) -> int:
    """Return the fluent of a stone."""
    return game.fluent_index(f"(cell {column} {height} {colour})")


def columns(game: Game, amounts: Float64s1, counts: Float64s1) -> list[float]:
    """Return what a stone is worth to its owner by column, weighted by how often it is there."""
    found = []
    for column in range(1, 8):
        total = weight = 0.0
        for height, (sign, colour) in product(range(1, 7), zip((1, -1), COLOURS, strict=True)):
            fluent = stone(game, column, height, colour)
            total += sign * float(amounts[fluent]) * float(counts[fluent])
            weight += float(counts[fluent])
        found.append(total / weight)
    return found


def lines() -> list[list[tuple[int, int]]]:
    """Return the 69 lines of four squares."""
    found = []
    for column, height, (right, up) in product(
        range(1, 8), range(1, 7), ((1, 0), (0, 1), (1, 1), (1, -1))
    ):
        line = [(column + k * right, height + k * up) for k in range(4)]
        if all(1 <= c <= 7 and 1 <= h <= 6 for c, h in line):
            found.append(line)
    return found


def threats(game: Game, played: PlayedPositions) -> Int64s2:
    """Return per position and colour where its only threat is, ``[N, 2]``.

    The row of the empty square if the colour has threats in one square alone and the other colour
    has none; 0 otherwise. Squares that can be filled at once do not count as threats: a position
    in which there is such a one is left out.
    """
    held = played.states.to_bool().numpy()
    board = np.zeros((len(held), 8, 8), np.int64)
    for number, colour in enumerate(COLOURS, 1):
        for column, height in product(range(1, 8), range(1, 7)):
            board[:, column, height] += number * held[:, stone(game, column, height, colour)]
    board[:, :, 0] = 3
    place = np.zeros((len(held), 2, 8, 8), np.bool_)
    for line in lines():
        for empty in line:
            free = board[:, empty[0], empty[1]] == 0
            for number in (1, 2):
                full = [board[:, c, h] == number for c, h in line if (c, h) != empty]
                place[:, number - 1, empty[0], empty[1]] |= free & np.all(full, axis=0)
    playable = (board == 0) & (np.roll(board, 1, axis=2) != 0)
    at_once = (place & playable[:, None]).any(axis=(1, 2, 3))
    count = place.sum(axis=(2, 3))
    heights = (place * np.arange(8)).sum(axis=(2, 3))
    single = (count == 1) & (count[:, ::-1] == 0) & ~at_once[:, None]
    return np.where(single, heights, 0).astype(np.int64)


def line_patterns(game: Game, evaluator: RulesNetwork) -> dict[str, float]:
    """Return the mean weight of table rows by the stones in a line, for whoever is to move."""
    layout = evaluator.layout
    addends = layout.addends().astype(np.int64)
    reads = addends > 0
    # In the perspective of the first role to move.
    number = int(np.flatnonzero(layout.mode_fluent == game.fluent_index("(control red)"))[0])
    weights, sign = int(layout.weights[number]), float(layout.sign[number])
    table = sign * evaluator.tables.detach()[weights, 0].double().numpy()
    sums: dict[str, list[float]] = {}
    for line in lines():
        own = np.array([[stone(game, c, h, colour) for c, h in line] for colour in COLOURS])
        seen = layout.seen_as[number][own]
        whole = reads[seen].all(axis=(0, 1))
        for lookup in np.flatnonzero(whole & (reads.sum(axis=0) == seen.size)).tolist():
            for marks in product(range(3), repeat=4):
                mine, theirs = marks.count(1), marks.count(2)
                at = int(layout.first[lookup]) + sum(
                    int(addends[seen[mark - 1, place], lookup])
                    for place, mark in enumerate(marks)
                    if mark
                )
                sums.setdefault(f"{mine} own, {theirs} other", []).append(float(table[at]))
    return {name: float(np.mean(values)) for name, values in sums.items()}


def parity(values: Float64s2, at: Int64s2, colour: int) -> float:
    """Return how much better a threat in odd rows is for its owner than one in even rows."""
    own, heights = values[:, colour], at[:, colour]
    odd, even = (own[(heights > 0) & (heights % 2 == bit)] for bit in (1, 0))
    return float(odd.mean() - even.mean())


def report(
    game: Game, current: Sequence[Evaluator], initial: Sequence[Evaluator], matches: int
) -> dict[str, list[dict[str, object]]]:
    """Return the tables."""
    played = played_positions(game, current[0], matches=matches, seed=7, epsilon=0.25)
    some = played.drawn(2000, 7)
    effects = [fluent_effects(game, one, some.states) for one in tqdm(current, desc="effects")]
    amounts = np.stack([one.amounts[:, 0] for one in effects])
    counts = effects[0].states.astype(np.float64)
    by_column = np.array([columns(game, one, counts) for one in amounts])
    weights = [fluent_weights(one, some.states) for one in current if isinstance(one, RulesNetwork)]
    weight_columns = np.array([columns(game, one, counts) for one in weights])
    found: dict[str, list[dict[str, object]]] = {
        "a stone, by column: effect on its owner's log-odds": [
            row(f"column {c}", by_column[:, c - 1].tolist()) for c in range(1, 8)
        ],
        "a stone, by column: weights that read it": [
            row(f"column {c}", weight_columns[:, c - 1].tolist()) for c in range(1, 8)
        ],
    }
    found["centre"] = [
        row("effect, column 4 less columns 1 and 7", _centre(by_column)),
        row("weights, column 4 less columns 1 and 7", _centre(weight_columns)),
    ]
    at = threats(game, played)
    values = [values_of(one, played.states) for one in current]
    facts = []
    for colour, name in enumerate(COLOURS):
        facts.append(
            row(
                f"{name}: value with an odd threat less with an even one",
                [parity(one, at, colour) for one in values],
            )
        )
        facts.append(
            row(f"{name}: the same of the outcomes", [parity(played.outcomes, at, colour)])
        )
        here = at[:, colour]
        number = [int(((here > 0) & (here % 2 == bit)).sum()) for bit in (1, 0)]
        facts[-1]["runs"] = f"{number[0]} odd, {number[1]} even positions"
    found["threats"] = facts
    patterns = [line_patterns(game, one) for one in current if isinstance(one, RulesNetwork)]
    found["lines of four: mean table weight for who is to move"] = [
        row(name, [one[name] for one in patterns])
        for name in sorted(patterns[0])
        if all(name in one for one in patterns)
    ]
    control = game.fluent_index("(control red)")
    usual = [float(np.abs(one[counts > 0]).mean()) for one in amounts]
    found["control"] = [
        row("effect of (control red)", amounts[:, control].tolist()),
        row("mean absolute effect of all fluents", usual),
    ]
    found["moves"] = _moves(game, current, initial, some)
    found["fluents that change at every ply"] = _oscillating(
        game, current[0], initial[0], effects[0], oscillating_fluents(game, played)
    )
    found["pruning"] = _pruning(game, current, initial, some)
    return found


def _centre(by_column: Float64s2) -> list[float]:
    middle: Float64s1 = by_column[:, 3] - by_column[:, [0, 6]].mean(axis=1)
    return [float(one) for one in middle]


def _moves(
    game: Game, current: Sequence[Evaluator], initial: Sequence[Evaluator], some: PlayedPositions
) -> list[dict[str, object]]:
    """Return how often best moves differ from the initial weights' and from the first run's."""
    first = [move_changes(game, a, b, some.states) for a, b in zip(current, initial, strict=True)]
    other = [move_changes(game, current[0], one, some.states) for one in current[1:]]
    found = [
        row("best move differs from the initial weights', ties drawn", [m.drawn for m in first])
    ]
    if other:
        found.append(row("best move differs from the first run's", [m.share for m in other]))
    odds = [log_odds(values_of(one, some.states))[:, 0] for one in current]
    if other:
        alike = [float(np.corrcoef(odds[0], one)[0, 1]) for one in odds[1:]]
        found.append(row("correlation of log-odds with the first run's", alike))
    return found


def _oscillating(
    game: Game, current: Evaluator, initial: Evaluator, effects: FluentEffects, fluents: Int64s1
) -> list[dict[str, object]]:
    """Return how much fluents such as whose turn it is matter to the first run."""
    return [
        {
            "fluent": one.fluent,
            "effect": f"{one.effect:+.3f}",
            "usual": f"{one.usual:.3f}",
            "weights": one.weights,
            "before": f"{one.initial:.3f}",
            "now": f"{one.current:.3f}",
        }
        for one in oscillating_weights(game, current, initial, effects, fluents)
    ]


def _pruning(
    game: Game, current: Sequence[Evaluator], initial: Sequence[Evaluator], some: PlayedPositions
) -> list[dict[str, object]]:
    """Return what it costs to take back the least useful changes of the first run."""
    curve = prune_curve(
        game, current[0], initial[0], some, (0.0, 0.25, 0.5, 0.75, 0.9, 0.97), matches=200, seed=7
    )
    return [
        {
            "taken back": f"{100 * one.share:.0f} %",
            "left": one.kept,
            "value change": f"{one.moved:.4f}",
            "Brier": f"{one.brier:.4f}",
            "value change, random": f"{one.random_moved:.4f}",
            "Brier, random": f"{one.random_brier:.4f}",
            "against the whole": "" if one.strength is None else one.strength.text(),
        }
        for one in curve
    ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("checkpoints", nargs="+", metavar="CHECKPOINT")
    parser.add_argument("--matches", type=int, default=1500)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    files = [load_checkpoint(path) for path in options.checkpoints]
    game = files[0].game()
    current = [one.evaluator(game) for one in files]
    initial = [one.initial_evaluator(game) for one in files]
    found = report(game, current, initial, options.matches)
    if options.json:
        print(json.dumps(found))
        return
    for title, rows in found.items():
        if not rows:
            continue
        print(f"\n{title}\n\n| " + " | ".join(rows[0]) + " |\n" + "|---" * len(rows[0]) + "|")
        for one in rows:
            print("| " + " | ".join(str(value) for value in one.values()) + " |")


if __name__ == "__main__":
    main()
