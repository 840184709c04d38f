"""The front door: what the README shows works as printed, and every document is on one index."""

from __future__ import annotations

import ast
import doctest
import re
import shlex
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import neurogame
from neurogame.cli.main import main
from neurogame.errors import ConfigurationError, GameError
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.calibration import calibrate
from neurogame.inspect.move_values import move_values
from tests import processes
from tests.conftest import REPOSITORY
from tests.processes import environment

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


def test_the_citation_and_the_changelog_name_the_version() -> None:
    cited = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {neurogame.__version__}\n" in cited
    changes = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changes.startswith(f"# Changelog\n\n## {neurogame.__version__}\n")


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


def test_the_menu_of_the_site_lists_every_document() -> None:
    found = spec_from_file_location("docs_conf", REPOSITORY / "docs" / "conf.py")
    assert found is not None
    assert found.loader is not None
    conf = module_from_spec(found)
    found.loader.exec_module(conf)
    menu = conf.menu(INDEX.read_text(encoding="utf-8"))
    listed = {(INDEX.parent / f"{page}.md").resolve() for page in menu.split()}
    documents = set((REPOSITORY / "docs").rglob("*.md")) - {INDEX}
    assert documents - listed == set()
    assert menu.count("{toctree}") == 5
    assert all(f"neurogame.{name}" in conf.reference() for name in neurogame.__all__[:2])


@pytest.mark.parametrize(
    "document",
    [*sorted((REPOSITORY / "docs").rglob("*.md")), *sorted(REPOSITORY.glob("*.md"))],
    ids=lambda path: path.name,
)
def test_links_lead_to_files_that_are_there(document: Path) -> None:
    links = [link for link in LINK.findall(document.read_text("utf-8")) if ":" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []


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


PAGE = (REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")


def run(code: str, folder: Path) -> str:
    """Run Python in a folder and return what it prints."""
    command = [sys.executable, "-c", code]
    return processes.run(command, cwd=folder, env=environment(OMP_NUM_THREADS="1")).stdout


def test_the_page_lists_the_public_names() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)
    assert len(listed) == len(set(listed)) <= 30
    assert sorted([*listed, "__version__"]) == sorted(neurogame.__all__)


def test_every_public_name_is_there_and_documented() -> None:
    assert set(neurogame.__all__) <= set(dir(neurogame))
    for name in neurogame.__all__:
        thing = getattr(neurogame, name)
        assert name == "__version__" or (thing.__doc__ or "").strip(), name
    assert not hasattr(neurogame, "no_such_name")


def test_type_checkers_see_what_is_loaded() -> None:
    text = (REPOSITORY / "neurogame" / "__init__.py").read_text(encoding="utf-8")
    [block] = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    loaded = {name: f"neurogame.{home}" for name, home in neurogame._HOME_OF.items()}
    assert seen == {**loaded, "data": "neurogame", "envs": "neurogame"}


def test_the_import_loads_nothing_heavy_and_a_state_shows_itself(tmp_path: Path) -> None:
    code = "import sys, neurogame; print([n for n in ('torch', 'numpy') if n in sys.modules]);"
    code += "from neurogame.simulate.game import Game; print(Game.load('nim').initial_state())"
    first, *rest = run(code, tmp_path).splitlines()
    assert first == "[]"
    assert "control" in "".join(rest)


def test_the_examples_of_the_page_run_in_order(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == PAGE.count("\n## ")
    code = "".join(blocks)
    names = set(re.findall(r"\bng\.(\w+)", code))
    assert names | {"NeurogameWarning", "__version__"} == set(neurogame.__all__)
    assert "no such game" in run(code, tmp_path)


def test_what_is_of_another_kind_is_told_what_to_give() -> None:
    game = neurogame.Game.load("tictactoe")
    checkpoint = neurogame.load_checkpoint(REPOSITORY / "checkpoints" / "tictactoe.pt")
    wrong: Any = (game, checkpoint, game.initial_state())
    evaluator, simulator, state = checkpoint.evaluator(game), game.simulator(), wrong[2]
    search, limit = neurogame.AlphaBeta(game, evaluator), neurogame.Limit(depth=1)
    # Called with what their types forbid.
    drawn: Any = partial(neurogame.data.positions, game, 5)
    alphabeta: Any = partial(neurogame.AlphaBeta, game, evaluator)
    tree: Any = partial(neurogame.Mcts, game)
    player: Any = neurogame.make_player
    pair = [neurogame.make_player("random") for _ in game.roles]
    match: Any = partial(neurogame.play_match, game, pair)
    series: Any = partial(neurogame.play_series, game, pair, 1)
    cases: list[tuple[str, Callable[[], object]]] = [
        ("found Game; .*game.simulator", lambda: neurogame.playouts(wrong[0], 1, 1)),
        ("found Game; .*game.simulator", lambda: neurogame.sample_games(wrong[0], 1, 1)),
        ("found State; .*state.batch", lambda: neurogame.state_values(simulator, evaluator, state)),
        (
            r"found Checkpoint; .*\.evaluator",
            lambda: neurogame.state_values(simulator, wrong[1], state.batch),
        ),
        (r"found Checkpoint; .*\.evaluator", lambda: neurogame.AlphaBeta(game, wrong[1])),
        (r"found Checkpoint; .*\.evaluator", lambda: attribute(wrong[1], state, 0)),
        ("found State; .*state.fluents", lambda: evaluator(state)),
        ("found StateBatch; .*State", lambda: search.search(state.batch, 0, limit)),
        ("found int; .*Limit", lambda: search.search(state, 0, 4)),  # type: ignore[arg-type]
        ("found int; .*Limit", lambda: neurogame.Mcts(game).search(state, 0, 4)),  # type: ignore[arg-type]
        (r"found Checkpoint; .*\.evaluator", lambda: calibrate(game, wrong[1])),
        (r"found Checkpoint; .*\.evaluator", lambda: drawn(evaluator=wrong[1])),
        (r"opinion: found Checkpoint; .*\.judge", lambda: move_values(wrong[1], state)),
        (r"'action': found Checkpoint; .*\.judge", lambda: tree(judges={"action": wrong[1]})),
        ("found Checkpoint; Mapping", lambda: tree(judges=wrong[1])),
        (r"found str; .*MctsSettings\(", lambda: tree(settings="cutoff=2")),
        (r"found str; .*SearchSettings\(", lambda: alphabeta(settings="scout=off")),
        (r"found str; .*MatchSettings\(", lambda: match(settings="max_plies=9")),
        (r"found str; .*MatchSettings\(", lambda: series(settings="max_plies=9")),
        ("player: found NoneType; .*mcts:", lambda: player(None)),
    ]
    for said, call in cases:
        with pytest.raises(ConfigurationError, match=said):
            call()
    for phase in (0.5, ("a", "b"), (0, 0.5, 1)):
        with pytest.raises(GameError, match=r"two .*shares of a game"):
            drawn(phase=phase)
