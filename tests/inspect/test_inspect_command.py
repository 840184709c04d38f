"""``neurogame inspect`` on all kinds of evaluators and judges of moves."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import GameError, RulesError
from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.cilp_sound import SoundNetworks
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.inspect.named_state import named_state
from neurogame.inspect.network_svg import network_svg
from neurogame.inspect.subject import find_subject
from neurogame.inspect.weights import BIAS, summaries, tensor_drifts, weight_table
from neurogame.learn.checkpoints.checkpoint import (
    empty_checkpoint,
    save_checkpoint,
)
from neurogame.learn.judges import plain_judge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.simulate.game import Game
from tests.conftest import REPOSITORY
from tests.library import checkpoint_of

TRAINED = str(REPOSITORY / "checkpoints" / "tictactoe.pt")


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two files with the same two judges of moves and no evaluator, of different seeds."""
    game = Game.load("tictactoe")
    files = []
    for seed in (1, 2):
        action = make_action_circuit(game, ActionConfig(trainable=True))
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for part in action.parameters():
                part.add_(torch.randn(part.shape, generator=generator) / 10)
        held = {
            "knowledge": plain_judge(learn_knowledge(game, KnowledgeConfig(games=200), seed=seed)),
            "action": plain_judge(action),
        }
        path = tmp_path_factory.mktemp("judges") / f"{seed}.pt"
        save_checkpoint(path, replace(empty_checkpoint(game), judges=held))
        files.append(str(path))
    return files


