"""The notebooks run, and what is committed shows their plots."""

from __future__ import annotations

import base64
import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
PICTURES = ("image/png", "image/svg+xml")


def read(path: Path) -> Any:
    """Return a notebook."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def pictures(cell: Any) -> list[tuple[str, str]]:
    """Return kind and contents of each picture among the outputs of a cell."""
    return [
        (kind, output["data"][kind])
        for output in cell.get("outputs", [])
        for kind in PICTURES
        if kind in output.get("data", {})
    ]


def printed(notebook: Any) -> str:
    """Return all that a notebook prints."""
    return "".join(
        output["text"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "stream" and output["name"] == "stdout"
    )


def is_drawn(kind: str, contents: str) -> bool:
    """Return whether a picture has something on it."""
    if kind == "image/svg+xml":
        return contents.count("<circle") + contents.count("<line") + contents.count("<rect") > 8
    from matplotlib import image

    pixels = image.imread(io.BytesIO(base64.b64decode(contents)))
    ink = (pixels[..., :3] < 0.95).any(axis=-1)
    return min(pixels.shape[:2]) > 150 and bool(0.01 < ink.mean() < 0.9)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_committed_notebook_is_executed_and_small(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert path.stat().st_size < 1_500_000
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    kinds = {output["output_type"] for cell in code for output in cell.outputs}
    assert "error" not in kinds
    assert all(output.get("name") != "stderr" for cell in code for output in cell.outputs)
    assert all(is_drawn(*picture) for cell in code for picture in pictures(cell))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_code_cell_follows_a_text(path: Path) -> None:
    cells = read(path).cells
    for before, cell in pairwise(cells):
        assert cell.cell_type == "markdown" or before.cell_type == "markdown"
    assert cells[0].cell_type == "markdown"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_draws_what_is_committed(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEUROGAME_QUICK", "1")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    place = tmp_path / "work"
    place.mkdir()
    committed, fresh = read(path), read(path)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    resources = {"metadata": {"path": str(place)}}
    # Raises if a cell does.
    NotebookClient(fresh, timeout=300, kernel_name="python3", resources=resources).execute()
    drawn = 0
    for old, new in zip(committed.cells, fresh.cells, strict=True):
        assert [kind for kind, _ in pictures(new)] == [kind for kind, _ in pictures(old)]
        assert all(is_drawn(*picture) for picture in pictures(new))
        drawn += len(pictures(new))
    assert drawn >= 10
    assert list(place.iterdir()) == []


def test_the_figures_of_soundness() -> None:
    """Pentago's lines at W = 1: the empty board 0.205, full without a line 0.985, won 0.508."""
    text = printed(read(REPOSITORY / "notebooks" / "rules_to_weights.ipynb"))
    rows = [line.split() for line in text.splitlines() if line.endswith("sound")]
    assert rows[0][-5:] == ["0.205", "0.985", "0.508", "NOT", "sound"]
    assert len(rows) == 3
    for row in rows[1:]:
        empty, full, won = map(float, row[-4:-1])
        assert won > 0 > full >= empty
