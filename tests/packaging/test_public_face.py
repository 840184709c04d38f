"""The public names: few, documented on one page, loaded when asked for."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import neurogame
from tests import processes
from tests.conftest import REPOSITORY
from tests.processes import environment

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
    assert seen == loaded


def test_the_import_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, neurogame; print([n for n in ('torch', 'numpy') if n in sys.modules])"
    assert run(code, tmp_path) == "[]\n"


def test_a_state_shows_itself_however_it_was_imported(tmp_path: Path) -> None:
    code = "from neurogame.simulate.game import Game; print(Game.load('nim').initial_state())"
    assert "control" in run(code, tmp_path)


def test_the_examples_of_the_page_run_in_order(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == PAGE.count("\n## ")
    code = "".join(blocks)
    names = set(re.findall(r"\bng\.(\w+)", code))
    assert names | {"NeurogameWarning", "__version__"} == set(neurogame.__all__)
    assert "no such game" in run(code, tmp_path)
