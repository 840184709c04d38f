"""``neurogame convert``: a rulesheet from one notation to another."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neurogame.gdl.terms import Rules

INFIX, KIF, OPERATIONS = "infix", "kif", "operations"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    parser.add_argument(
        "--to",
        choices=[INFIX, KIF, OPERATIONS],
        help="notation to write (default: that of the suffix of --output, .hrf or .kif; "
        "else infix for rules in KIF, and KIF for others)",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write a file, not the screen")
    parser.add_argument("--force", action="store_true", help="replace an existing FILE")
    parser.epilog = (
        "Comments are not kept. A name spelled in several cases gets its first spelling, and "
        "variables get names that the notation allows: ?row becomes Row. Names that infix "
        "notation cannot write stand in single quotes: 'x-y'. What can be written with operations: "
        "games in which one role at a time has a choice."
    )


def run(options: argparse.Namespace) -> int:
    """Convert a rulesheet; only its syntax must be right."""
    from neurogame.files import write_output
    from neurogame.gdl.library import read_text, rules_path
    from neurogame.gdl.notation import PREFIX, notation_of
    from neurogame.gdl.parse import parse_rules

    path = rules_path(options.rules)
    text = read_text(path)
    rules = parse_rules(text, str(path))
    other = INFIX if notation_of(text, str(path)).kind == PREFIX else KIF
    target: str = options.to or _implied(options.output) or other
    converted = _text(rules, target)
    played = _played_alike(rules, converted) if target == OPERATIONS else ""
    if options.output is None:
        print(converted, end="")
    else:
        write_output(options.output, converted, force=options.force)
        print(f"{options.output}: {len(rules)} facts and rules in {target} notation{played}")
    return 0


def _text(rules: Rules, notation: str) -> str:
    """Return rules in a notation."""
    from neurogame.gdl.infix_write import infix_rules_text
    from neurogame.gdl.operations_write import operations_text
    from neurogame.gdl.write import rules_text

    write = {INFIX: infix_rules_text, KIF: rules_text, OPERATIONS: operations_text}
    return write[notation](rules)


def _played_alike(rules: Rules, text: str) -> str:
    """Return how many states of random games were the same by a text with operations.

    Raises:
        RulesError: a state differs.
    """
    from neurogame.errors import LimitError, RulesError
    from neurogame.gdl.parse import parse_rules
    from neurogame.prover.same_play import same_play

    try:
        comparison = same_play(rules, parse_rules(text), games=4, states=1000, seconds=3)
    except LimitError:
        return ", not compared: the rules are too large to be interpreted"
    if comparison.difference is not None:
        raise RulesError(
            f"{rules.source}: this game cannot be written with operations: more than one role has "
            f"a choice, or the others have another move; by playing, {comparison.difference}"
        )
    return f", {comparison.states:,} states of random games compared"


def _implied(output: Path | None) -> str | None:
    """Return the notation that files with the suffix of the output have."""
    from neurogame.gdl.notation import INFIX_SUFFIX, PREFIX_SUFFIX

    suffix = "" if output is None else output.suffix.lower()
    return {INFIX_SUFFIX: INFIX, PREFIX_SUFFIX: KIF}.get(suffix)
