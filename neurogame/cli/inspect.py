"""``neurogame inspect``: what evaluators and judges of moves know, and why they say it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from neurogame.evaluators.kinds import fresh_names, kinds_from_rules, stored_kinds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "source",
        metavar="CHECKPOINT|RUN|GAME|FILE.rules",
        help="a file made by 'train', 'learn' or 'inspect --rules', a run's folder, or a game, "
        "whose fresh evaluator is looked at",
    )
    parser.add_argument(
        "--evaluator",
        metavar="KIND",
        help=f"of a game: which one, as in player strings ({', '.join(fresh_names())}; default "
        f"cilp), or a judge of moves that is made from rules ({', '.join(kinds_from_rules())})",
    )
    parser.add_argument(
        "--top",
        type=int,
        default=20,
        metavar="N",
        help="how many weights, contributions or moves to list, the largest first (default 20)",
    )
    _add_questions(parser)
    parser.add_argument(
        "--compare",
        nargs="+",
        metavar="OTHER",
        help="what learning changed, beside other checkpoints of the game, such as of other seeds",
    )
    parser.add_argument(
        "--calibration",
        action="store_true",
        help="play games and compare the values with their outcomes",
    )
    parser.add_argument(
        "--rules", action="store_true", help="tell the evaluator in few weighted rules"
    )
    parser.add_argument(
        "--size", type=int, default=20, metavar="N", help="of --rules: how many (default 20)"
    )
    parser.add_argument(
        "--out", metavar="FILE.rules", help="of --rules: a file that players can play"
    )
    parser.add_argument(
        "--svg",
        metavar="FILE",
        help="draw into an SVG file: with --state what each move is worth, else a goal network",
    )
    parser.add_argument(
        "--network",
        type=int,
        default=0,
        metavar="N",
        help="which goal network --svg draws, counted from 0 (default 0)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of games that are played, and of fresh evaluators"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_questions(parser: argparse.ArgumentParser) -> None:
    """Declare what can be asked about a state."""
    parser.add_argument(
        "--state",
        metavar="STATE",
        help="what the value of a state is made of: 'initial', 'random:PLIES:SEED', or all fluents "
        "that hold, such as '(cell 1 1 b) (control white)'",
    )
    parser.add_argument(
        "--against",
        metavar="STATE",
        help="another state: what makes the first one better or worse",
    )
    parser.add_argument(
        "--move",
        metavar="MOVE",
        help="why a move of the state is good or bad; judges of moves explain their best one "
        "unless told",
    )
    parser.add_argument(
        "--rather-than", metavar="MOVE", help="another move: why rather the first one than this"
    )
    parser.add_argument("--role", metavar="ROLE", help="whose value or move (default: who chooses)")
    parser.add_argument(
        "--judge",
        metavar="NAME",
        help="who is asked: 'evaluator', or a judge of moves that the checkpoint holds "
        f"({', '.join(stored_kinds())}; default: the evaluator, if there is one)",
    )
    parser.add_argument(
        "--method",
        choices=("exact", "gradients", "shapley", "toggling"),
        help="how it is taken apart (default: exact where it is a sum, else Shapley values)",
    )


def run(options: argparse.Namespace) -> int:
    """Print what is asked for; without questions weights, their drift and what judges know."""
    from neurogame.errors import GameError
    from neurogame.files import check_output, write_output
    from neurogame.inspect.calibration_report import calibration, calibration_parts
    from neurogame.inspect.change.report import comparison, comparison_parts
    from neurogame.inspect.network_svg import network_svg
    from neurogame.inspect.rules.report import rules_parts, rules_report
    from neurogame.inspect.state_report import (
        Question,
        moves_picture,
        state_parts,
        state_report,
    )
    from neurogame.inspect.subject import find_subject
    from neurogame.inspect.table import Part, told
    from neurogame.inspect.weights_report import weights_parts, weights_report

    about_a_state = ("against", "move", "rather_than", "role", "judge", "method")
    asked = [name for name in about_a_state if getattr(options, name)]
    of_state = options.state is not None
    if asked and not of_state:
        raise GameError(
            f"--{asked[0].replace('_', '-')} goes with --state STATE, such as --state initial"
        )
    if options.out and not options.rules:
        raise GameError("--out FILE.rules goes with --rules")
    if options.top < 0:
        raise GameError(f"--top {options.top}: at least 0 is needed")
    if options.svg:
        check_output("--svg", Path(options.svg))
    subject = find_subject(options.source, options.evaluator, options.seed)
    if options.svg and not of_state:
        now, before = subject.values()
        write_output(Path(options.svg), network_svg(now, options.network, before), force=True)
    report: dict[str, Any] = {}
    if of_state:
        names = ("state", "role", "method", "against", "move", "rather_than", "judge")
        question = Question(**{name: getattr(options, name) for name in names})
        report["attribution"] = state_report(subject, question)
        if options.svg:
            write_output(Path(options.svg), moves_picture(subject, question), force=True)
    if options.json or not (of_state or options.rules):
        report |= weights_report(subject, options.top)
    if options.compare:
        report["comparison"] = comparison(subject, options.compare, options.seed)
    if options.calibration:
        report["calibration"] = calibration(subject, options.seed)
    if options.rules:
        out = Path(options.out) if options.out else None
        report["extracted"] = rules_report(subject, size=options.size, seed=options.seed, out=out)
    if options.json:
        print(json.dumps(report))
        return 0
    parts: list[Part] = []
    if of_state:
        parts += state_parts(report["attribution"], options.top)
    if options.rules:
        parts += rules_parts(report["extracted"])
    if not (of_state or options.rules):
        parts += weights_parts(report)
    if options.compare:
        parts += comparison_parts(report["comparison"])
    if options.calibration:
        parts += calibration_parts(report["calibration"])
    print(told(parts))
    return 0
