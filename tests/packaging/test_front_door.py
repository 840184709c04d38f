"""The front door: what the README shows works as printed, and every document is on one index."""

from __future__ import annotations

import doctest
import re
import shlex
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from neurogame.cli.main import main
from tests.conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
INDEX = REPOSITORY / "docs" / "README.md"
LINK = re.compile(r"\]\(([^)#\s]+)")


def texts(svg: str) -> list[str]:
    """Return what is written in a picture."""
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return [text.text or "" for text in found]


def test_the_session_of_the_readme_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    [session] = re.findall(r"^```pycon\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in session.splitlines() if line.startswith((">>>", "..."))]
    assert len(lines) <= 12
    example = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    written: list[str] = []
    failed, tried = doctest.DocTestRunner().run(example, out=written.append)
    assert tried >= 10
    assert failed == 0, "".join(written)


def test_the_picture_is_what_its_command_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    [line] = re.findall(r"^neurogame (inspect .* --svg docs/pictures/moves.svg)$", README, re.M)
    *words, committed = shlex.split(line)
    drawn = tmp_path / "moves.svg"
    assert main([*words, str(drawn)]) == 0
    assert texts(drawn.read_text()) == texts(Path(committed).read_text())
    assert f"({committed})" in README


def test_the_readme_is_a_door_and_no_manual() -> None:
    assert len(README.splitlines()) <= 110


def test_one_index_leads_to_every_document() -> None:
    linked = {
        (INDEX.parent / link).resolve()
        for link in LINK.findall(INDEX.read_text(encoding="utf-8"))
        if "://" not in link
    }
    assert [path for path in linked if not path.exists()] == []
    documents = {*(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "notebooks").glob("*.ipynb")}
    assert documents - linked == {INDEX}


@pytest.mark.parametrize(
    "document",
    [*sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "README.md"],
    ids=lambda path: path.name,
)
def test_links_lead_to_headings_that_are_there(document: Path) -> None:
    broken = []
    for path, heading in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", document.read_text("utf-8")):
        if "://" in path:
            continue
        target = (document.parent / path).resolve() if path else document
        titles = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), flags=re.MULTILINE)
        anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
        if heading not in anchors:
            broken.append(f"{path}#{heading}")
    assert broken == []
