"""How soon a legal move can be proved, and how fast a game is played without a circuit.

python -m benchmarks.prover ../shared/games            # a table of the slowest, and medians

CPU seconds of one process, nothing cached: reading the rules, the first legal move of every role,
and all legal moves of the first state; then plies per second of random play, by the prover and by
the reference interpreter.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import final

from tqdm import tqdm

from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules
from neurogame.prover.game import ProverGame
from tests.reference.interpreter import ReferenceGame

PATIENCE = 10.0
"""Seconds that anything may take for one game."""


@final
@dataclass(frozen=True, kw_only=True)
class Measured:
    """One rulesheet.

    Attributes:
        name: of the file.
        read: seconds of reading.
        first: seconds until every role has a legal move, after that.
        all: seconds until all legal moves are known, after that.
        plies: plies per second of random play, by the prover.
        reference: the same by the reference interpreter; 0 if no ply was finished in time.
    """

    name: str
    read: float
    first: float
    all: float
    plies: float
    reference: float


def played(rules: Rules, kind: type[ProverGame] | type[ReferenceGame], seconds: float) -> float:
    """Return plies per second of random games, 0 if not one ply is finished in time."""
    chance, plies, began = random.Random(1), 0, time.process_time()

    def stop(number: int, frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        game = kind(rules)
        state = game.initial()
        while time.process_time() - began < seconds:
            roles = range(len(game.roles))
            legal = [sorted(game.legal(state, role), key=game.text) for role in roles]
            if game.terminal(state) or not all(legal):
                # What a game comes to is asked once; beginning anew is no ply.
                for role in roles:
                    game.goals(state, role)
                state = game.initial()
                continue
            state = game.next(state, [chance.choice(own) for own in legal])
            plies += 1
    except TimeoutError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return plies / (time.process_time() - began)


def measure(path: Path, seconds: float) -> Measured:
    """Measure one rulesheet."""
    marks = [time.process_time()]
    rules = parse_rules(path.read_text(encoding="utf-8"), path.name)
    marks.append(time.process_time())
    game = ProverGame(rules)
    state, roles = game.initial(), range(len(game.roles))
    for role in roles:
        next(game.legal_moves(state, role), None)
    marks.append(time.process_time())
    for role in roles:
        game.legal(state, role)
    marks.append(time.process_time())
    return Measured(
        name=path.stem,
        read=marks[1] - marks[0],
        first=marks[2] - marks[1],
        all=marks[3] - marks[2],
        plies=played(rules, ProverGame, seconds),
        reference=played(rules, ReferenceGame, seconds),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=0.3, help="of random play per engine")
    parser.add_argument("--rows", type=int, default=10)
    options = parser.parse_args()
    paths = sorted(options.folder.glob("*.kif"))
    found = [measure(path, options.seconds) for path in tqdm(paths, desc="rulesheets")]
    print("| rulesheet | read s | first legal s | all legal s | prover plies/s | reference |")
    print("|---|--:|--:|--:|--:|--:|")
    for own in sorted(found, key=lambda own: -own.first)[: options.rows]:
        print(
            f"| {own.name} | {own.read:.3f} | {own.first:.3f} | {own.all:.3f} | {own.plies:.0f} | "
            f"{own.reference:.0f} |"
        )
    first = statistics.median(own.first for own in found)
    ratios = [own.plies / own.reference for own in found if own.reference]
    print(
        f"\n{len(found)} rulesheets: median first {first:.4f} s, "
        f"most {max(o.read + o.first for o in found):.3f} s with reading; prover by reference: "
        f"median {statistics.median(ratios):.1f} times, least {min(ratios):.2f}, most "
        f"{max(ratios):.0f}; slower in {sum(own < 1 for own in ratios)}; the reference finished no "
        f"ply in {PATIENCE:g} s of {len(found) - len(ratios)}"
    )


if __name__ == "__main__":
    main()
