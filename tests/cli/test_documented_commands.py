"""What the documents tell users to type works."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from neurogame.cli.main import COMMANDS, build_parser
from tests.conftest import REPOSITORY

DOCUMENTS = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "checkpoints/README.md")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)


def blocks(document: Path) -> list[tuple[str, str]]:
    """Return language and text of each code block."""
    if not document.exists():
        return []
    return BLOCK.findall(document.read_text(encoding="utf-8"))


def lines() -> list[str]:
    """Return every documented command line of neurogame, continued lines joined."""
    found: list[str] = []
    for document in DOCUMENTS:
        for _, text in blocks(document):
            joined = text.replace("\\\n", " ").splitlines()
            found += [line for line in joined if line.startswith("neurogame ")]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("line", lines())
def test_the_parser_accepts_it(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    options = build_parser(words[0]).parse_args(words)
    assert options.command == words[0]
    assert callable(options.run)


def test_one_page_shows_every_command() -> None:
    shown = {
        line.split()[1]
        for _, text in blocks(REPOSITORY / "docs" / "commands.md")
        for line in text.splitlines()
        if line.startswith("neurogame ")
    }
    assert shown == set(COMMANDS)


def test_the_scripts_of_the_readme_can_be_run() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    scripts = set(re.findall(r"^\./([\w-]+)", text, flags=re.MULTILINE))
    assert {"quickstart", "run-tests"} <= scripts
    for script in scripts:
        assert os.access(REPOSITORY / script, os.X_OK)
