"""Labels of games: what the analysis says about every rulesheet of a folder, as one JSON file.

Make the golden file of the tests, or compare with it (exit code 1 if a label differs)::

    GOLDEN=tests/analysis/game_labels.json
    python experiments/game_labels.py ../shared/games --out $GOLDEN
    python experiments/game_labels.py ../shared/games --compare $GOLDEN

A label holds what is stated and the kind of evidence, not the numbers of states and games looked
at. Games that do not ground within the limit are labelled null.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from neurogame.analysis.analyse import analyse
from neurogame.analysis.report import analysis_record
from neurogame.circuit.compile import compile_rules
from neurogame.errors import LimitError
from neurogame.gdl.library import load_rules
from neurogame.ground.limits import GroundLimits

_SAMPLE_SIZES = ("states", "games", "unfinished", "longest")
_MOST_LISTED = 12


def label(path: Path, seconds: float = 600.0) -> dict[str, Any] | None:
    """Return the label of one rulesheet, or None if grounding it takes too long."""
    try:
        circuit = compile_rules(load_rules(path), GroundLimits(seconds=seconds))
    except LimitError:
        return None
    record = analysis_record(circuit, analyse(circuit))
    kept = {key: value for key, value in record.items() if key not in _SAMPLE_SIZES}
    return {key: _short(value) for key, value in kept.items()}


def _short(value: Any) -> Any:
    """Write a verdict as one word with its evidence, and long lists by their beginning."""
    if isinstance(value, dict):
        if "holds" in value:
            return f"{'yes' if value['holds'] else 'no'}, {value['evidence']}"
        return {key: _short(inner) for key, inner in value.items()}
    if isinstance(value, list) and len(value) > _MOST_LISTED:
        return [*value[:_MOST_LISTED], f"... {len(value) - _MOST_LISTED} more"]
    return value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of rulesheets (*.kif)")
    parser.add_argument("--out", type=Path, help="write the labels to this file")
    parser.add_argument("--compare", type=Path, help="compare with the labels of this file")
    parser.add_argument(
        "--only", nargs="*", help="names of the games; the others keep their labels"
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="limit of grounding each")
    options = parser.parse_args()
    golden = json.loads(options.compare.read_text("utf-8")) if options.compare else {}
    known = options.out and options.only and options.out.exists()
    labels: dict[str, Any] = json.loads(options.out.read_text("utf-8")) if known else {}
    differing = 0
    for path in sorted(options.folder.glob("*.kif")):
        if options.only and path.stem not in options.only:
            continue
        start = time.process_time()
        found = labels[path.stem] = label(path, options.seconds)
        same = not options.compare or golden.get(path.stem) == found
        differing += not same
        print(f"{path.stem:36s} {time.process_time() - start:7.2f} s{'' if same else ' DIFFERS'}")
        sys.stdout.flush()
        if options.out:
            rows = (
                f"{json.dumps(n)}: {json.dumps(labels[n], sort_keys=True)}" for n in sorted(labels)
            )
            options.out.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
