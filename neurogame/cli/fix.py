"""``neurogame fix``: a rulesheet with every finding repaired that has one obvious cure."""

from __future__ import annotations

import argparse
import difflib
import json
from collections import Counter
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write FILE and leave RULES as it is (default: RULES, kept as RULES.orig before)",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the diff, write nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.epilog = (
        "Comments and layout stay. Statements that are played by nobody become comments. What "
        "'neurogame check' still finds afterwards has no obvious cure."
    )


def run(options: argparse.Namespace) -> int:
    """Repair a rulesheet, print the difference; the exit code is 1 if errors are left."""
    from neurogame.files import write_output
    from neurogame.gdl.fix import fix_text
    from neurogame.gdl.library import read_text, rules_path

    path = rules_path(options.rules)
    text = read_text(path)
    repair = fix_text(text, str(path))
    output = options.output or path
    if not options.dry_run and (repair.text != text or options.output is not None):
        if options.output is None:
            write_output(path.with_name(f"{path.name}.orig"), text, force=False)
        write_output(output, repair.text, force=options.output is None)
    before, after = (each.splitlines(keepends=True) for each in (text, repair.text))
    lines = difflib.unified_diff(before, after, str(path), str(output))
    # The last line of a file may be without an end: said as the program patch reads it.
    diff = "".join(x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines)
    left = Counter(finding.severity for finding in repair.left)
    if options.json:
        record = {
            "rules": str(path),
            "cured": [f"{f.place(str(path))}: {f.code}" for f in repair.cured],
            "left": [f.text(str(output)) for f in repair.left],
            "diff": diff,
        }
        print(json.dumps(record, ensure_ascii=False))
    else:
        print(diff, end="")
        for finding in repair.left:
            print(finding.text(str(output)))
        print(f"{output}: {len(repair.cured)} repaired, {sum(left.values())} left")
    return 1 if left["error"] else 0
