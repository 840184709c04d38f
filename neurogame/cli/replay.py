"""``neurogame replay``: verify reference traces against a rulesheet."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING

from neurogame.kernels.backend import backend_names

if TYPE_CHECKING:
    from neurogame.gdl.terms import Rules
    from neurogame.simulate.replay import Backend, Report

SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="a library game or a path")
    parser.add_argument("traces", metavar="TRACE", nargs="+", help="a .jsonl or .jsonl.gz file")
    parser.add_argument(
        "--prover",
        action="store_true",
        help="replay by proofs instead of the circuit, as games are played that cannot be grounded",
    )
    parser.add_argument(
        "--backend",
        default="torch",
        help=f"what evaluates the circuit: {', '.join(backend_names())} (torch)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="print nothing but mismatches")


def run(options: argparse.Namespace) -> int:
    """Replay all traces; return 1 if the game differs from any of them."""
    from neurogame.gdl.library import load_rules
    from neurogame.simulate.replay import replay

    started = time.perf_counter()
    backend = _backend(load_rules(options.rules, prover=options.prover), options)
    reports = []
    for trace in options.traces:
        reports.append(replay(trace, backend))
        if not options.json:
            _print_report(reports[-1], options.quiet)
    mismatches = sum(report.mismatches for report in reports)
    if options.json:
        summary = {
            "rules": options.rules,
            "backend": "prover" if options.prover else options.backend,
            "games": sum(report.games for report in reports),
            "states": sum(report.states for report in reports),
            "mismatches": mismatches,
            "seconds": round(time.perf_counter() - started, 3),
            "traces": [report.as_json() for report in reports],
        }
        print(json.dumps(summary))
    return 1 if mismatches else 0


def _backend(rules: Rules, options: argparse.Namespace) -> Backend:
    if options.prover:
        from neurogame.prover.game import ProverGame
        from neurogame.simulate.trace_backends import ProverBackend

        return ProverBackend(ProverGame(rules))
    from neurogame.simulate.game import Game
    from neurogame.simulate.trace_backends import CircuitBackend

    return CircuitBackend(Game.from_rules(rules, rules.source), backend=options.backend)


def _print_report(report: Report, quiet: bool) -> None:
    for mismatch in report.details[:SHOWN]:
        print(mismatch)
    hidden = report.mismatches - min(SHOWN, len(report.details))
    if hidden > 0:
        print(f"{report.source}: and {hidden} more mismatches")
    if not quiet:
        print(
            f"{report.source}: {report.states} states of {report.games} games, "
            f"{report.mismatches} mismatches"
        )
