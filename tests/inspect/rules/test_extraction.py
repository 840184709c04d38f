"""Extraction of weighted rules: what was put in comes out, and says the same when it is read."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
import torch

from neurogame.arena.positions import played_positions
from neurogame.cli.main import main
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules.read import read_weighted_rules
from neurogame.evaluators.rules.signature import rules_signature
from neurogame.inspect.rules.extract import Extractor
from neurogame.inspect.rules.fidelity import fidelity
from neurogame.inspect.rules.report import rules_file_text
from neurogame.inspect.rules.samples import ExtractConfig
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.rules_file import evaluator_of_rules, load_weighted_rules
from neurogame.simulate.game import Game
from tests.conftest import REPOSITORY

SMALL = ExtractConfig(games=60, states=800, outcomes=1500, candidates=300)


@cache
def taught(name: str) -> tuple[Game, Evaluator]:
    """Return a game of the library and what is shipped for it."""
    game = Game.load(name)
    return game, load_checkpoint(REPOSITORY / "checkpoints" / f"{name}.pt").evaluator(game)


def test_rules_that_were_put_in_come_out() -> None:
    game = Game.load("connectfour")
    lines = [
        (x, y, dx, dy)
        for x in range(1, 8)
        for y in range(1, 7)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        if 1 <= x + 3 * dx <= 7 and 1 <= y + 3 * dy <= 6
    ]
    rows = "".join(
        "(row " + " ".join(f"{x + k * dx} {y + k * dy}" for k in range(4)) + ")"
        for x, y, dx, dy in lines
    )
    squares = (
        "(true (cell ?a ?b ?{0})) (true (cell ?c ?d ?{0})) (true (cell ?e ?f ?{0}))"
        " (true (cell ?g ?h ?{0}))"
    )
    text = f"""(game connectfour) (signature {rules_signature(game.rules)}) (opposed)
    (sides red black) (sides black red) {rows}
    (<= (worth ?me 0.7) (sides ?me ?other) (row ?a ?b ?c ?d ?e ?f ?g ?h)
        (exactly 3 {squares.format("me")}) (exactly 0 {squares.format("other")}))
    (<= (worth ?me 0.2) (sides ?me ?other) (row ?a ?b ?c ?d ?e ?f ?g ?h)
        (exactly 2 {squares.format("me")}) (exactly 0 {squares.format("other")}))"""
    assert len(lines) == 69
    teacher = evaluator_of_rules(read_weighted_rules(text), game)
    config = ExtractConfig(games=120, states=2000, outcomes=4000, candidates=1200)
    rules, about = Extractor(game, teacher, seed=1, config=config).rules(2)
    assert [own.kind for own in about] == ["line", "line"]
    assert sorted(rule.weight for rule in rules.rules) == pytest.approx([0.2, 0.7], rel=0.02)
    # 69 lines, for either side.
    assert [own.instances for own in about] == [138, 138]
    assert len(rules.facts) == 2
    played = played_positions(game, teacher, matches=30, seed=99, epsilon=0.5).drawn(300, 1)
    found = fidelity(game, teacher, evaluator_of_rules(rules, game), played)
    assert found.correlation > 0.999
    assert found.moves > 0.99


@pytest.mark.parametrize("name", ["connectfour", "breakthrough6"])
def test_more_rules_are_closer_and_better_than_nothing(name: str) -> None:
    game, teacher = taught(name)
    extractor = Extractor(game, teacher, seed=2, config=SMALL)
    played = played_positions(game, teacher, matches=30, seed=99, epsilon=0.5).drawn(300, 1)
    found = []
    for size in (3, 20):
        rules, about = extractor.rules(size)
        assert len(rules.rules) == len(about) == size
        text = rules_file_text(rules, about, fidelity(game, teacher, teacher, played), "it")
        again = evaluator_of_rules(read_weighted_rules(text), game)
        own = evaluator_of_rules(rules, game)
        with torch.no_grad():
            fluents = played.states.to_bool()
            assert torch.allclose(own(fluents), again(fluents), atol=1e-6)
        found.append(fidelity(game, teacher, own, played))
    assert found[1].correlation > found[0].correlation > 0.4
    assert found[1].moves > 2 * found[1].chance
    effects = [own.effect for own in about]
    assert effects == sorted(effects, reverse=True)


def test_instances_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.inspect.rules.choose.MOST_INSTANCES", 100)
    game, teacher = taught("connectfour")
    rules, about = Extractor(game, teacher, seed=2, config=SMALL).rules(30)
    assert 50 < sum(own.instances for own in about) <= 100
    assert len(rules.rules) == len(about) > 1


def test_a_teacher_agrees_with_itself_and_not_with_its_reverse() -> None:
    game, teacher = taught("connectfour")
    played = played_positions(game, teacher, matches=10, seed=5, epsilon=0.5)
    same = fidelity(game, teacher, teacher, played)
    assert (same.difference, same.side, same.moves) == (0.0, 1.0, 1.0)

    class Reverse(Evaluator):
        """Takes the opponent's value for one's own."""

        def forward(self, fluents: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = teacher(fluents)
            return found.flip(1)

    other = Reverse(len(game.fluents), 2, {"kind": "reverse"})
    apart = fidelity(game, teacher, other, played)
    assert apart.correlation == pytest.approx(-1)
    assert apart.side == 0
    assert apart.moves < 0.2


def test_the_command_writes_what_players_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.rules"
    line = ["inspect", str(REPOSITORY / "checkpoints" / "tictactoe.pt"), "--rules", "--size", "6"]
    assert main([*line, "--out", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["extracted"]
    assert report["size"] == len(report["rules"]) == 6
    assert report["fidelity"]["moves"] > report["fidelity"]["chance"]
    assert report["fidelity"]["moves"] > report["initial"]["moves"]
    # The same everywhere before learning: and JSON knows no NaN.
    assert report["initial"]["correlation"] == 0.0
    written = load_weighted_rules(path)
    assert [rule.weight for rule in written.rules] == [row["weight"] for row in report["rules"]]
    assert main(["inspect", str(path), "--state", "random:3:1"]) == 0
    assert "value for oplayer" in capsys.readouterr().out
    assert main(["match", "tictactoe", "--players", f"alphabeta:{path},depth=1", "random"]) == 0
    assert main(line) == 0
    shown = capsys.readouterr().out
    assert "6 weighted rules" in shown
    assert "(<= (worth ?me" in shown
