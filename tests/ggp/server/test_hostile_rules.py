"""Rulesheets that want to break a player: always an answer in time, and a server that lives on."""

from __future__ import annotations

import re
import time

import pytest

from neurogame.errors import NeurogameError, NonstandardWarning
from neurogame.gdl.check import readable_rules
from neurogame.ggp.protocol.messages import Start
from neurogame.ggp.server.positions import InterpretedPosition
from neurogame.ggp.server.processes import Processes
from neurogame.ggp.server.rulesheet import game_of
from neurogame.ggp.server.served_match import ServedMatch
from neurogame.ggp.server.settings import ServeSettings
from neurogame.prover.game import ProverGame
from tests.ggp.server import hostile
from tests.ggp.server.referee import Events, Referee, are_gone, ask, set_up

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


def served(
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
    match = served(name, events, processes)
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
    match = served("DOUBLING", events, processes)
    set_up(match)
    answer = ask(match, None, thinking=0.3)
    match.close()
    assert answer.source == "prover"
    assert answer.move in Referee(hostile.FINE).legal(0)
    assert are_gone(events)


@pytest.mark.parametrize("name", ENDLESS)
def test_what_nobody_understands_is_answered_all_the_same(name: str, processes: Processes) -> None:
    events = Events()
    match = served(name, events, processes)
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
    match = served("LONG_MOVES", events, processes, memory=2**20)
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
    match = served("LONG_STATE", events, processes, memory=2**20)
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
    match = served(name, events, processes, role)
    set_up(match)
    answer = ask(match, None)
    assert answer.source == "search"
    assert answer.move in Referee(getattr(hostile, name)).legal(0)
    match.close()
