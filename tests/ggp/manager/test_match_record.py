"""Match records that GGP-Base could read, and what ``docs/protocol.md`` shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from neurogame.errors import GameError
from neurogame.gdl.library import load_rules
from neurogame.ggp.manager.address import Address
from neurogame.ggp.manager.client import request_bytes
from neurogame.ggp.manager.ggp_record import GgpRecord
from neurogame.ggp.manager.managed_match import ManagedMatch
from neurogame.ggp.manager.manager import play_http_match
from neurogame.ggp.manager.referee import load_referee
from neurogame.ggp.manager.settings import ManagerSettings
from neurogame.ggp.protocol.exchange import reply_bytes
from tests.conftest import REPOSITORY
from tests.ggp.manager.fake_players import Interpreting, fake_player, nested, text
from tests.reference.interpreter import ReferenceGame


class GgpBaseReading:
    """What the constructor of GGP-Base's ``Match`` does with JSON, slowly and literally.

    ``getX`` of its JSON library raises where a key is missing or of another type; ``has`` is
    true for keys that are there.
    """

    def __init__(self, source: str) -> None:
        value = json.loads(source)
        self.match_id = typed(value["matchId"], str)
        self.start_clock = typed(value["startClock"], int)
        self.play_clock = typed(value["playClock"], int)
        self.preview_clock = typed(value["previewClock"], int) if "previewClock" in value else -1
        self.start_time = typed(value["startTime"], int)
        self.random_token = typed(value["randomToken"], str)
        self.is_completed = typed(value["isCompleted"], bool)
        self.is_aborted = typed(value["isAborted"], bool) if "isAborted" in value else False
        if "tournamentNameFromHost" in value:
            typed(value["tournamentNameFromHost"], str)
        self.moves = [
            [text(nested(typed(element, str))) for element in typed(move, list)]
            for move in typed(value["moves"], list)
        ]
        self.states = [self.state(state) for state in typed(value["states"], list)]
        self.state_times = [typed(time, int) for time in typed(value["stateTimes"], list)]
        self.errors = [
            [typed(error, str) for error in typed(errors, list)]
            for errors in typed(value.get("errors", []), list)
        ]
        self.goals = [typed(goal, int) for goal in value.get("goalValues", [])]
        self.names = [typed(name, str) for name in value.get("playerNamesFromHost", [])]
        self.human = [typed(human, bool) for human in value.get("isPlayerHuman", [])]

    @staticmethod
    def state(source: Any) -> set[str]:
        """Read a state as a list of symbols; each stands for ``( true SYMBOL )``."""
        tokens = typed(source, str).replace("(", " ( ").replace(")", " ) ")
        read = nested(re.sub(r"\s+", " ", tokens).strip())
        return {text(symbol) for symbol in typed(read, list)}


def typed(value: Any, kind: type) -> Any:
    assert type(value) is kind
    return value


def played(name: str, settings: ManagerSettings) -> ManagedMatch:
    """Play a match of an interpreting player and the manager's own ``random``."""
    referee = load_referee(name)
    with fake_player(Interpreting(7)) as player:
        others = ["random"] * (len(referee.roles) - 1)
        return play_http_match(referee, [player.address, *others], settings, seed=4)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("tictactoe", ManagerSettings(start_clock=9, play_clock=8, scramble=2, preview_clock=3)),
        ("tictactoe3p", ManagerSettings(tournament="Spring", game_url="http://a/b/")),
        ("prisoners", ManagerSettings(upper_case=True)),
        ("lightsout", ManagerSettings(scramble=0, upper_case=True)),
    ],
)
def test_an_independent_reader_gets_the_match_back(name: str, settings: ManagerSettings) -> None:
    match = played(name, settings)
    read = GgpBaseReading(match.record.to_json())
    game = ReferenceGame(load_rules(name))
    state = game.initial()
    assert read.states[0] == {game.text(fluent) for fluent in state}
    for joint, recorded in zip(read.moves, read.states[1:], strict=True):
        assert not game.terminal(state)
        state = game.next(state, [game.term(move) for move in joint])
        assert recorded == {game.text(fluent) for fluent in state}
    assert game.terminal(state)
    assert read.goals == [game.goals(state, role)[-1] for role in range(len(game.roles))]
    assert tuple(read.goals) == match.goals
    assert (read.is_completed, read.is_aborted) == (True, False)
    assert len(read.state_times) == len(read.states) == len(read.errors)
    assert read.state_times == sorted(read.state_times)
    assert read.start_time == read.state_times[0]
    assert all(len(errors) == len(game.roles) and not any(errors) for errors in read.errors)
    clocks = (read.start_clock, read.play_clock, read.preview_clock)
    assert clocks == (settings.start_clock, settings.play_clock, settings.preview_clock or -1)
    assert read.names == ["Fake", *["random"] * (len(game.roles) - 1)]
    assert read.human == [False] * len(game.roles)
    assert re.fullmatch(r"[A-Za-z0-9]{32}", read.random_token)
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", read.match_id)


