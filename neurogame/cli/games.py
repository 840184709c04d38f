"""``neurogame games``: the library of rulesheets."""

from __future__ import annotations

import argparse
import json
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", nargs="?", metavar="GAME", help="show one game's header and path")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """List the library, or tell about one game of it."""
    from neurogame.gdl.library import library_names, library_path

    names = library_names() if options.name is None else [library_path(options.name).stem]
    games = [_describe(name) for name in names]
    if options.json:
        print(json.dumps({"games": games}, ensure_ascii=False))
    elif options.name is not None:
        print("\n".join([games[0]["path"], *games[0]["header"]]))
    else:
        width = max(map(len, names), default=0)
        for game in games:
            roles = "1 role " if len(game["roles"]) == 1 else f"{len(game['roles'])} roles"
            print(f"{game['name']:{width}s}  {roles}  {game['summary']}")
    return 0


def _describe(name: str) -> dict[str, Any]:
    from neurogame.gdl.library import library_path, library_summary, load_rules
    from neurogame.gdl.terms import Compound
    from neurogame.gdl.write import term_text

    rules = load_rules(name)
    roles = [
        term_text(rule.head.arguments[0], rules.spelling)
        for rule in rules
        if isinstance(rule.head, Compound) and rule.head.name == "role"
    ]
    header = library_summary(name)
    return {
        "name": name,
        "summary": header[0] if header else "",
        "roles": roles,
        "path": str(library_path(name)),
        "header": header,
    }
