"""``neurogame convert``: a rulesheet from one notation to another."""

from __future__ import annotations

import argparse
from pathlib import Path

INFIX, KIF = "infix", "kif"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="library game or path of a rulesheet")
    parser.add_argument(
        "--to",
        choices=[INFIX, KIF],
        help="notation to write (default: that of the suffix of --output, .hrf or .kif; "
        "else infix for rules in KIF, and KIF for others)",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write a file, not the screen")
    parser.add_argument("--force", action="store_true", help="replace an existing FILE")
    parser.epilog = (
        "Comments are not kept. A name spelled in several cases gets its first spelling, and "
        "variables get names that the notation allows: ?row becomes Row. Names that infix "
        "notation cannot write stand in single quotes: 'x-y'."
    )


def run(options: argparse.Namespace) -> int:
    """Convert a rulesheet; only its syntax must be right."""
    from neurogame.files import write_output
    from neurogame.gdl.infix_write import infix_rules_text
    from neurogame.gdl.library import read_text, rules_path
    from neurogame.gdl.notation import PREFIX, notation_of
    from neurogame.gdl.parse import parse_rules
    from neurogame.gdl.write import rules_text

    path = rules_path(options.rules)
    text = read_text(path)
    rules = parse_rules(text, str(path))
    other = INFIX if notation_of(text, str(path)).kind == PREFIX else KIF
    target: str = options.to or _implied(options.output) or other
    converted = infix_rules_text(rules) if target == INFIX else rules_text(rules)
    if options.output is None:
        print(converted, end="")
    else:
        write_output(options.output, converted, force=options.force)
        print(f"{options.output}: {len(rules)} facts and rules in {target} notation")
    return 0


def _implied(output: Path | None) -> str | None:
    """Return the notation that files with the suffix of the output have."""
    from neurogame.gdl.notation import INFIX_SUFFIX, PREFIX_SUFFIX

    suffix = "" if output is None else output.suffix.lower()
    return {INFIX_SUFFIX: INFIX, PREFIX_SUFFIX: KIF}.get(suffix)
