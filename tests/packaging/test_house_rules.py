"""The shape of the code: names, docstrings, annotations, sizes, and the direction of imports."""

from __future__ import annotations

import ast
import atexit
import importlib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from neurogame.ggp.server.forker import _VARIABLE
from tests.conftest import REPOSITORY
from tests.library import Patch

PACKAGE = REPOSITORY / "neurogame"
FILES = sorted(PACKAGE.rglob("*.py"))
TEXTS = [*FILES, *sorted((REPOSITORY / "tests").rglob("*.py"))]
ROOMS = (
    *("workers", "gdl", "ground", "prover", "graph", "circuit", "analysis", "regress"),
    *("native", "structure", "judges", "kernels", "simulate", "show", "features"),
    *("evaluators", "search"),
    *("learn", "players", "envs", "arena", "ggp", "inspect", "data", "kinds", "view", "cli"),
)
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def short(path: Path) -> str:
    """Return the path below the package."""
    return path.relative_to(PACKAGE).as_posix()


def public(path: Path) -> Iterator[tuple[str, ast.ClassDef | Function]]:
    """Return every public class, function and method of a file with its dotted name."""
    for node in tree(path).body:
        if not isinstance(node, ast.ClassDef | Function) or node.name.startswith("_"):
            continue
        yield node.name, node
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, Function) and not member.name.startswith("_"):
                    yield f"{node.name}.{member.name}", member


def unannotated(function: Function) -> list[str]:
    """Return what lacks an annotation in a function's signature."""
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    arguments += [extra for extra in (given.vararg, given.kwarg) if extra is not None]
    names = [a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")]
    return names if function.returns is not None else [*names, "return"]


def imported(node: ast.AST) -> list[str]:
    """Return the modules of this package that an import statement names."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        whole = [f"{node.module}.{alias.name}" for alias in node.names]
        names = [name if name in MODULES else str(node.module) for name in whole]
    else:
        names = []
    return sorted({name for name in names if name in MODULES})


def test_every_module_imports_and_has_its_public_names(monkeypatch: Patch) -> None:
    # Where a server has run before, the process that others are copied from says that it is warm
    # until it dies; this one would wait for that to say so itself.
    monkeypatch.delenv(_VARIABLE, raising=False)
    for name in MODULES:
        if name == "neurogame.envs.spiel" and find_spec("pyspiel") is None:
            continue  # An extra that the tests do without.
        module = importlib.import_module(name)
        assert (module.__doc__ or "").strip(), name
        names = list(getattr(module, "__all__", []))
        assert len(names) == len(set(names)), name
        assert [own for own in names if not hasattr(module, own)] == [], name
        # The process that others are copied from ends by a code of its own; this one must not:
        # it would tell of success whatever fails.
        if name.endswith("ggp.server.preload"):
            atexit.unregister(module._leave)


def test_everything_public_has_a_docstring() -> None:
    missing = [
        f"{short(path)}: {name}"
        for path in FILES
        for name, node in public(path)
        if not (ast.get_docstring(node) or "").strip() and not is_overload(node)
    ]
    assert missing == []


def is_overload(node: ast.AST) -> bool:
    """Return whether something is one of the forms of a function, which tells its types alone."""
    return any(ast.unparse(one) == "overload" for one in getattr(node, "decorator_list", ()))


def test_every_function_is_annotated() -> None:
    missing = [
        f"{short(path)}:{node.lineno}: {node.name}({', '.join(lacking)})"
        for path in FILES
        for node in ast.walk(tree(path))
        if isinstance(node, Function) and (lacking := unannotated(node))
    ]
    assert missing == []


def test_files_are_short_and_named_for_one_idea() -> None:
    long = [
        f"{path.relative_to(REPOSITORY)}: {count} lines"
        for path in TEXTS
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 500
    ]
    assert long == []
    vague = {"util", "utils", "helper", "helpers", "misc", "common", "tools", "types"}
    assert [short(path) for path in FILES if path.stem in vague] == []


def test_public_classes_have_names_of_their_own() -> None:
    homes: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name)
    shared = {name: found for name, found in homes.items() if len(found) > 1}
    # What each of the two compiled searches works on.
    shared.pop("Search", None)
    assert shared == {}


def test_the_rooms_are_the_known_ones() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(ROOMS)
    assert (PACKAGE / "py.typed").exists()


@cache
def arrows(path: Path) -> frozenset[str]:
    """Return the modules that a file imports: at its head, in functions, for its types alone."""
    found = {name for node in ast.walk(tree(path)) for name in imported(node)}
    return frozenset(found - {module_name(path)})


def place(module: str) -> int:
    """Return where a module lies: files at the root first, then rooms, the two entrances last."""
    if module in (PACKAGE.name, f"{PACKAGE.name}.__main__"):
        return len(ROOMS)
    room = module.split(".")[1]
    return ROOMS.index(room) if room in ROOMS else -1


def test_imports_point_to_the_left() -> None:
    """A file imports from its own room and from those before it."""
    wrong = {
        (short(path), target.removeprefix("neurogame."))
        for name, path in MODULES.items()
        for target in arrows(path)
        if place(target) > place(name)
    }
    assert sorted(wrong) == []


def test_imports_have_no_cycle() -> None:
    graph = {name: arrows(path) for name, path in MODULES.items()}
    # Raises a CycleError that names the cycle.
    order = list(TopologicalSorter(graph).static_order())
    assert set(order) == set(MODULES)