def report(line: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """Run the command and return its JSON object."""
    assert main(["inspect", *line, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_judges_without_an_evaluator_are_shown(
    judges: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = report([judges[0], "--top", "4"], capsys)
    assert found["kind"] is None
    held = found["judges"]
    assert isinstance(held, list)
    by_name = {own["judge"]: own for own in held}
    assert sorted(by_name) == ["action", "knowledge"]
    assert by_name["knowledge"]["sizes"]["games"] == 200
    assert len(by_name["knowledge"]["fluents"]) == 8
    weights = [abs(row["weight"]) for row in by_name["knowledge"]["fluents"][:4]]
    assert weights == sorted(weights, reverse=True)
    assert all(len(own["moves"]) == 8 for own in held)
    assert by_name["action"]["leaves"]
    assert main(["inspect", judges[0], "--top", "4"]) == 0
    shown = capsys.readouterr().out
    assert "no evaluator of states" in shown
    assert all(f"judge of moves {name}" in shown for name in by_name)


@pytest.mark.parametrize("name", ["action", "knowledge"])
def test_judges_explain_moves(
    name: str, judges: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    line = [judges[0], "--judge", name, "--state", "random:3:1"]
    found = report(line, capsys)["attribution"]
    assert isinstance(found, dict)
    # Without a move it is the best one that is explained.
    assert found["move"] == found["moves"][0]["text"]
    assert found["total"] == pytest.approx(found["moves"][0]["value"], abs=1e-4)
    amounts = sum(own["amount"] for own in found["contributions"])
    assert found["base"] + amounts + found["gap"] == pytest.approx(found["total"])
    one, other = found["moves"][0]["text"], found["moves"][1]["text"]
    assert main(["inspect", *line, "--move", one, "--rather-than", other, "--top", "3"]) == 0
    assert f"{one} rather than {other} for oplayer" in capsys.readouterr().out


def test_judges_are_compared(judges: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = report([judges[0], "--compare", judges[1], judges[0]], capsys)["comparison"]
    assert isinstance(found, dict)
    rows = found["judges"]
    assert [row["judge"] for row in rows] == ["action"] * 2 + ["knowledge"] * 2
    for other, same in zip(rows[::2], rows[1::2], strict=True):
        assert same["changed"] == 0
        assert same["correlation"] == pytest.approx(1)
        assert other["correlation"] < 1
        assert other["asked"] > 100
    knowledge = rows[2]["fluents"]
    apart = [abs(row["this"] - row["other"]) for row in knowledge]
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > 0
    assert main(["inspect", judges[0], "--compare", TRAINED]) == 1
    assert "nothing to compare" in capsys.readouterr().err


@pytest.mark.parametrize(
    "kind", ["cilp", "cilp-paper", "fuzzy", "fluxplayer", "mlp", "features", "blind", "action"]
)
def test_fresh_evaluators_of_a_game(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = report(["tictactoe", "--evaluator", kind, "--state", "random:4:2"], capsys)
    own = found["attribution"]
    assert isinstance(own, dict)
    amounts = sum(part["amount"] for part in own["contributions"])
    assert own["base"] + amounts + own["gap"] == pytest.approx(own["total"])
    assert abs(own["gap"]) < 0.02


def test_an_evaluator_explains_a_move(capsys: pytest.CaptureFixture[str]) -> None:
    line = [TRAINED, "--state", "random:4:1", "--role", "xplayer"]
    moves = report(line, capsys)["attribution"]
    assert isinstance(moves, dict)
    best, worst = moves["moves"][0], moves["moves"][-1]
    found = report([*line, "--move", best["text"], "--rather-than", worst["text"]], capsys)
    why = found["attribution"]
    assert isinstance(why, dict)
    assert why["value"] == pytest.approx(best["value"] - worst["value"], abs=1e-5)
    assert main(["inspect", *line, "--move", best["text"]]) == 0
    assert f"{best['text']} for xplayer" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--move", "(mark 1 1)"], "--move goes with --state"),
        (["--state", "initial", "--rather-than", "(mark 1 1)"], "by --move and --rather-than"),
        (["--state", "initial", "--judge", "knowledge"], "no judge of moves 'knowledge'"),
        (["--state", "initial", "--move", "(mark 9 9)"], "has no move '(mark 9 9)'"),
        (["--state", "initial", "--move", "(mark 1 1)", "--against", "initial"], "two states are"),
        (["--state", "nonsense"], "error:"),
        (["--state", ""], "'' names no state"),
        (["--state", "initial", "--role", "nobody"], "has no role 'nobody'"),
        (["--evaluator", "fuzzy"], "which has its own evaluator"),
        (["--out", "x.rules"], "--out FILE.rules goes with --rules"),
        (["--rules", "--out", "x.txt"], "which end with .rules"),
        (["--rules", "--size", "0"], "at least 1 rule"),
    ],
)
def test_wrong_questions_are_one_line(
    line: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", TRAINED, *line]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert message in shown.err


def test_unknown_evaluators_and_values_of_judges_are_refused(
    judges: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["inspect", "tictactoe", "--evaluator", "magic"]) == 1
    assert "no fresh evaluator 'magic'" in capsys.readouterr().err
    for asked in (["--calibration"], ["--svg", str(tmp_path / "x.svg")]):
        assert main(["inspect", judges[0], *asked]) == 1
        assert "only judges of moves" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_game_is_found_by_name_and_path(tmp_path: Path) -> None:
    path = REPOSITORY / "games" / "tictactoe.kif"
    assert find_subject(str(path)).game.rules == find_subject("TicTacToe").game.rules
    assert find_subject(TRAINED).checkpoint is not None
    (tmp_path / "latest.pt").write_bytes(Path(TRAINED).read_bytes())
    assert find_subject(str(tmp_path)).checkpoint is not None


def test_states_have_names() -> None:
    game = Game.load("tictactoe")
    assert named_state(game, "initial") == game.initial_state()
    text = " ".join(game.initial_state().fluent_texts)
    assert named_state(game, text) == game.initial_state()
    four = named_state(game, "random:4:7")
    assert named_state(game, "random:4:7") == four
    assert not four.is_terminal
    assert sum("blank" in text or " b)" in text for text in four.fluent_texts) == 5


def test_a_fluent_may_begin_as_the_word_for_random_states() -> None:
    rules = """(role me) (init randomly) (<= (legal me go) (true randomly))
    (<= (next done) (does me go)) (<= terminal (true done)) (<= (goal me 100) (true done))"""
    game = Game.from_text(rules, "word")
    assert named_state(game, "randomly") == game.initial_state()


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", GameError, "names no state"),
        ("random:x", GameError, "random:PLIES"),
        ("random:-1", GameError, "random:PLIES"),
        ("random:99", GameError, "the longest one"),
        ("(cell 1 1", RulesError, "unmatched opening"),
        ("(cell 7 1 b)", GameError, "no fluent"),
    ],
)
def test_what_is_no_state_is_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        named_state(Game.load("tictactoe"), text)


def test_the_command_says_what_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    line = [TRAINED, "--state", "random:4:1", "--role", "xplayer"]
    found: Any = report(line, capsys)["attribution"]
    amounts = sum(own["amount"] for own in found["contributions"])
    assert found["base"] + amounts + found["gap"] == pytest.approx(found["total"])
    assert any(own["holding"] for own in found["contributions"])
    assert main(["inspect", *line, "--top", "3"]) == 0
    shown = capsys.readouterr().out
    assert "value for xplayer" in shown
    assert all(row["text"] in shown for row in found["in_short"])
    lines = sum(row["amount"] for row in found["in_short"])
    assert found["base"] + lines + found["gap"] == pytest.approx(found["total"])


def test_two_states_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    line = [TRAINED, "--state", "random:4:1", "--against", "random:4:2"]
    found: Any = report(line, capsys)["attribution"]
    assert found["against"] != found["state"]
    amounts = sum(own["amount"] for own in found["contributions"])
    assert amounts + found["gap"] == pytest.approx(found["total"])


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
    initial, current = (make_evaluator(game, kind) for _ in range(2))
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
    fuzzy = make_evaluator(game, "fuzzy")
    with pytest.raises(GameError, match="'fuzzy' has no weights"):
        weight_table(fuzzy, fuzzy)


@pytest.mark.parametrize("kind", ["cilp", "mlp"])
def test_command(game: Game, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    initial, current = (make_evaluator(game, kind) for _ in range(2))
    with torch.no_grad():
        next(current.parameters()).add_(0.1)
    path = tmp_path / "cross.pt"
    save_checkpoint(path, checkpoint_of(game, current, initial, counters={"matches": 3}))
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
