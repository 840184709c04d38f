"""Candidates for features of all rulesheets, and of scrambled copies: the same, and how soon?

For each rulesheet of the given folders: the processor time that the structure, the candidates and
the evidence of some random games take, and whether a scrambled copy has the same candidates. Games
that are finished are kept in the folder of the results, so that a stopped run goes on::

    python experiments/feature_tables.py games ../shared/games --out runs/feature_tables

Two tables are the same if each candidate of one has a partner in the other, of the same kind and up
to its sign, with the same value in the same states of random play and the same weights of moves and
goals, all under the names of the copy.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cells import Cells
from tqdm import tqdm

from neurogame.array_types import Int64s
from neurogame.errors import NeurogameError
from neurogame.features.candidates import find_candidates
from neurogame.features.evidence import find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import Feature
from neurogame.gdl.library import load_rules
from neurogame.gdl.renaming import renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.simulate.game import Game

_STATES = 128


def fingerprints(
    features: Sequence[Feature], states: torch.Tensor, fluent: Int64s, move: Int64s
) -> Counter[tuple[str, bytes]]:
    """Return what each feature says, whatever things are called.

    Args:
        features: of a game.
        states: bool ``[S, F]``, of the game under its own numbers.
        fluent: the number of each fluent under which it is compared; int64 ``[F]``.
        move: the same of moves; int64 ``[M]``.
    """
    held = states.numpy().astype(np.float64)
    found: Counter[tuple[str, bytes]] = Counter()
    for own in features:
        values = held @ own.fluents
        if own.lookups is not None:
            for first, column in zip(
                own.lookups.first, own.lookups.columns(held.shape[1]), strict=True
            ):
                values += own.lookups.values[(held @ column).astype(np.int64) + first]
        fluents, moves = np.zeros(held.shape[1]), np.zeros(len(move))
        fluents[fluent], moves[move] = own.fluents, own.moves
        row = np.round(np.concatenate([values, fluents, moves, own.goals]), 3) + 0.0
        some = np.flatnonzero(row)
        if len(some) and row[some[0]] < 0:
            row = -row + 0.0
        found[own.kind.value, row.tobytes()] += 1
    return found


def compare(path: Path, games: int, seconds: float, seed: int) -> dict[str, Any]:
    """Return times and differences of one rulesheet."""
    rules = load_rules(path)
    game = Game.from_rules(rules, path.stem)
    marks = [time.process_time()]
    _ = game.relations, game.structure
    marks.append(time.process_time())
    features = find_candidates(game)
    marks.append(time.process_time())
    played = 0
    if features and games:
        try:
            config = EvidenceConfig(games=games, seconds=seconds)
            played = find_evidence(game, config, seed=seed).games
        except NeurogameError:
            played = -1
    marks.append(time.process_time())
    renamed = scramble(rules, seed + 1)
    other = Game.from_rules(renamed.rules, path.stem)
    names = renamed.to_scrambled
    fluent = _places(game.circuit.fluents, other.circuit.fluents, names)
    pairs = zip(game.circuit.moves, other.circuit.moves, strict=True)
    offsets = game.circuit.move_offsets
    move = np.concatenate(
        [offsets[r] + _places(own, its, names) for r, (own, its) in enumerate(pairs)]
    )
    states = torch.from_numpy(game.relations.sample[:_STATES])
    here = fingerprints(features, states, fluent, move)
    moved = torch.zeros_like(states)
    moved[:, torch.from_numpy(fluent)] = states
    its = find_candidates(other)
    there = fingerprints(its, moved, np.arange(len(fluent)), np.arange(len(move)))
    kinds = Counter(kind for kind, _ in ((here - there) + (there - here)).elements())
    structure, candidates, evidence = np.diff(marks).round(3).tolist()
    return {
        "game": str(path),
        "features": len(features),
        "scrambled": len(its),
        "differ": dict(kinds),
        "structure": structure,
        "candidates": candidates,
        "evidence": evidence,
        "games": played,
    }


def _places(own: Sequence[str], its: Sequence[str], names: Any) -> Int64s:
    index = {text.lower(): number for number, text in enumerate(its)}
    return np.array([index[renamed_text(text, names).lower()] for text in own], np.int64)


def summary(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of the table."""
    good = [row for row in rows if "error" not in row]
    lines = [f"{len(good)} rulesheets, {len(rows) - len(good)} failed"]
    for row in rows:
        if row.get("error") or row.get("differ") or row.get("games") == -1:
            reason = row.get("error") or row["differ"] or "no random game ended"
            lines.append(f"    {row['game']}: {reason}")
    for name in ("structure", "candidates", "evidence"):
        median, high = np.percentile([row[name] for row in good], [50, 95])
        lines.append(f"{name:12s} median {median:6.2f} s, 95 % within {high:6.2f} s")
    both = [row["candidates"] + row["evidence"] for row in good]
    median, high = np.percentile(both, [50, 95])
    lines.append(f"{'last two':12s} median {median:6.2f} s, 95 % within {high:6.2f} s")
    lines.append(f"{sum(not row['differ'] for row in good)} have the same candidates scrambled")
    lines.append(f"{sum(row['features'] == 0 for row in good)} have no candidates")
    return lines


def main() -> int:
    """Compare the rulesheets of folders; return 1 if some differ or fail."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="folders of rulesheets (*.kif)")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument(
        "--games", type=int, default=1024, help="random games of the evidence, 0: none"
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="most seconds of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stop", type=float, default=np.inf, help="begin none after so many s")
    options = parser.parse_args()
    cells, began = Cells(options.out), time.monotonic()
    paths = [path for folder in options.folders for path in folder.glob("*.kif")]
    # Small ones first: they say most in little time.
    paths.sort(key=lambda path: (path.stat().st_size, str(path)))
    for path in tqdm(paths, desc="rulesheets"):
        cell = f"{path.parent.resolve().parent.name}-{path.stem}"
        if cells.has(cell) or time.monotonic() - began > options.stop:
            continue
        try:
            row = compare(path, options.games, options.seconds, options.seed)
        except NeurogameError as error:
            row = {"game": str(path), "error": str(error)}
        cells.put(cell, row)
    rows = cells.all()
    print("\n".join(summary(rows)))
    return int(any(row.get("error") or row.get("differ") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
