"""A judge of moves and an evaluator, each of one file and one line: the package knows them then."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

from neurogame.array_types import Bools, Float32s
from neurogame.cli.main import build_parser, main
from neurogame.errors import NeurogameWarning, PlayerError
from neurogame.evaluators import kinds
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.of_moves import attribute_move
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.checkpoints.folder import CheckpointFolder
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game
from neurogame.view.deferred import Deferred
from neurogame.view.judgement import explained, judged_position
from neurogame.view.opinion import PageOpinion
from neurogame.view.site import boot
from neurogame.view.subject import open_subject
from tests import processes
from tests.evaluators.toy_evaluator import ToyValues
from tests.evaluators.toy_judge import ToyJudge
from tests.library import Captured, Patch

JUDGE, VALUES = "toy", "toy-values"


@pytest.fixture(autouse=True)
def registered(monkeypatch: Patch) -> Iterator[None]:
    """Register both: one line each."""
    monkeypatch.setitem(kinds.PLACES, JUDGE, "tests.evaluators.toy_judge:KIND")
    monkeypatch.setitem(kinds.PLACES, VALUES, "tests.evaluators.toy_evaluator:KIND")
    kinds._kinds.cache_clear()
    yield
    kinds._kinds.cache_clear()


@pytest.fixture
def taught(tmp_path: Path) -> Path:
    """Return a checkpoint with both, which have learned."""
    path = tmp_path / "both.pt"
    command = ["learn", "tictactoe", "--quiet", "--seed", "3", "--out", str(path)]
    assert main([*command, "--toy", "games=30"]) == 0
    assert main([*command, "--toy-values", "games=200", "--into", str(path)]) == 0
    return path


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mcts:tree=toy,sims=40", {JUDGE}),
        ("mcts:playout=toy,games=2,sims=40", {JUDGE}),
        ("mcts:toy-values,cutoff=0,sims=40", {VALUES}),
        ("alphabeta:toy-values,depth=2", {VALUES}),
        ("mcts:FILE,tree=toy,cutoff=0,sims=40", {JUDGE, VALUES}),
        ("alphabeta:FILE,depth=2", {VALUES}),
        ("alphabeta:FOLDER,depth=2", {VALUES}),
        ("mcts:FOLDER,playout=toy,sims=40", {JUDGE}),
    ],
)
def test_they_play_in_both_searches(
    text: str, wanted: set[str], taught: Path, monkeypatch: Patch
) -> None:
    asked: set[str] = set()
    scores, values = ToyJudge.move_scores, ToyValues.forward

    def judged(self: ToyJudge, fluents: Bools, legal: Bools, role: int) -> Float32s:
        asked.add(JUDGE)
        return scores(self, fluents, legal, role)

    def valued(self: ToyValues, fluents: Tensor) -> Tensor:
        asked.add(VALUES)
        return values(self, fluents)

    monkeypatch.setattr(ToyJudge, "move_scores", judged)
    monkeypatch.setattr(ToyValues, "forward", valued)
    game = Game.load("tictactoe")
    player = make_player(text.replace("FILE", str(taught)).replace("FOLDER", str(taught.parent)))
    player.start(MatchStart(game, 0, 1))
    state = game.initial_state()
    assert player.choose(state, Limit()) in state.legal_moves[0]
    assert asked == wanted


@pytest.mark.parametrize(
    ("name", "player"), [(JUDGE, "mcts:{path},tree=toy,sims=1000"), (VALUES, "alphabeta:{path}")]
)
def test_who_has_learned_can_be_played_with(
    name: str, player: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "one.pt"
    assert main(["learn", "tictactoe", f"--{name}", "games=2", "--out", str(path)]) == 0
    text = player.format(path=path)
    assert f"neurogame play tictactoe --opponent {text}\n" in capsys.readouterr().out
    make_player(text, Game.load("tictactoe"))


def test_they_learn_and_are_stored(taught: Path) -> None:
    held = load_checkpoint(taught)
    assert repr(held).startswith("Checkpoint('tictactoe': evaluator toy-values, judge toy")
    judge, evaluator, before = held.judge(JUDGE), held.evaluator(), held.initial_evaluator()
    assert isinstance(judge, ToyJudge)
    assert isinstance(evaluator, ToyValues)
    assert isinstance(before, ToyValues)
    assert len(set(judge.worth.tolist())) > 2
    assert not bool(before.weight.any())
    # Three in a row of x is good for x, and bad for o.
    game = held.game()
    won = torch.zeros(1, len(game.fluents), dtype=torch.bool)
    won[0, [game.fluent_index(f"(cell 1 {row} x)") for row in "123"]] = True
    values = evaluator(won)[0]
    assert values[0] > 0.5 > values[1]
    folder = CheckpointFolder(taught.parent)
    folder.refresh()
    assert folder.find(game, holding=JUDGE) == taught
    assert folder.find(game, holding="policy") is None


def test_they_are_explained_in_the_terminal(taught: Path, capsys: Captured) -> None:
    capsys.readouterr()
    assert main(["inspect", str(taught)]) == 0
    text = capsys.readouterr().out
    assert "evaluator toy-values" in text
    assert "judge of moves toy (scores: 0..1; moves 20)" in text
    assert "weight" in text
    for judge, kind in ((JUDGE, "move"), ("evaluator", "fluent")):
        assert main(["inspect", str(taught), "--state", "initial", "--judge", judge, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["attribution"]
        assert found["method"] == "exact"
        assert {own["kind"] for own in found["contributions"]} == {kind}
    for source in (JUDGE, VALUES):
        assert main(["inspect", "tictactoe", "--evaluator", source]) == 0
        assert source in capsys.readouterr().out
    assert main(["inspect", str(taught), "--compare", str(taught), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["comparison"]["judges"]
    assert (row["judge"], row["changed"]) == (JUDGE, 0)


def test_other_methods_take_them_apart_too(taught: Path) -> None:
    held = load_checkpoint(taught)
    game = held.game()
    state = game.initial_state().next([0, 9])
    evaluator, judge = held.evaluator(), held.judge(JUDGE)
    for method in ("shapley", "gradients", "toggling"):
        assert attribute(evaluator, state, 0, method=method).value == pytest.approx(
            float(evaluator(state.fluents[None])[0, 0])
        )
    found = attribute_move(judge, state, 1, state.legal_moves[1][0], method="shapley")
    # It reads no fluent.
    assert found.contributions == ()


def asked(opinion: Deferred[PageOpinion]) -> PageOpinion:
    """Return an opinion when it is made."""
    made = opinion.get(None)
    assert made is not None
    return made


def test_they_are_explained_on_the_page(taught: Path) -> None:
    subject = open_subject(str(taught))
    state = subject.game.initial_state()
    for name, measure, unit in (("values", "value", "log-odds"), (JUDGE, "score", "scores")):
        opinion = asked(subject.opinions[name])
        shown = judged_position(opinion, state)
        assert shown["measure"] == measure
        assert shown["methods"][0] == "exact"
        told, _ = explained(opinion, state, 0)
        assert f"in {unit}" in told["note"]
        assert "in all" in str(told["panel"])
    assert VALUES in boot(subject)["fresh"]
    for source in (JUDGE, VALUES):
        fresh = open_subject("tictactoe", evaluator=source)
        assert fresh.judged_by == f"{source} (untrained)"
        (made,) = fresh.opinions.values()
        assert judged_position(asked(made), state)["moves"][0]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("learn", ["--toy ", "--toy-values ", "games=20", "games=64"]),
        ("inspect", [JUDGE, VALUES]),
        ("view", [JUDGE, VALUES]),
    ],
)
def test_they_are_named_in_the_help(command: str, words: list[str], capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        build_parser(command).parse_args([command, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert [word for word in words if word not in text] == []


def test_the_names_of_all_kinds_cost_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from neurogame.players.spec import PlayerSpec; "
        "PlayerSpec.parse('mcts:features,tree=knowledge'); from neurogame.cli import learn, view; "
        "print([name for name in ('torch', 'numpy') if name in sys.modules])"
    )
    found = processes.run([sys.executable, "-c", code], cwd=tmp_path, env=processes.environment())
    assert found.stdout == "[]\n"


def test_refusals_name_them() -> None:
    with pytest.raises(PlayerError, match=r"uct, rave, grave, .*, toy, values, gated"):
        make_player("mcts:tree=oak")
    with pytest.raises(PlayerError, match=r"games.*at least 1"):
        make_player("mcts:tree=toy,games=0")


PACKAGE = """
from neurogame.evaluators.kind import MoveJudgeKind

