"""Seconds and memory from a rulesheet to its circuit, stage by stage, of one checkout or of two.

    python -m benchmarks.grounding ../shared/games                       # this checkout
    python -m benchmarks.grounding ../shared/games --beside ../before    # by turns with another one

Each rulesheet is grounded by ``neurogame ground --json`` in a process of its own, nothing cached,
one checkout after the other. Of a checkout whose command tells no stages there are sums alone.
Memory is the peak of the process in MiB, Python and imports included (about 38).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import final

from tqdm import tqdm

PATIENCE = 300.0
"""Seconds that a rulesheet may take."""
_HERE = Path(__file__).resolve().parent.parent


@final
@dataclass(frozen=True, kw_only=True)
class Grounded:
    """What one rulesheet took.

    Attributes:
        seconds: of wall-clock time, all stages together.
        memory: peak; MiB.
        size: fluents, moves, rules and edges.
        stages: name -> CPU seconds; empty if the command tells none.
    """

    seconds: float
    memory: float
    size: tuple[int, int, int, int]
    stages: dict[str, float]


def grounded(checkout: Path, rules: Path) -> Grounded | None:
    """Ground a rulesheet with a checkout; None if that fails or takes too long."""
    try:
        found = subprocess.run(
            [sys.executable, "-m", "neurogame", "ground", str(rules), "--json"],
            # What is in the current folder would be imported first.
            cwd=checkout,
            env=os.environ | {"PYTHONPATH": str(checkout), "NEUROGAME_CACHE": ""},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    told = json.loads(found.stdout.splitlines()[-1])
    return Grounded(
        seconds=told["seconds"],
        memory=told["peak_mb"],
        size=(told["fluents"], told["moves"], told["rules"], told["edges"]),
        stages={stage["name"]: stage["cpu_seconds"] for stage in told.get("stages", [])},
    )


def summary(name: str, found: list[Grounded]) -> str:
    """Return a line about all rulesheets and one about the heaviest tenth."""
    lines = []
    heaviest = sorted(found, key=lambda own: -own.seconds)[: max(len(found) // 10, 1)]
    for what, some in (("all", found), ("the slowest tenth", heaviest)):
        lines.append(
            f"{name}, {what} {len(some)}: {sum(own.seconds for own in some):.1f} s, median "
            f"{statistics.median(own.seconds for own in some):.2f}, most "
            f"{max(own.seconds for own in some):.1f}; memory median "
            f"{statistics.median(own.memory for own in some):.0f} MiB, most "
            f"{max(own.memory for own in some):.0f}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="of rulesheets")
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT", help="another checkout")
    parser.add_argument("--rows", type=int, default=14, help="slowest rulesheets to print (14)")
    parser.add_argument("--out", type=Path, help="a file for all numbers, JSON")
    options = parser.parse_args()
    checkouts = {"now": _HERE}
    if options.beside:
        checkouts = {"before": options.beside.resolve(), **checkouts}
    sheets = sorted(options.folder.resolve().glob("*.kif"))
    found: dict[str, dict[str, Grounded | None]] = {}
    for sheet in tqdm(sheets, unit="sheet"):
        found[sheet.stem] = {name: grounded(own, sheet) for name, own in checkouts.items()}
    if options.out:
        told = {
            sheet: {name: own and vars(own) for name, own in both.items()}
            for sheet, both in found.items()
        }
        options.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    for name in checkouts:
        measured = (both[name] for both in found.values())
        print(summary(name, [own for own in measured if own is not None]))
    print("| rulesheet | " + " | ".join(f"{name} s | MiB" for name in checkouts) + " | stages |")
    print("|---|" + "--:|--:|" * len(checkouts) + "---|")

    def slowest(sheet: str) -> float:
        return max((own.seconds for own in found[sheet].values() if own), default=PATIENCE)

    for sheet in sorted(found, key=slowest, reverse=True)[: options.rows]:
        cells = [
            f"{own.seconds:.1f} | {own.memory:.0f}" if own else "failed |"
            for own in found[sheet].values()
        ]
        now = found[sheet]["now"]
        stages = (
            [f"{name} {cpu:.1f}" for name, cpu in now.stages.items() if cpu >= 0.05] if now else []
        )
        print(f"| {sheet} | " + " | ".join(cells) + f" | {', '.join(stages)} |")
    if options.beside:
        different = [
            sheet
            for sheet, both in found.items()
            if len({own.size[:2] if own else None for own in both.values()}) > 1
        ]
        print(f"other numbers of fluents or moves: {', '.join(different) or 'none'}")


if __name__ == "__main__":
    main()
