"""Matches over real sockets: fair ones, and rulesheets that want to break a player."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from neurogame.errors import NeurogameError, NonstandardWarning
from neurogame.gdl.check import readable_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.scramble import scramble
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.write import rules_text
from neurogame.ggp.protocol.messages import Abort, Play, Preview, Sight, Start, Stop, message_text
from neurogame.ggp.server.positions import InterpretedPosition
from neurogame.ggp.server.processes import Processes
from neurogame.ggp.server.rulesheet import game_of
from neurogame.ggp.server.serve import make_host
from neurogame.ggp.server.served_match import ServedMatch
from neurogame.ggp.server.settings import ServeSettings
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.prover.game import ProverGame
from tests.conftest import shared
from tests.ggp.server import hostile
from tests.ggp.server.doubles import Events, Referee, Served, are_gone, ask, recorded, set_up
from tests.processes import wait_until
from tests.reference.interpreter import ReferenceGame, ReferenceState

MEMORY = 200 * 2**20

GIVEN_UP = {
    "GROWING_STATE": "(climb z)",
    "DOUBLING": "(push 0)",
    "NESTED": "(push 0)",
    "NEGATION": "(push 0)",
    "NO_ROLES": None,
    "NO_MOVES": None,
    "NO_TERMINAL": "go",
    "NO_GOALS": "go",
    "NO_RULES": None,
    "RUBBISH": None,
}
"""Rulesheets that nobody can search -> the first legal move, where there is one."""

ENDLESS = ("GROWING", "LONG_MOVES", "LARGE")
"""Rulesheets that nobody understands in time."""


def served_rules(
    name: str, events: Events, processes: Processes, role: str = "one", memory: int = MEMORY
) -> ServedMatch:
    settings = ServeSettings(player="mcts:sims=50", memory=memory)
    start = Start("match", role, getattr(hostile, name), 1, 1)
    return ServedMatch(start, settings, events.log, processes)


@pytest.mark.parametrize("name", GIVEN_UP)
def test_what_cannot_be_searched_is_refused_with_a_reason(name: str) -> None:
    text = getattr(hostile, name)
    with pytest.raises(NeurogameError):
        game_of(text, "match", MEMORY)
    try:
        legal = InterpretedPosition(ProverGame(readable_rules(text))).legal(0)
    except NeurogameError:
        legal = ()
    assert (legal[0] if legal else None) == GIVEN_UP[name]


def test_statements_that_cannot_be_read_are_left_out_by_circuit_and_guard() -> None:
    with pytest.warns(NonstandardWarning, match="too long"):
        game = game_of(hostile.TOO_LONG_NAME, "match", MEMORY)
    state, position = (
        game.initial_state(),
        InterpretedPosition(ProverGame(readable_rules(hostile.TOO_LONG_NAME))),
    )
    texts = [game.moves[0][move] for move in state.legal_moves[0]]
    assert texts == list(position.legal(0))
    assert len(texts) > 0


@pytest.mark.parametrize(
    ("name", "move"), [("DOUBLING", "(push 0)"), ("NEGATION", "(push 0)"), ("STUCK", "nil")]
)
def test_what_cannot_be_searched_is_answered_by_the_guard(
    name: str, move: str, processes: Processes
) -> None:
    events = Events()
    match = served_rules(name, events, processes)
    set_up(match)
    # Where proofs search, they take all the time that they are given.
    assert ask(match, None, thinking=1.0).move == move
    assert ask(match, ("nil", "nil"), thinking=1.0).source in ("prover", "guard", "none")
    match.close()
    reported = [fields["what"] for fields in events.named("failure") if fields.get("final")]
    assert bool(reported) is (name != "STUCK")
    assert not events.named("died")
    assert are_gone(events)


def test_what_cannot_be_grounded_is_searched_by_proofs(processes: Processes) -> None:
    events = Events()
    match = served_rules("DOUBLING", events, processes)
    set_up(match)
    answer = ask(match, None, thinking=0.3)
    match.close()
    assert answer.source == "prover"
    assert answer.move in Referee(hostile.FINE).legal(0)
    assert are_gone(events)


@pytest.mark.parametrize("name", ENDLESS)
def test_what_nobody_understands_is_answered_all_the_same(name: str, processes: Processes) -> None:
    events = Events()
    match = served_rules(name, events, processes)
    match.start(time.monotonic() + 0.05)
    for moves in (None, ("nil", "nil")):
        now = time.monotonic()
        answer = match.play(moves, thinking_until=now, latest=now + 0.05)
        # The guard may have a move by then: it proves some of these from the rules at once.
        assert answer.source in ("none", "guard", "prover")
        assert (answer.move == "nil") == (answer.source == "none")
    match.close()
    assert are_gone(events)


def test_the_guard_lists_no_moves_to_know_one(processes: Processes) -> None:
    """A thousand million moves do not fit its memory; the first is there at once, and is made."""
    events = Events()
    match = served_rules("LONG_MOVES", events, processes, memory=2**20)
    match.start(time.monotonic())
    events.wait_for("guard ready", who="guard")
    answer = ask(match, None)
    assert answer.source == "guard"
    legal = (r"\(many( \d){9}\)", r"\(push 0\)", "wait")
    assert any(re.fullmatch(text, answer.move) for text in legal)
    answer = ask(match, ("(many 3 1 4 1 5 9 2 6 5)", "noop"))
    assert answer.source == "guard"
    match.close()
    assert not events.named("died")


def test_memory_ends_the_guard_and_nothing_else(processes: Processes) -> None:
    events = Events()
    match = served_rules("LONG_STATE", events, processes, memory=2**20)
    match.start(time.monotonic())
    failed = events.wait_for("failure", who="guard")
    assert failed["final"]
    assert "MemoryError" in failed["error"]
    match.close()
    assert not events.named("died")
    assert are_gone(events)


@pytest.mark.parametrize(
    ("name", "role"), [("CODE", "__IMPORT__"), ("LONG_NAMES", "n" * 999), ("WIDE", "one")]
)
def test_odd_rulesheets_are_played_like_others(name: str, role: str, processes: Processes) -> None:
    events = Events()
    match = served_rules(name, events, processes, role)
    set_up(match)
    answer = ask(match, None)
    assert answer.source == "search"
    assert answer.move in Referee(getattr(hostile, name)).legal(0)
    match.close()


@pytest.fixture
def served(processes: Processes, tmp_path: Path) -> Iterator[Served]:
    settings = ServeSettings(player="mcts:sims=50", log=tmp_path)
    lines: list[str] = []
    with closing(Served(make_host(settings, processes, lines.append))) as served:
        yield served
    assert not [line for line in lines if "failure" in line]


def play_match(
    ask: Callable[[str], str], game: ReferenceGame, text: str, name: str, chance: random.Random
) -> ReferenceState:
    """Play a match as the first role against random moves; return the last state."""
    assert ask(message_text(Start(name, game.roles[0], text, 30, 5))) == "ready"
    state, moves = game.initial(), None
    while not game.terminal(state):
        own = game.term(ask(message_text(Play(name, moves))))
        assert own in game.legal(state, 0)
        others = sorted(game.legal(state, 1), key=game.text)
        joint = [own, chance.choice(others)]
        moves = tuple(game.text(term) for term in joint)
        state = game.next(state, joint)
    assert ask(message_text(Stop(name, moves))) == "done"
    return state


@pytest.mark.parametrize("upper", [False, True])
def test_a_whole_match_is_legal_and_logged(served: Served, tmp_path: Path, upper: bool) -> None:
    text = shared("games", "ticTacToe.kif").read_text()
    game = ReferenceGame(parse_rules(text))
    chance = random.Random(1)

    def ask(message: str) -> str:
        return served.body(recorded(message.upper() if upper else message)).decode()

    seen = []

    def noted(message: str) -> str:
        seen.append(ask(message))
        return seen[-1]

    state = play_match(noted, game, text, "m.1", chance)
    assert all(move == (move.upper() if upper else move) for move in seen[1:-1])
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


@pytest.mark.parametrize("sees", [True, False])
def test_a_match_in_the_form_for_imperfect_information(
    served: Served, tmp_path: Path, sees: bool
) -> None:
    """With percepts that tell all moves every answer is legal; without, there is one, and a log."""
    text = shared("games", "ticTacToe.kif").read_text()
    game = ReferenceGame(parse_rules(text))
    chance, state = random.Random(4), game.initial()
    name, sight = "m.3", Sight(0, None, ())

    def ask(message: Start | Play | Stop) -> str:
        return served.body(recorded(message_text(message))).decode()

    assert ask(Start(name, game.roles[0], text, 30, 2)) == "ready"
    while not game.terminal(state):
        own = game.term(ask(Play(name, None, sight)))
        legal = sorted(game.legal(state, 0), key=game.text)
        assert own in legal or not sees
        other = chance.choice(sorted(game.legal(state, 1), key=game.text))
        made = own if own in legal else legal[0]
        state = game.next(state, [made, other])
        percepts = (f"(moved {game.roles[1]} {game.text(other)})",) if sees else ()
        sight = Sight(sight.turn + 1, game.text(made), percepts)
    assert ask(Stop(name, None, sight)) == "done"
    (path,) = tmp_path.iterdir()
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert any(event["event"] == "unseen" for event in events) != sees
    end = [event["terminal"] for event in events if event["event"] == "end"]
    assert end == [True] if sees else len(end) == 1


def has_learned_from(path: Path, matches: int) -> bool:
    return path.exists() and load_checkpoint(path).counters["matches"] == matches


def test_a_player_learns_from_the_matches_that_it_is_served(
    processes: Processes, tmp_path: Path
) -> None:
    """Two matches of one game under different names go into one file."""
    path = tmp_path / "learned.pt"
    settings = ServeSettings(player=f"alphabeta:cilp,depth=1,learn={path}")
    own = parse_rules(shared("games", "ticTacToe.kif").read_text())
    with closing(Served(make_host(settings, processes, lambda line: None))) as served:
        for number, rules in enumerate((own, scramble(own, seed=3).rules)):

            def ask(message: str) -> str:
                return served.body(recorded(message)).decode()

            chance, text = random.Random(number), rules_text(rules)
            play_match(ask, ReferenceGame(rules), text, f"m.{number}", chance)
            wait_until(partial(has_learned_from, path, number + 1))
    assert load_checkpoint(path).signature == structural_signature(own)
