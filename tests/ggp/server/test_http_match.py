"""A real match over real sockets: nothing here is a double but the manager."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from neurogame.gdl.parse import parse_rules
from neurogame.ggp.protocol.messages import Abort, Play, Preview, Start, Stop, message_text
from neurogame.ggp.server.processes import Processes
from neurogame.ggp.server.serve import make_host
from neurogame.ggp.server.settings import ServeSettings
from neurogame.reference.interpreter import ReferenceGame
from tests.conftest import shared
from tests.ggp.server.over_http import Served, recorded
from tests.processes import wait_until


@pytest.fixture
def served(processes: Processes, tmp_path: Path) -> Iterator[Served]:
    settings = ServeSettings(player="mcts:sims=50", log=tmp_path)
    lines: list[str] = []
    served = Served(make_host(settings, processes, lines.append))
    yield served
    served.end()
    assert not [line for line in lines if "failure" in line]


@pytest.mark.parametrize("upper", [False, True])
def test_a_whole_match_is_legal_and_logged(served: Served, tmp_path: Path, upper: bool) -> None:
    text = shared("games", "ticTacToe.kif").read_text()
    game = ReferenceGame(parse_rules(text))
    chance = random.Random(1)

    def ask(message: str) -> str:
        return served.body(recorded(message.upper() if upper else message)).decode()

    assert ask(message_text(Start("m.1", "xplayer", text, 30, 5))) == "ready"
    state, moves = game.initial(), None
    while not game.terminal(state):
        move = ask(message_text(Play("m.1", moves)))
        assert move == (move.upper() if upper else move)
        own = game.term(move)
        assert own in game.legal(state, 0)
        others = sorted(game.legal(state, 1), key=game.text)
        joint = [own, chance.choice(others)]
        moves = tuple(game.text(term) for term in joint)
        state = game.next(state, joint)
    assert ask(message_text(Stop("m.1", moves))) == "done"
    (path,) = tmp_path.iterdir()
    events = [json.loads(line) for line in path.read_text().splitlines()]
    answers = [event for event in events if event["event"] == "answer"]
    assert {event["source"] for event in answers} == {"search"}
    goals = [event["goals"] for event in events if event["event"] == "end"]
    assert goals == [[int(game.goals(state, role)[0]) for role in range(2)]]
    assert events[-1]["event"] == "over"


def test_a_look_at_rules_and_then_a_match(served: Served, processes: Processes) -> None:
    text = shared("games", "ticTacToe.kif").read_text()
    assert served.body(recorded(message_text(Preview(text, 30)))) == b"ready"
    assert served.body(recorded(message_text(Start("m.2", "oplayer", text, 30, 5)))) == b"ready"
    assert served.body(recorded(message_text(Play("m.2", None)))) == b"noop"
    assert served.body(recorded(message_text(Abort("m.2")))) == b"aborted"
    wait_until(lambda: not processes._children)