def test_the_order_of_keys_and_the_spacing_are_those_of_ggp_base() -> None:
    record = GgpRecord(
        match_id="Base.ticTacToe.1",
        random_token="x" * 32,
        start_time=5,
        start_clock=30,
        play_clock=15,
        states=(("(cell 1 1 b)", "(control (to oplayer))"), ()),
        moves=(("(mark 1 1)", "noop"),),
        state_times=(5, 6),
        errors=(("", "TO"), ("IL null", "CE")),
        is_completed=False,
        is_aborted=True,
        player_names=("A", "B"),
    )
    assert record.to_json() == (
        '{"matchId": "Base.ticTacToe.1", "randomToken": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", '
        '"startTime": 5, "isCompleted": false, "isAborted": true, '
        '"states": ["( ( cell 1 1 b ) ( control ( to oplayer ) ) )", "( )"], '
        '"moves": [["( mark 1 1 )", "noop"]], "stateTimes": [5, 6], '
        '"errors": [["", "TO"], ["IL null", "CE"]], "previewClock": -1, "startClock": 30, '
        '"playClock": 15, "playerNamesFromHost": ["A", "B"], "isPlayerHuman": [false, false], '
        '"scrambled": false}'
    )
    assert GgpRecord.from_json(record.to_json()) == record


def test_our_reader_reads_what_was_written() -> None:
    record = played("tictactoe", ManagerSettings(scramble=1, tournament="T")).record
    assert GgpRecord.from_json(record.to_json()) == record
    assert record.extra["players"][0]["role"] == "xplayer"
    assert record.scrambled


@pytest.mark.parametrize("source", ["", "[]", "{}", '{"matchId": 3}', "[" * 5000])
def test_what_is_no_record(source: str) -> None:
    with pytest.raises(GameError, match="no match record"):
        GgpRecord.from_json(source)


def blocks(language: str) -> list[str]:
    """Return the code blocks of a language."""
    text = (REPOSITORY / "docs" / "protocol.md").read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


def test_the_bytes() -> None:
    request = request_bytes(
        Address("localhost"), "( PLAY demo.ticTacToe.1 (( mark 2 1 ) noop ) )", "RandomA"
    )
    shown = blocks("")
    for wire in (request, reply_bytes("noop")):
        assert f"{wire.decode()}\n".replace("\r\n", "\n") in shown


def test_the_record() -> None:
    [block] = blocks("json")
    record = GgpRecord.from_json(block)
    assert record.errors[1] == ("TO", "")
    # Nothing but line ends and our own part tells it from what is written.
    assert "".join(block.split()) == "".join(record.to_json().split())


def test_the_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [code] = blocks("python")
    exec(compile(code, "docs/protocol.md", "exec"), {})
    assert GgpRecord.from_json((tmp_path / "match.json").read_text()).scrambled
