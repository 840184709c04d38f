"""Documents speak of code that is there: paths, modules, the walks, and each noun once."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.packaging.test_house_rules import ROOMS
from tests.processes import children, run, started, wait_until

DOCUMENTS = [
    *sorted((REPOSITORY / "docs").rglob("*.md")),
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md")),
]
CONCEPTS = REPOSITORY / "docs" / "concepts.md"
# What may stand before a path: nothing, or the folder that a path is usually given from.
ROOTS = (REPOSITORY, REPOSITORY / "neurogame")
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|md|ipynb|json))`")
# The group of an entry point looks like a module and is none.
MODULE = re.compile(r"(?<!the group )`(?:from )?(neurogame(?:\.\w+)+)")
STEP = re.compile(r"^\| \d+ \| `([\w/]+\.py)` \| `([\w.]+)` \|", re.MULTILINE)
FIGURE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
NOUN = re.compile(r"^\| (\*.+?\*) \|", re.MULTILINE)


@cache
def names(path: Path) -> frozenset[str]:
    """Return what a file defines: functions, classes, methods as ``Class.method``, and values."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            inside = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            found |= {node.name, *(f"{node.name}.{one.name}" for one in inside)}
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(found)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_and_modules_are_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    roots = (*ROOTS, document.parent)
    paths = {
        path for path in PATH.findall(text) if not path.startswith(("runs/", "my", "..", "DIR/"))
    }
    assert [path for path in sorted(paths) if not any((r / path).exists() for r in roots)] == []
    gone = []
    for module in sorted(set(MODULE.findall(text))):
        parts = module.split(".")
        # The last parts may be a name in a module.
        places = [REPOSITORY.joinpath(*parts[:end]) for end in range(len(parts), 1, -1)]
        files = [place.with_suffix(".py") for place in places]
        if not any(f.is_file() for f in files) and not places[0].is_dir():
            gone.append(module)
    assert gone == []


def test_the_walks_go_where_they_say() -> None:
    steps = STEP.findall(CONCEPTS.read_text(encoding="utf-8"))
    assert len(steps) >= 20
    wrong = [
        f"{path}: {name}"
        for path, name in steps
        if not (REPOSITORY / "neurogame" / path).is_file()
        or name not in names(REPOSITORY / "neurogame" / path)
    ]
    assert wrong == []


def test_the_rooms_are_told_in_their_order() -> None:
    told = re.findall(r"^\| `(\w+)/` \|", CONCEPTS.read_text(encoding="utf-8"), re.MULTILINE)
    assert told == list(ROOMS)
    rules = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [listed] = re.findall(r"rooms, in order: (.*?)\. A file", rules, re.DOTALL)
    assert re.findall(r"\w+", listed) == list(ROOMS)


def test_each_noun_stands_once_in_the_glossary() -> None:
    rows = NOUN.findall(CONCEPTS.read_text(encoding="utf-8"))
    nouns = [noun.strip("* ") for row in rows for noun in row.split(",")]
    # A new noun needs one to leave: what one file alone needs is explained in its docstring.
    assert 40 <= len(nouns) <= 120
    assert sorted({noun for noun in nouns if nouns.count(noun) > 1}) == []


LEAVING = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
print(child.pid)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_what_a_program_leaves_is_known_and_ends_with_the_test() -> None:
    left = list[int]()

    def interrupted() -> None:
        with started([sys.executable, "-c", LEAVING]) as process:
            assert process.stdout is not None
            left.append(int(process.stdout.readline()))
            process.wait()
            assert left[0] in children()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    wait_until(lambda: left[0] not in children())


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_ends_a_program_where_it_is_ignored_here() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with started(
            [sys.executable, "-c", "print(1, flush=True); input()"], stdin=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
    finally:
        signal.signal(signal.SIGINT, before)
    assert errors.strip().endswith("KeyboardInterrupt")


def test_a_program_that_fails_fails_the_test_with_its_words() -> None:
    with pytest.raises(AssertionError, match="no luck"):
        run([sys.executable, "-c", "raise SystemExit('no luck')"])
    assert run([sys.executable, "-c", "raise SystemExit(3)"], check=False).returncode == 3


def test_the_papers_rows_are_counted_as_they_stand() -> None:
    """What each row says of itself adds up to the table above them, and to the sentence."""
    text = (REPOSITORY / "docs" / "mission.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| \[([A-E])\]\S+ \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", text, re.M)
    rows = re.findall(r"^\| ([A-E])\d+ \| .*? \| (works|\*\*partly\*\*|\*\*not\*\*) \|", text, re.M)
    standings = "works", "**partly**", "**not**"
    for paper, *numbers in said:
        counts = [rows.count((paper, standing)) for standing in standings]
        assert [sum(counts), *counts] == list(map(int, numbers)), paper
    works, partly, nothing = (sum(row[1] == one for row in rows) for one in standings)
    assert len(said) == 5
    assert f"Of {len(rows)} rows {works} work, {partly} work partly, {nothing} do" in text
    otherwise = sum("*otherwise*" in line for line in text.splitlines() if line.startswith("| "))
    assert f"*otherwise* marks {otherwise} rows" in text


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_figures_beside_a_link_to_the_papers_page_stand_there(document: Path) -> None:
    """A line that names a section of the page has no figure that the section has not."""
    page = (REPOSITORY / "docs" / "papers.md").read_text(encoding="utf-8")
    for title, text in re.findall(r"^### (.+)\n((?:(?!##).*\n)*)", page, re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        there = [float(one) for one in FIGURE.findall(f"{title}\n{text}")]
        for line in document.read_text(encoding="utf-8").splitlines():
            if f"papers.md#{anchor})" in line and document.name != "papers.md":
                told = re.sub(r"\]\([^)]*\)|`[^`]*`", "", line)
                for one in filter(lambda figure: "." in figure, FIGURE.findall(told)):
                    digits = len(one.partition(".")[2])
                    assert float(one) in [round(other, digits) for other in there], (line, one)
