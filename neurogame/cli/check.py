"""``neurogame check``: every error and warning in a rulesheet, and what kind of game it is."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from neurogame.gdl.terms import Rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--findings-only", action="store_true", help="do not ground and analyse the game"
    )
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="time limit of grounding (default 60)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the random games (default 0)")


def run(options: argparse.Namespace) -> int:
    """Print the findings and the analysis; the exit code is 1 if the rulesheet is refused."""
    from neurogame.gdl.check import check_text
    from neurogame.gdl.library import read_text, rules_path

    path = rules_path(options.rules)
    rules, findings = check_text(read_text(path), str(path))
    counts = Counter(finding.severity for finding in findings)
    errors, odd = counts["error"], counts["nonstandard"]
    if not options.json:
        for finding in findings:
            print(finding.text(str(path)))
        nonstandard = f"{odd} nonstandard, " if odd else ""
        totals = _count(errors, "error"), _count(counts["warning"], "warning")
        print(f"{path}: {totals[0]}, {nonstandard}{totals[1]}")
    analysis = _Analysis() if errors or options.findings_only else _analysed(rules, options)
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
        record: dict[str, Any] = {
            "rules": str(path),
            "errors": errors,
            "nonstandard": odd,
            "warnings": counts["warning"],
            "findings": listed,
        }
        if not options.findings_only:
            record["signature"] = analysis.signature
            record["analysis"] = analysis.record
            record["relations"] = analysis.relations
            record["structure"] = analysis.structure
            record["not_analysed"] = analysis.refusal
        print(json.dumps(record, ensure_ascii=False))
    else:
        for line in analysis.lines:
            print(f"  {line}")
    return 1 if errors or (odd and options.strict_rules) else 0


@final
@dataclass
class _Analysis:
    """What is shown of an analysis, or why there is none.

    Attributes:
        signature: of the rulesheet, if it was found.
        record: the analysis as a JSON object, if there is one.
        relations: what the relations of the game are for, as a JSON object, if it was analysed.
        structure: its variables, lines and symmetries, as a JSON object, if it was analysed.
        refusal: why there is none, in one line.
        lines: the summary.
    """

    signature: str | None = None
    record: dict[str, Any] | None = None
    relations: dict[str, Any] | None = None
    structure: dict[str, Any] | None = None
    refusal: str | None = None
    lines: list[str] = field(default_factory=list)


def _analysed(rules: Rules, options: argparse.Namespace) -> _Analysis:
    """Ground and analyse valid rules; a limit is told, not raised."""
    from neurogame.analysis.analyse import analyse
    from neurogame.analysis.report import analysis_lines, analysis_record
    from neurogame.circuit.compile import compile_rules
    from neurogame.errors import GroundingError, LimitError
    from neurogame.gdl.signature import structural_signature
    from neurogame.ground.limits import GroundLimits
    from neurogame.structure.cache import structure_of
    from neurogame.structure.relations import find_relations
    from neurogame.structure.report import relation_lines, relation_record
    from neurogame.structure.structure_report import structure_lines, structure_record

    report = _Analysis()
    try:
        report.signature = structural_signature(rules)
        report.lines.append(f"signature: {report.signature[:16]}")
    except LimitError as error:
        report.lines.append(f"signature: none: {error}")
    try:
        circuit = compile_rules(rules, GroundLimits(seconds=options.seconds))
    except (LimitError, GroundingError) as error:
        report.refusal = str(error)
        report.lines.append(f"not analysed: {error}")
        return report
    analysis = analyse(circuit, seed=options.seed)
    report.record = analysis_record(circuit, analysis)
    report.lines += analysis_lines(circuit, analysis)
    relations = find_relations(rules, circuit, analysis=analysis, seed=options.seed)
    report.relations = relation_record(relations)
    report.lines += relation_lines(relations)
    structure = structure_of(circuit, rules)
    report.structure = structure_record(circuit, structure)
    report.lines += structure_lines(circuit, structure)
    return report


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