class Kind(MoveJudgeKind):
    name, about = "{name}", "of another package"

KIND = Kind()
"""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: Patch) -> None:
    """Install a package that registers five kinds, of which four cannot be had."""
    (tmp_path / "one_more.py").write_text(PACKAGE.format(name="one-more"))
    told = tmp_path / "one_more-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: one-more\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(
        "[neurogame.kinds]\none-more = one_more:KIND\nlost = nowhere_at_all:KIND\n"
        "other = one_more:KIND\ntext = one_more:__name__\npolicy = one_more:KIND\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("elsewhere")
def test_another_package_registers_one() -> None:
    with pytest.warns(NeurogameWarning) as warned:
        known = kinds.move_kinds()
    assert known["one-more"].about == "of another package"
    assert "lost" not in known
    texts = sorted(str(own.message) for own in warned)
    assert [text.split(" cannot be had")[0] for text in texts] == [
        "neurogame.kinds: 'lost' at nowhere_at_all:KIND",
        "neurogame.kinds: 'other' at one_more:KIND",
        "neurogame.kinds: 'policy' at one_more:KIND",
        "neurogame.kinds: 'text' at one_more:__name__",
    ]
    with warnings.catch_warnings():
        # Said once.
        warnings.simplefilter("error")
        assert kinds.move_kinds() == known
    with pytest.raises(PlayerError, match="one-more"):
        make_player("mcts:tree=oak")


def test_each_line_names_what_it_registers() -> None:
    known = {**kinds.evaluator_kinds(), **kinds.move_kinds()}
    assert {name: kind.name for name, kind in known.items()} == {
        name: name for name in kinds.PLACES
    }
