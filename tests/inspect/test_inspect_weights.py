"""Every weight is found under the rule and the atom it came from, with its drift."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import GameError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.cilp_sound import SoundNetworks
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.inspect.network_svg import network_svg
from neurogame.inspect.weights import BIAS, summaries, tensor_drifts, weight_table
from neurogame.learn.checkpoints.checkpoint import empty_checkpoint, save_checkpoint
from neurogame.simulate.game import Game

CROSS = """
(role x)
(cell 1) (cell 2) (cell 3)
(<= (base (mark ?n)) (cell ?n))
(<= (input x (put ?n)) (cell ?n))
(<= (legal x (put ?n)) (cell ?n) (not (true (mark ?n))))
(<= (next (mark ?n)) (does x (put ?n)))
(<= (next (mark ?n)) (true (mark ?n)))
(<= both (true (mark 1)) (true (mark 2)))
(<= some both)
(<= some (true (mark 3)))
(<= terminal some)
(<= (goal x 100) both (not (true (mark 3))))
(<= (goal x 50) some)
(<= (goal x 0) (not some))
"""


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.from_text(CROSS, name="cross", cache=False)


def pair(game: Game, kind: str = "cilp") -> tuple[SoundNetworks, SoundNetworks]:
    """Return an evaluator in which one weight grew by a tenth, and as it was before."""
    initial, current = (make_evaluator(game, EvaluatorConfig(kind=kind)) for _ in range(2))
    assert isinstance(initial, SoundNetworks)
    assert isinstance(current, SoundNetworks)
    with torch.no_grad():
        current.rho[0] += torch.log(torch.tensor(1.1))
    return current, initial


def test_table_names_rules_and_atoms(game: Game) -> None:
    current, initial = pair(game)
    rows = weight_table(current, initial)
    wiring = current.wiring
    assert len(rows) == wiring.edge_count + wiring.unit_count
    first = rows[0]
    assert first.drift == pytest.approx(0.1 * first.initial, rel=1e-5)
    assert all(row.drift == 0.0 for row in rows[1:])
    assert sum(row.child == BIAS for row in rows) == wiring.unit_count
    hundred = [row for row in rows if row.network == "(goal x 100)"]
    assert {(row.unit, row.child) for row in hundred if row.child != BIAS} >= {
        ("both", "(true (mark 1))"),
        ("both", "(true (mark 2))"),
        ("(goal x 100)", "both"),
        ("(goal x 100)", "(not (true (mark 3)))"),
    }
    for row in rows:
        if row.child != BIAS:
            assert (row.initial < 0) == row.child.startswith("(not ")
    both = next(row for row in hundred if row.unit == "both")
    assert both.kind == "and"
    assert both.rule is not None
    assert str(game.rules.rules[both.rule].head.name) == "both"
    disjunction = next(row for row in rows if row.unit == "some")
    assert (disjunction.kind, disjunction.rule) == ("or", None)


def test_summaries_put_the_drift_where_it_is(game: Game) -> None:
    current, initial = pair(game)
    rows = weight_table(current, initial)
    found = summaries(rows, {})
    assert found[0].network == rows[0].network
    assert found[0].current > found[0].initial
    assert found[0].drift == pytest.approx(rows[0].drift / found[0].weights ** 0.5)
    assert all(summary.drift == 0.0 for summary in found[1:])
    assert sum(summary.weights for summary in found) == current.wiring.edge_count
    assert "some" in {summary.source for summary in found}


def test_tensor_drifts(game: Game) -> None:
    current, initial = pair(game)
    drifts = {d.name: d for d in tensor_drifts(current.state_dict(), initial.state_dict())}
    assert drifts["rho"].drift == pytest.approx(0.09531, abs=1e-5)
    assert drifts["bias"].drift == 0.0
    assert drifts["bias"].numbers == current.wiring.unit_count


def test_picture_shows_every_edge_and_neuron(game: Game) -> None:
    current, initial = pair(game)
    for before in (None, initial):
        tree = ElementTree.fromstring(network_svg(current, 0, before))
        tag = "{http://www.w3.org/2000/svg}"
        assert len(tree.findall(f"{tag}line")) == 4
        # Three fluents, "both" and the goal.
        assert len(tree.findall(f"{tag}circle")) == 5
        titles = [element.text for element in tree.iter(f"{tag}title")]
        assert titles[0] == "(goal x 100)"
        assert {"both", "(true (mark 3))"} <= set(titles)
        widths = [float(line.attrib["stroke-width"]) for line in tree.findall(f"{tag}line")]
        assert max(widths) == pytest.approx(3.3)
        assert len(set(widths)) > 1


def test_what_cannot_be_shown_is_refused(game: Game) -> None:
    current, _ = pair(game)
    with pytest.raises(GameError, match="no goal network 9"):
        network_svg(current, 9)
    fuzzy = make_evaluator(game, EvaluatorConfig(kind="fuzzy"))
    with pytest.raises(GameError, match="'fuzzy' has no weights"):
        weight_table(fuzzy, fuzzy)


@pytest.mark.parametrize("kind", ["cilp", "mlp"])
def test_command(game: Game, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    initial, current = (make_evaluator(game, EvaluatorConfig(kind=kind)) for _ in range(2))
    with torch.no_grad():
        next(current.parameters()).add_(0.1)
    path = tmp_path / "cross.pt"
    save_checkpoint(
        path,
        replace(
            empty_checkpoint(game),
            description=current.describe(),
            weights=dict(current.state_dict()),
            initial_weights=dict(initial.state_dict()),
            counters={"matches": 3},
        ),
    )
    assert main(["inspect", str(path), "--json", "--top", "3"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["kind"] == kind
    assert report["tensors"][0]["drift"] > 0
    assert len(report["weights"]) == (3 if kind == "cilp" else 0)
    assert main(["inspect", str(path)]) == 0
    text = capsys.readouterr().out
    assert "matches 3" in text
    if kind == "cilp":
        assert [abs(row["drift"]) for row in report["weights"]] == sorted(
            (abs(row["drift"]) for row in report["weights"]), reverse=True
        )
        assert any("both" in row["source"] for row in report["rules"])
        assert "(goal x 100): both <- (true (mark 1))" in text
        assert main(["inspect", str(path), "--svg", str(tmp_path / "x.svg")]) == 0
        assert (tmp_path / "x.svg").read_text().startswith("<svg")
    assert main(["inspect", str(tmp_path / "none.pt")]) == 1
