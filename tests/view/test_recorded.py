"""Matches in all forms in which they are written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neurogame.errors import CheckpointError, GameError, NeurogameError
from neurogame.ggp.manager.ggp_record import GgpRecord
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.players.record import MatchRecord
from neurogame.simulate.game import Game
from neurogame.view.positions import Positions
from neurogame.view.recorded import read_match
from neurogame.view.subject import open_subject


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    players = [make_player("random"), make_player("random")]
    settings = MatchSettings(opening_plies=2)
    return play_match(Game.load("nim"), players, seed=3, settings=settings)


def test_matches_of_this_package(record: MatchRecord, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_text(record.to_json())
    subject = open_subject(str(path))
    assert subject.kind == "match"
    assert subject.game.name == "nim"
    assert subject.match.moves == record.moves
    assert subject.match.players == ("random", "random")
    assert set(subject.match.remarks) == {0, 1, record.length}
    first = f"first, random: {record.decisions[0]} decisions"
    assert subject.match.remarks[record.length][0].startswith(first)
    assert Positions(subject.game).state(subject.match.moves).is_terminal


def test_matches_of_an_arena(record: MatchRecord, tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    lines = [{"number": n, "match": {**record.as_dict(), "seed": n}} for n in range(2)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_match(path, 1).moves == record.moves
    with pytest.raises(GameError, match="number 2"):
        read_match(path, 2)


def test_matches_of_a_game_manager(record: MatchRecord, tmp_path: Path) -> None:
    managed = GgpRecord(
        match_id="nim.1",
        random_token="x",
        start_time=0,
        start_clock=1,
        play_clock=1,
        states=((), ()),
        moves=record.moves,
        state_times=(0, 1),
        errors=(("", ""), ("IL noop", "TO")),
        goals=(100, 0),
        is_completed=True,
        is_aborted=False,
        player_names=("one", "other"),
    )
    managed.save(tmp_path / "m.json")
    found = read_match(tmp_path / "m.json")
    assert found.game == "nim"
    assert found.moves == record.moves
    assert found.remarks == {0: ["one: illegal move noop", "other: late "]}


def test_logs_of_served_matches_show_searches(tmp_path: Path) -> None:
    rules = (
        "(role a) (role b) (init (n 0)) (next (n 1)) (terminal never) (legal a (go)) (legal b w)"
    )
    events = [
        {"event": "start", "role": "a", "rules": rules},
        {"event": "move", "ask": 1, "move": "x", "value": 0.25, "simulations": 9, "proved": True},
        {"event": "answer", "joint": None, "move": "x"},
        {"event": "move", "ask": 2, "move": "y"},
        {"event": "answer", "joint": ["( f 1 )", "w"], "move": "y"},
        {"event": "over", "how": "stop", "joint": ["y", "w"]},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    found = read_match(path)
    assert found.rules == rules
    assert found.moves == (("(f 1)", "w"), ("y", "w"))
    assert found.remarks == {0: ["a searched, x: value 0.25, proved, simulations 9"]}
    assert found.ending == "stop"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "7", '{"matchId": 3}', '{"event": "x"}'])
def test_what_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "match.json"
    path.write_text(text)
    with pytest.raises((GameError, CheckpointError), match="record"):
        open_subject(str(path))


@pytest.mark.parametrize("name", ["nowhere.json", "nowhere.pt", "nowhere", "."])
def test_what_is_not_there_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(NeurogameError):
        open_subject(str(tmp_path / name))
