"""What the page is told: values, contributions, curves; and searches by players."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from neurogame.aside import are_busy
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.rules.signature import rules_signature
from neurogame.evaluators.true_goal import state_values
from neurogame.inspect.move_values import move_values
from neurogame.inspect.subject import file_subject
from neurogame.learn.checkpoints.checkpoint import empty_checkpoint, save_checkpoint
from neurogame.learn.judges import plain_judge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.learn.run_files import EVALUATIONS
from neurogame.learn.run_folder import RunFolder
from neurogame.simulate.game import Game
from neurogame.view.curves import curves
from neurogame.view.deferred import Deferred
from neurogame.view.judgement import TOP
from neurogame.view.page import script_json
from neurogame.view.server import PageServer
from neurogame.view.story import story
from neurogame.view.subject import open_subject
from tests.cli.test_runs import made as made_run
from tests.conftest import REPOSITORY
from tests.processes import children, wait_until
from tests.view.serving import ask, post, served

CHECKPOINT = str(REPOSITORY / "checkpoints" / "tictactoe.pt")
LINE = [["(mark 2 2)", "noop"], ["noop", "(mark 1 1)"]]


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    with served(open_subject(CHECKPOINT)) as own:
        yield own


def made(server: PageServer, path: str, given: dict[str, object]) -> dict[str, object]:
    """Ask until what values states is made."""
    while True:
        status, found = post(server, path, given)
        assert status == 200, found
        if "pending" not in found:
            return found


def test_values_are_the_evaluators(server: PageServer) -> None:
    found = made(server, "/api/values", {"line": LINE, "judge": "values"})
    game = Game.load("tictactoe")
    subject = server.site.subject
    evaluator = subject.opinions["values"].get(None)
    assert evaluator is not None
    state = server.site.positions.state(tuple(map(tuple, LINE)))
    expected = evaluator.of_moves(state)
    assert found["moves"] == [[{"text": m.text, "value": m.value} for m in r] for r in expected]
    assert found["state"] == list(evaluator.of_states([state])[0])
    assert len(expected[0]) == 7
    assert game.roles == subject.game.roles


def test_values_over_a_match_end_with_its_goals() -> None:
    game = Game.load("tictactoe")
    with served(open_subject("tictactoe", evaluator="fuzzy")) as server:
        moves = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]
        line = [[m, "noop"] if ply % 2 == 0 else ["noop", m] for ply, m in enumerate(moves)]
        found = made(server, "/api/curve", {"line": line, "judge": "values"})["values"]
        assert isinstance(found, list)
        assert len(found) == 6
        assert found[-1] == [1.0, 0.0]
        evaluator = make_fresh("fuzzy", game)
        first = state_values(game.simulator(), evaluator, game.initial_state().batch)
        assert found[0] == first[0].tolist()
        shown = made(server, "/api/values", {"line": [], "judge": "values"})["moves"]
        assert isinstance(shown, list)
        expected = move_values(evaluator, game.initial_state())
        assert shown[0] == [{"text": m.text, "value": m.value} for m in expected[0]]


@pytest.mark.parametrize("listing", ["parts", "fluents"])
def test_contributions_add_up(server: PageServer, listing: str) -> None:
    question = {"line": LINE, "judge": "values", "role": 0, "listing": listing}
    found = made(server, "/api/explain", question)
    texts = [[cell[-1] for cell in line[3:]] for line in lines_of(found["panel"])]
    amounts = {row[-1]: float(row[0]) for row in texts[1:]}
    added = [amounts.pop(name, 0.0) for name in ("base", "left over", "in all")]
    rest = [amounts.pop(text) for text in list(amounts) if text.endswith(" more")]
    assert len(amounts) <= TOP
    sizes = list(map(abs, amounts.values()))
    # Of parts what the rules say comes first, and what is left last.
    assert listing == "parts" or sizes == sorted(sizes, reverse=True)
    if listing == "parts":
        whole = sum(amounts.values()) + sum(rest) + added[0] + added[1]
        assert whole == pytest.approx(added[2], abs=2e-3)
        assert added[2] == pytest.approx(float(str(found["total"])), abs=1e-4)
    assert "data-square" in str(found["svg"])
    assert any(line[2] for line in lines_of(found["panel"]))


def lines_of(panel: Any) -> Any:
    """Return the lines of the first table of a panel, each name, style, squares and cells."""
    while panel[0] != "tbody":
        panel = next(own for own in panel[3:] if isinstance(own, list))
    return panel[3:]


def test_why_this_move_rather_than_that(server: PageServer) -> None:
    question: dict[str, object] = {"line": LINE, "judge": "values", "role": 0}
    one, other = "(mark 1 2)", "(mark 3 3)"
    whole = made(server, "/api/explain", {**question, "move": one, "rather": other})
    single = [made(server, "/api/explain", {**question, "move": move}) for move in (one, other)]
    totals = [float(str(found["total"])) for found in (whole, *single)]
    assert totals[0] == pytest.approx(totals[1] - totals[2])


@pytest.mark.parametrize(
    "wrong",
    [
        *({"role": 2}, {"role": "x"}, {"role": None}, {"role": True}, {"method": "magic"}),
        *({"listing": "magic"}, {"role": 0.0}),
        *({"judge": "nobody"}, {"judge": 7}, {"method": 7}, {"move": "(mark 2 2)"}),
        *({"move": 7}, {"move": "(mark 9 9)"}, {"move": "(mark 1 2)", "rather": "noop"}),
    ],
)
def test_wrong_questions_get_a_line(server: PageServer, wrong: dict[str, object]) -> None:
    made(server, "/api/values", {"line": [], "judge": "values"})
    question = {"line": LINE, "judge": "values", "role": 0, **wrong}
    status, found = post(server, "/api/explain", question)
    assert status == 400
    assert set(found) == {"error"}


def finished(server: PageServer, job: int) -> dict[str, object]:
    """Wait for the end of a search."""
    wait_until(lambda: ask(server, "/api/job")["stage"] != "thinking")
    found = ask(server, "/api/job")
    assert found["job"] == job
    return found


def test_a_player_thinks_and_tells_what_it_found(server: PageServer) -> None:
    order = {"line": LINE, "role": 0, "player": f"alphabeta:{CHECKPOINT},depth=3", "seed": 1}
    status, begun = post(server, "/api/think", order)
    assert status == 200
    found = finished(server, begun["job"])["found"]
    assert isinstance(found, dict)
    search = found["search"]
    assert search["line"][0][0] == found["move"]
    assert found["move"] in str(lines_of(search["panel"])[1])
    assert "'3 plies'" in str(search["panel"])
    # A second player in the same process, which tells of simulations.
    _, begun = post(server, "/api/think", {**order, "player": "mcts:sims=50"})
    found = finished(server, begun["job"])["found"]
    assert isinstance(found, dict)
    assert "visits" in str(found["search"]["panel"])
    assert "'50, " in str(found["search"]["panel"])


def test_a_search_can_be_cancelled_and_the_next_one_begun() -> None:
    with served(open_subject("breakthrough6", evaluator="fuzzy")) as server:
        order = {"line": [], "role": 0, "player": "mcts:seconds=500", "seed": 1}
        for _ in range(2):
            assert post(server, "/api/think", order)[0] == 200
            status, found = post(server, "/api/think", order)
            assert status == 400
            assert "under way" in found["error"]
            # Whether the process has begun or not: it ends, and nobody waits for it.
            assert post(server, "/api/cancel", {})[1]["stage"] == "cancelled"
        _, begun = post(server, "/api/think", {**order, "player": "random"})
        assert finished(server, begun["job"])["stage"] == "done"


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("human", "plays at a terminal"),
        ("alphabeta:cilp,learn=x.pt", "writes none"),
        ("alphabeta:nowhere.pt", "no checkpoint"),
        ("nobody", "unknown kind"),
        ("", "unknown kind"),
    ],
)
def test_players_that_cannot_be_are_said(server: PageServer, player: str, words: str) -> None:
    status, found = post(server, "/api/think", {"line": [], "role": 0, "player": player})
    if status == 200:
        found = finished(server, found["job"])
    assert words in str(found["error"])


def test_no_process_is_left() -> None:
    before = set(children())
    with served(open_subject("tictactoe", evaluator="fuzzy")) as server:
        order = {"line": [], "role": 0, "player": "random"}
        post(server, "/api/think", order)
        wait_until(lambda: set(children()) > before)
    wait_until(lambda: set(children()) <= before)


def test_judges_of_moves_give_scores(tmp_path: Path) -> None:
    path, game, name = tmp_path / "k.pt", Game.load("tictactoe"), "knowledge"
    judge = plain_judge(learn_knowledge(game, KnowledgeConfig(games=50), 1))
    save_checkpoint(path, replace(empty_checkpoint(game), judges={name: judge}))
    subject = open_subject(str(path))
    assert list(subject.opinions) == [name]
    assert "tree=knowledge" in subject.opponent
    with served(subject) as server:
        found = made(server, "/api/values", {"line": [], "judge": name})
        assert found["state"] is None
        assert found["methods"] == ["exact", "shapley", "toggling"]
        moves = found["moves"]
        assert isinstance(moves, list)
        assert len(moves[0]) == 9
        assert made(server, "/api/curve", {"line": LINE, "judge": name})["values"] is None
        question: dict[str, object] = {"line": [], "judge": name, "role": 0}
        best = made(server, "/api/explain", question)
        assert best["move"] == moves[0][0]["text"]
        assert float(str(best["total"])) == pytest.approx(moves[0][0]["value"], abs=1e-5)
        one, other = moves[0][1], moves[0][2]
        why = made(
            server, "/api/explain", {**question, "move": one["text"], "rather": other["text"]}
        )
        assert why["move"] == one["text"]
        apart = one["value"] - other["value"]
        assert float(str(why["total"])) == pytest.approx(apart, abs=1e-5)


def test_weighted_rules_give_values(tmp_path: Path) -> None:
    path, game = tmp_path / "own.rules", Game.load("tictactoe")
    path.write_text(
        f"(game tictactoe) (signature {rules_signature(game.rules)}) opposed\n"
        "(<= (worth xplayer 2) (true (cell 2 2 x)))"
    )
    subject = open_subject(str(path))
    assert subject.opponent == f"alphabeta:{path},seconds=1"
    with served(subject) as server:
        found = made(server, "/api/values", {"line": [], "judge": "values"})
        moves = found["moves"]
        assert isinstance(moves, list)
        assert moves[0][0]["text"] == "(mark 2 2)"
        assert found["state"] == pytest.approx([0.5, 0.5])


def test_action_heuristics_of_the_rules_score_moves() -> None:
    with served(open_subject("tictactoe", evaluator="action")) as server:
        question: dict[str, object] = {"line": LINE, "judge": "action"}
        found = made(server, "/api/values", question)
        moves = found["moves"]
        assert isinstance(moves, list)
        assert len(moves[0]) == 7
        why = made(server, "/api/explain", {**question, "role": 0, "move": moves[0][0]["text"]})
        assert why["method"] == "exact"
        # The score is of the state before the move: two stones stand there.
        assert str(why["svg"]) != server.site.positions.picture(())


def test_a_run_is_followed(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.create({"rules": "tictactoe"})
    subject = open_subject(str(folder.path), evaluator=None)
    with served(subject) as server:
        assert ask(server, "/api/run")["curves"] == []
        folder.log_evaluation({"seconds": 1.0, "loss": 0.5, "score": 0.6, "low": 0.5, "high": 0.7})
        first = ask(server, "/api/run")
        assert [curve["points"] for curve in first["curves"]] == [
            [[1.0, 0.6, 0.5, 0.7]],
            [[1.0, 0.5]],
        ]
        with (folder.path / EVALUATIONS).open("a") as stream:
            stream.write('{"seconds": 2.0, "lo')  # Half a line: the run is writing.
        assert ask(server, "/api/run")["curves"] == first["curves"]
        assert ask(server, "/api/run")["judges"] == ["values"]
        (folder.path / "latest.pt").write_bytes(Path(CHECKPOINT).read_bytes())
        newer = ask(server, "/api/run")
        assert newer["stamp"] != first["stamp"]
        assert server.site.subject.judged_by.endswith("latest.pt")
        assert made(server, "/api/values", {"line": [], "judge": "values"})["state"]
        (folder.path / "latest.pt").unlink()
        assert ask(server, "/api/run")["judges"] == ["values"]


def test_a_run_tells_how_strong_it_is_and_what_it_has_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("neurogame.view.story._SECONDS", math.inf)
    folder = made_run(tmp_path / "run", 0.4, 1)
    row = {"seconds": 8.0, "released": True, "against": 0.0, "matches": 40, "score": 0.8}
    folder.log_evaluation({**row, "low": 0.7, "high": 0.9})
    with served(open_subject(str(folder.path))) as server:
        found = ask(server, "/api/run")
        assert [line["points"] for line in found["strength"]] == [
            [[8.0, 0.6, 0.4, 1.0]],
            [[8.0, 0.75, pytest.approx(0.6, abs=0.05), pytest.approx(0.86, abs=0.05)]],
        ]
        assert found["releases"] == [8.0]
        assert found["told"].startswith("the release after 8 s takes 60 of 100 points from")
        assert "still rising: the weights after 8 s take 80 %" in found["told"]
        wait_until(lambda: "pending" not in ask(server, "/api/story"))
        told = ask(server, "/api/story")
        positions = server.site.positions
        # The weights are those before learning.
        assert told["match"]["line"] == []
        assert "Nothing was released" in told["match"]["text"]
        assert len(told["mistakes"]) == 3
        for mistake in told["mistakes"]:
            state = positions.state(positions.line(mistake["line"]))
            assert not state.is_terminal
            worth = [int(number) for number in re.findall(r"worth (\d+)", mistake["text"])]
            assert worth[0] < worth[1]


def test_without_a_release_nothing_is_said_of_one(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", 0.4, 1, at=0.0)
    row = {"seconds": 8.0, "released": False, "against": 0.0, "matches": 40, "score": 0.4}
    folder.log_evaluation({**row, "low": 0.3, "high": 0.5})
    assert curves(folder.path)["told"].startswith("nothing learned has beaten the untrained")


def test_what_a_rules_network_likes_is_told(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("neurogame.view.story._SECONDS", 0.1)
    subject = file_subject(CHECKPOINT)
    told, positions = story(subject), server.site.positions
    assert "line of x" in str(told["likes"])
    assert positions.state(positions.line(told["match"]["line"])).is_terminal


def test_many_points_are_thinned_and_the_last_one_stays(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    rows = [json.dumps({"seconds": i, "loss": i, "score": float("nan")}) for i in range(3001)]
    (folder.path / EVALUATIONS).write_text("\n".join(rows) + "\n")
    [curve] = curves(tmp_path)["curves"]
    assert len(curve["points"]) <= 400
    assert curve["points"][-1] == [3000.0, 3000.0]


def test_something_deferred_is_made_once_and_fails_every_time() -> None:
    calls: list[int] = []
    go_on = threading.Event()

    def make() -> int:
        go_on.wait(60)
        calls.append(1)
        return 7

    own = Deferred(make)
    assert own.get() is None
    # Were the process taken apart now, what is being made would abort it.
    assert are_busy()
    go_on.set()
    assert own.get(None) == 7
    assert own.get() == 7
    assert calls == [1]

    def fail() -> int:
        raise ValueError("broken")

    other = Deferred(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            assert other.get(None)


def test_json_in_a_page_ends_no_element() -> None:
    text = script_json({"</script><!--": "&<>"})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"</script><!--": "&<>"}
