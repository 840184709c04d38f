"""Precision and recall of what is found about the relations of games, against labels by hand.

The labels were made by reading the rules. The table shows per kind what is found rightly, wrongly
and not at all, and per game what is wrong or missing; ``--scrambled`` compares every rulesheet of
the folder with a scrambled copy instead (exit code 1 if something differs)::

    python experiments/structure_labels.py ../shared/games
    python experiments/structure_labels.py ../shared/games --scrambled

A label is a dictionary; arguments count from 1:

- ``successors``: successor relations, ``(plus 1 ?a ?b)`` as ``plus 1 * *``
- ``counters``, ``quantities``, ``ordered``: a relation of the state and one of its arguments
- ``boards``: the relation, its axes, the numbers of boards, what says what stands on a square, the
  blank content, the markers, and those of them that are pieces
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.gdl.renaming import renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.gdl.terms import Rules
from neurogame.structure.relations import find_relations
from neurogame.structure.report import relation_record

LABELS = Path(__file__).parent.parent / "tests" / "structure" / "labels.json"
SHARED = "shared/"
"""How the names of labelled games begin that are in the folder and not in the library."""

Item = tuple[str, str]


def labelled_items(label: dict[str, Any]) -> set[Item]:
    """Return what a label says, each statement as its kind and a text."""
    found = {("successor", text.lower()) for text in label["successors"]}
    for kind, key in (("counter", "counters"), ("ordered", "ordered"), ("quantity", "quantities")):
        found |= {(kind, text) for text in label[key]}
    for board in label["boards"]:
        name = board["relation"]
        found.add(("board", f"{name} {board['axes']} {board['index']} {board['content']}"))
        if board["blank"] is not None:
            found.add(("blank", f"{name}: {board['blank']}"))
        found |= {("marker", f"{name}: {marker}") for marker in board["markers"]}
        found |= {("piece", f"{name}: {marker}") for marker in board["pieces"]}
    return found


def found_items(record: dict[str, Any]) -> set[Item]:
    """Return what the detector says, in the same form."""
    found = {("successor", one["relation"]) for one in record["successors"]}
    for kind, key in (("counter", "counters"), ("ordered", "ordered"), ("quantity", "quantities")):
        found |= {(kind, f"{one['relation']} {one['argument']}") for one in record[key]}
    for board in record["boards"]:
        name = board["relation"]
        found.add(("board", f"{name} {board['axes']} {board['index']} {board['content']}"))
        if board["blank"] is not None:
            found.add(("blank", f"{name}: {' '.join(board['blank'])}"))
        for marker in board["markers"]:
            item = f"{name}: {' '.join(marker['content'])}"
            found.add(("marker", item))
            if marker["piece"]["holds"]:
                found.add(("piece", item))
    return found


def rules_of(name: str, folder: Path) -> Rules:
    """Return the rules of a labelled game."""
    shared = name.startswith(SHARED)
    return load_rules(folder / f"{name.removeprefix(SHARED)}.kif" if shared else name)


def record_of(rules: Rules) -> dict[str, Any]:
    """Return what is found about the relations of a game."""
    return relation_record(find_relations(rules, compile_rules(rules)))


def scrambled_differs(rules: Rules, seed: int) -> set[str]:
    """Return the kinds of statements that are not the same of a scrambled copy."""
    renaming = scramble(rules, seed)
    ours = _renamed(record_of(rules), renaming.to_scrambled)
    theirs = _renamed(record_of(renaming.rules), {})
    return {kind for kind in ours if ours[kind] != theirs[kind]}


def _renamed(record: dict[str, Any], names: dict[str, str] | Any) -> dict[str, list[str]]:
    """Return the statements of a record as texts under other names, in no particular order."""
    return {
        kind: sorted(json.dumps(_plain(one, names), sort_keys=True) for one in statements)
        for kind, statements in record.items()
    }


def _plain(value: Any, names: Any) -> Any:
    """Return a value with its names changed, its lists of markers and chains sorted."""
    if isinstance(value, str):
        return renamed_text(value, names)
    if isinstance(value, dict):
        plain = {key: _plain(inner, names) for key, inner in value.items()}
        for key in ("markers", "chains"):
            if key in plain:
                plain[key] = sorted(plain[key], key=json.dumps)
        return plain
    return [_plain(inner, names) for inner in value] if isinstance(value, list) else value


def compare(labels: dict[str, Any], folder: Path) -> dict[str, tuple[int, int, int]]:
    """Print a line per game; return per kind what is right, wrong and missed."""
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for name, label in labels.items():
        start = time.process_time()
        rules = rules_of(name, folder)
        expected, found = labelled_items(label), found_items(record_of(rules))
        right.update(kind for kind, _ in expected & found)
        wrong.update(kind for kind, _ in found - expected)
        missed.update(kind for kind, _ in expected - found)
        print(f"{name:34s} {time.process_time() - start:6.2f} s")
        for what, items in (("wrong", found - expected), ("missed", expected - found)):
            for kind, text in sorted(items):
                print(f"    {what}: {kind} {text}")
        sys.stdout.flush()
    kinds = sorted({*right, *wrong, *missed})
    return {kind: (right[kind], wrong[kind], missed[kind]) for kind in kinds}


def print_table(counts: dict[str, tuple[int, int, int]]) -> dict[str, float]:
    """Print precision and recall per kind and over all; return the latter."""
    precision = recall = 0.0
    total = tuple(map(sum, zip(*counts.values(), strict=True)))
    print(f"{'kind':10s} {'right':>6s} {'wrong':>6s} {'missed':>6s}  precision  recall")
    for kind, (right, wrong, missed) in [*counts.items(), ("all", total)]:
        precision, recall = right / max(right + wrong, 1), right / max(right + missed, 1)
        print(f"{kind:10s} {right:6d} {wrong:6d} {missed:6d}  {precision:9.3f} {recall:7.3f}")
    return {"precision": precision, "recall": recall}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of rulesheets (*.kif)")
    parser.add_argument("--labels", type=Path, default=LABELS, help="the labels")
    parser.add_argument("--only", nargs="*", help="names of the games")
    parser.add_argument("--scrambled", action="store_true", help="compare with scrambled copies")
    parser.add_argument("--json", action="store_true", help="print precision and recall at last")
    options = parser.parse_args()
    if not options.scrambled:
        labels = json.loads(options.labels.read_text("utf-8"))
        kept = {n: label for n, label in labels.items() if not options.only or n in options.only}
        found = print_table(compare(kept, options.folder))
        if options.json:
            print(json.dumps(found))
        return 0
    differing = 0
    for path in sorted(options.folder.glob("*.kif")):
        if options.only and path.stem not in options.only:
            continue
        start = time.process_time()
        kinds = scrambled_differs(load_rules(path), 1)
        differing += bool(kinds)
        text = f" DIFFERS: {', '.join(sorted(kinds))}" if kinds else ""
        print(f"{path.stem:36s} {time.process_time() - start:7.2f} s{text}", flush=True)
    print(f"{differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
