"""Matches in all forms in which they are written down."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.cli.main import main
from neurogame.errors import CheckpointError, ConfigurationError, GameError, NeurogameError
from neurogame.ggp.manager.ggp_record import GgpRecord
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.players.record import MatchRecord
from neurogame.show.board_drawing import place_name
from neurogame.show.layout import find_layout
from neurogame.show.touched import squares_of_moves
from neurogame.simulate.game import Game, State
from neurogame.view import positions as module
from neurogame.view.export import export, with_match
from neurogame.view.positions import Positions
from neurogame.view.recorded import Line, read_match
from neurogame.view.role_colours import role_colours
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
    for number in (2, -1):
        with pytest.raises(GameError, match=f"number {number} .*there are 2, from 0"):
            read_match(path, number)


def test_a_match_may_be_spread_over_lines(record: MatchRecord, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    for text in (json.dumps(record.as_dict(), indent=2), "\n" + json.dumps(record.as_dict())):
        path.write_text(text, encoding="utf-8")
        assert read_match(path).moves == record.moves


def test_joint_moves_are_of_all_roles(record: MatchRecord, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    short = {**record.as_dict(), "moves": [list(joint[:1]) for joint in record.moves]}
    path.write_text(json.dumps(short), encoding="utf-8")
    with pytest.raises(GameError, match="joint moves are not of 2 roles"):
        open_subject(str(path))


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
        errors=(("", "TO"), ("IL noop", "TO")),
        goals=(100, 0),
        is_completed=True,
        is_aborted=False,
        player_names=("one", "other"),
    )
    (tmp_path / "m.json").write_text(managed.to_json(), encoding="utf-8")
    found = read_match(tmp_path / "m.json")
    assert found.game == "nim"
    assert found.moves == record.moves
    # Both what went wrong before the first move and with it.
    assert found.remarks == {0: ["other: late ", "one: illegal move noop", "other: late "]}


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
    # Its player is writing the last line.
    path.write_text("".join(json.dumps(event) + "\n" for event in events[:-1]) + '{"event": "ov')
    assert read_match(path).moves == (("(f 1)", "w"),)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", "7", '{"matchId": 3}', '{"event": "x"}', "[" * 100_000]
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "match.json"
    path.write_text(text)
    with pytest.raises((GameError, CheckpointError), match="record"):
        open_subject(str(path))


@pytest.mark.parametrize("name", ["nowhere.json", "nowhere.pt", "nowhere", "."])
def test_what_is_not_there_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(NeurogameError):
        open_subject(str(tmp_path / name))


def contents(path: Path) -> dict[str, Any]:
    """Return what a file holds beside the page."""
    text = path.read_text(encoding="utf-8")
    [boot] = re.findall(r'<script type="application/json" id="boot">(.*?)</script>', text)
    found: dict[str, Any] = json.loads(
        gzip.decompress(base64.b64decode(json.loads(boot)["packed"]))
    )
    return found


def test_everything_is_inside(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    line = ["view", "tictactoe", "--evaluator", "fuzzy", "--export", str(path)]
    assert main([*line, "--player", "random", "--seed", "4"]) == 0
    found = contents(path)
    subject = with_match(open_subject("tictactoe", evaluator="fuzzy"), "random", 200, 4)
    positions = Positions(subject.game)
    moves, opinion = subject.match.moves, subject.opinions["values"].get(None)
    plies = len(moves)
    assert plies >= 5
    assert [len(found[name]) for name in ("positions", "values", "explained", "curve")] == (
        [plies + 1] * 4
    )
    assert found["positions"][3] == json.loads(json.dumps(positions.describe(moves[:3])))
    assert opinion is not None
    state = positions.state(moves[:2])
    amounts = opinion.explain(state, 0, None).by_fluent
    assert found["explained"][2]["svg"] == positions.painted(moves[:2], state, amounts)
    assert path.stat().st_size < 200_000
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^'\"\s]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert "Content-Security-Policy" in text
    assert "connect-src" not in text
    # The same seed gives the same file.
    before = path.read_bytes()
    assert main([*line, "--player", "random", "--seed", "4"]) == 0
    assert path.read_bytes() == before


def test_values_need_not_be_taken_apart(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    line = ["view", "tictactoe", "--evaluator", "fuzzy", "--export", str(path), "--plies", "3"]
    assert main([*line, "--player", "random", "--method", "none"]) == 0
    found = contents(path)
    assert found["explained"] == [None] * 4
    assert len(found["curve"]) == 4
    assert main([*line, "--player", "random", "--method", "exact"]) == 1


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    subject = with_match(open_subject("tictactoe", evaluator="fuzzy"), "random", 1, 1)
    with pytest.raises(ConfigurationError, match="nowhere"):
        export(subject, tmp_path / "nowhere" / "match.html", quiet=True)
    assert list(tmp_path.iterdir()) == []


GAMES = ("tictactoe", "breakthrough6", "connectfour_simultaneous", "prisoners", "checkers6")


@pytest.fixture(scope="module")
def games() -> dict[str, Game]:
    return {name: Game.load(name) for name in GAMES}


def played(game: Game, choices: list[int]) -> tuple[Line, list[State]]:
    """Return a line of legal moves and its states, made one by one: the slow twin."""
    line: list[tuple[str, ...]] = []
    states = [game.initial_state()]
    for choice in choices:
        state = states[-1]
        if state.is_terminal:
            break
        joint = [own[choice % len(own)] for own in state.legal_moves]
        line.append(tuple(t[m] for t, m in zip(game.moves, joint, strict=True)))
        states.append(state.next(joint))
    return tuple(line), states


@given(st.sampled_from(GAMES), st.lists(st.integers(0, 99), max_size=12))
@settings(max_examples=25)
def test_states_are_those_of_the_game(
    games: dict[str, Game], name: str, choices: list[int]
) -> None:
    line, states = played(games[name], choices)
    positions = Positions(games[name])
    assert positions.states(line) == states
    assert positions.state(line) == states[-1]
    counts = [[len(own) for own in state.legal_moves] for state in states[:-1]]
    assert positions.choices(line) == counts


def test_few_are_kept_and_all_are_found_again(
    games: dict[str, Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_KEPT", 3)
    game = games["breakthrough6"]
    positions = Positions(game)
    lines = [played(game, [seed, *range(8)]) for seed in range(6)]
    for line, states in [*lines, *reversed(lines)]:
        assert positions.states(line) == states
        assert len(positions._states) <= 3


@given(st.sampled_from(GAMES), st.lists(st.integers(0, 99), max_size=8))
@settings(max_examples=25)
def test_moves_touch_what_they_change(
    games: dict[str, Game], name: str, choices: list[int]
) -> None:
    """Compared with one step for each move, in games in which one role has a choice."""
    _, states = played(games[name], choices)
    state = states[-1]
    deciding = [role for role, own in enumerate(state.legal_moves) if len(own) > 1]
    if state.is_terminal or len(deciding) != 1:
        return
    boards = find_layout(state.game).boards
    found = squares_of_moves(state)
    for role, legal in enumerate(state.legal_moves):
        for move in legal:
            if role not in deciding:
                assert found[role][move] == []
                continue
            joint = [own[0] for own in state.legal_moves]
            joint[role] = move
            after = state.next(joint)
            expected = {
                f"{number}/{place_name(place)}"
                for number, board in enumerate(boards)
                for fluent, (place, _) in board.squares.items()
                if bool(after.fluents[fluent]) != bool(state.fluents[fluent])
            }
            assert set(found[role][move]) == expected


def test_of_simultaneous_moves_only_the_own_squares_count(games: dict[str, Game]) -> None:
    state = games["connectfour_simultaneous"].initial_state()
    for own in squares_of_moves(state):
        assert len(own) == 8
        assert len({tuple(squares) for squares in own.values()}) == 8
        assert all(len(squares) <= 2 for squares in own.values())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ([["(mark 1 1)", "noop"], ["(mark 1 1)", "noop"]], "ply 2"),
        ([["(mark 9 9)", "noop"]], "has no move"),
        ([["noop", "noop"]], "not legal"),
    ],
)
def test_illegal_moves_are_named(
    games: dict[str, Game], line: list[list[str]], message: str
) -> None:
    positions = Positions(games["tictactoe"])
    with pytest.raises(GameError, match=message):
        positions.states(positions.line(line))


@pytest.mark.parametrize("given_line", [None, {}, "noop", [["noop"]], [[1, 2]], [[]] * 9999])
def test_what_is_no_line_is_refused(games: dict[str, Game], given_line: object) -> None:
    with pytest.raises(GameError, match="a line is a list"):
        Positions(games["tictactoe"]).line(given_line)


def test_nothing_follows_the_end(games: dict[str, Game]) -> None:
    positions = Positions(games["tictactoe"])
    moves = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]
    joint = [(m, "noop") if ply % 2 == 0 else ("noop", m) for ply, m in enumerate(moves)]
    found = positions.describe(tuple(joint))
    assert found["terminal"]
    assert found["goals"] == [100, 0]
    assert found["legal"] == [[], []]
    with pytest.raises(GameError, match="over after 5 plies"):
        positions.state((*joint, ("noop", "noop")))


def test_roles_have_the_colours_of_their_pieces(games: dict[str, Game]) -> None:
    four = role_colours(Game.load("connectfour"))
    # Pieces are coloured in the order of their names, roles stand in their own.
    assert four == ["#e69f00", "#0072b2"]
    for game in games.values():
        colours = role_colours(game)
        assert len(set(colours)) == len(colours) == len(game.roles)
