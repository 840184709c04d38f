"""The size and shape of the house, counted from its text: what a redesign is to make smaller.

python -m benchmarks.house                   # this checkout
python -m benchmarks.house --beside ../old   # another one before it, figure by figure
python -m benchmarks.house --json

Code lines hold a token that is no comment, no docstring and not part of an import. A pair of rooms
is one from which the other is imported, in functions and for types, too. A repetition is a run of
at least six equal code lines in two places. ``Any`` counts where an annotation names it.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import final

HERE = Path(__file__).parents[1]
RUN = 6
_NOUN = re.compile(r"^\| (\*.+?\*) \|", re.MULTILINE)
_SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


@final
@dataclass(frozen=True)
class Source:
    """A file of Python.

    Attributes:
        path: below its folder.
        text: what it holds.
    """

    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed text."""
        return ast.parse(self.text)

    @cached_property
    def kinds(self) -> list[str]:
        """What each line is: ``code``, ``docstrings``, ``imports``, ``comments`` or ``blank``."""
        kinds = ["blank"] * len(self.text.splitlines())
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type not in (*_SILENT, tokenize.ENDMARKER):
                _mark(kinds, token.start[0], token.end[0], "code")
            elif token.type == tokenize.COMMENT and kinds[token.start[0] - 1] == "blank":
                _mark(kinds, token.start[0], token.end[0], "comments")
        for node in ast.walk(self.tree):
            # A text alone is a docstring, that of a constant too.
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                if isinstance(node.value.value, str):
                    _mark(kinds, node.lineno, node.end_lineno or node.lineno, "docstrings")
            elif isinstance(node, ast.Import | ast.ImportFrom):
                _mark(kinds, node.lineno, node.end_lineno or node.lineno, "imports")
        return kinds

    @property
    def room(self) -> str:
        """The first folder of its path, or ``(root)``."""
        return self.path.parts[0] if len(self.path.parts) > 1 else "(root)"

    def code(self) -> Iterator[str]:
        """Yield the code lines, without what is before and after them."""
        lines = zip(self.text.splitlines(), self.kinds, strict=True)
        return (line.strip() for line, kind in lines if kind == "code")

    def annotations(self) -> Iterator[ast.expr]:
        """Yield what is said of arguments, results and names."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
                yield node.annotation
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
                yield node.returns


def _mark(kinds: list[str], first: int, last: int, kind: str) -> None:
    kinds[first - 1 : last] = [kind] * (last - first + 1)


def sources(folder: Path) -> list[Source]:
    """Return the files of Python below a folder."""
    paths = sorted(folder.rglob("*.py"))
    return [Source(path.relative_to(folder), path.read_text(encoding="utf-8")) for path in paths]


def room_pairs(package: Sequence[Source]) -> set[tuple[str, str]]:
    """Return which rooms import from which."""
    rooms = {source.room for source in package} - {"(root)"}
    pairs = set()
    for source in package:
        for node in ast.walk(source.tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            targets = {name.split(".")[1] for name in names if name.startswith("neurogame.")}
            pairs |= {(source.room, target) for target in targets & rooms}
    return {(room, other) for room, other in pairs if room in rooms - {other}}


def any_share(package: Sequence[Source]) -> float:
    """Return the share of annotations that name ``Any``, in percent."""
    found = [
        any(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(annotation))
        for source in package
        for annotation in source.annotations()
    ]
    return 100 * sum(found) / max(len(found), 1)


def repetitions(package: Sequence[Source], run: int = RUN) -> int:
    """Return how many pairs of places hold the same run of code lines, as long as it goes."""
    lines = [line for source in package for line in (*source.code(), f"end of {source.path}")]
    starts: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for start in range(len(lines) - run + 1):
        starts[tuple(lines[start : start + run])].append(start)
    pairs = (
        (one, two)
        for same in starts.values()
        for number, two in enumerate(same)
        for one in same[:number]
    )
    # The lines before differ: else the run begins earlier, and is counted there.
    return sum(not one or lines[one - 1] != lines[two - 1] for one, two in pairs)


def figures(checkout: Path) -> dict[str, float]:
    """Return the figures of a checkout by name."""
    package, tests = sources(checkout / "neurogame"), sources(checkout / "tests")
    kinds = Counter(kind for source in package for kind in source.kinds)
    rooms: Counter[str] = Counter()
    for source in package:
        rooms[source.room] += source.kinds.count("code")
    nouns = _NOUN.findall((checkout / "docs" / "concepts.md").read_text(encoding="utf-8"))
    found: dict[str, float] = {"code lines": kinds["code"]}
    found |= {f"lines of {name}": count for name, count in sorted(kinds.items()) if name != "code"}
    found |= {
        "files": len(package),
        "nouns of the glossary": len(nouns),
        "pairs of rooms": len(room_pairs(package)),
        "Any, % of annotations": round(any_share(package), 1),
        "repetitions": repetitions(package),
        "lines of tests": sum(len(source.kinds) for source in tests),
        "code lines of tests": sum(source.kinds.count("code") for source in tests),
    }
    return found | {f"code of {room}": count for room, count in sorted(rooms.items())}


def table(columns: Sequence[dict[str, float]], names: Sequence[str]) -> str:
    """Return figures as a Markdown table, one column for each checkout."""
    order = dict.fromkeys(key for own in reversed(columns) for key in own)
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "--:|" * len(names)]
    for key in order:
        cells = (f"{own[key]:,}" if key in own else "" for own in columns)
        lines.append(f"| {key} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--beside", type=Path, metavar="PATH", help="another checkout, as before")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    checkouts = {"before": options.beside} if options.beside else {}
    found = {name: figures(path) for name, path in (checkouts | {"now": HERE}).items()}
    print(json.dumps(found) if options.json else table(list(found.values()), list(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
