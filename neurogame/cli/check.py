"""``neurogame check``: every error and warning in a rulesheet."""

from __future__ import annotations

import argparse
import json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print the findings; the exit code is 1 if there are errors."""
    from neurogame.gdl.check import check_rules
    from neurogame.gdl.library import read_text, rules_path
    from neurogame.gdl.parse import parse_with_findings

    path = rules_path(options.rules)
    rules, findings = parse_with_findings(read_text(path), str(path))
    if not findings:
        # After a syntax error rules are missing, and every other check would complain of that.
        findings = check_rules(rules)
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    if options.json:
        listed = [
            {
                "severity": finding.severity,
                "line": finding.position.line,
                "column": finding.position.column,
                "message": finding.message,
                "code": finding.code,
            }
            for finding in findings
        ]
        print(
            json.dumps(
                {"rules": str(path), "errors": errors, "warnings": warnings, "findings": listed},
                ensure_ascii=False,
            )
        )
    else:
        for finding in findings:
            print(finding.text(str(path)))
        print(f"{path}: {_count(errors, 'error')}, {_count(warnings, 'warning')}")
    return 1 if errors else 0


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
