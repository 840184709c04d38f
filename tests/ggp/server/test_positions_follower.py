"""Whoever follows a match arrives at the same position, whatever the server reports."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Sentence
from neurogame.ggp.server.follower import Follower, role_number
from neurogame.ggp.server.positions import LONGEST_MOVE, CircuitPosition, InterpretedPosition
from neurogame.prover.game import ProverGame, ProverState
from neurogame.simulate.game import Game
from tests.ggp.server import hostile

GAMES = ("tictactoe", "tictactoe3p", "connectfour_simultaneous", "prisoners")
RUBBISH = st.sampled_from(["nil", "", "(mark 1 1)", "( DROP 3 )", "noop", ")", "(((", "?x", "a b"])


@cache
def both(name: str) -> tuple[Game, ProverGame]:
    rules = load_rules(name)
    return Game.from_rules(rules, name), ProverGame(rules)


def followers(name: str) -> tuple[Follower[CircuitPosition], Follower[InterpretedPosition]]:
    game, prover = both(name)
    return (Follower(CircuitPosition(game.initial_state())), Follower(InterpretedPosition(prover)))


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(GAMES), st.data())
def test_compiled_and_interpreted_followers_agree(name: str, data: st.DataObject) -> None:
    compiled, interpreted = followers(name)
    roles = range(len(compiled.position.roles))
    last: tuple[str, ...] = ()
    for _ in range(data.draw(st.integers(1, 12))):
        legal = [interpreted.position.legal(role) for role in roles]
        moves = [data.draw(st.sampled_from(own or ("none",)) | RUBBISH) for own in legal]
        if data.draw(st.integers(0, 5)) == 0:
            moves = [*moves[: data.draw(st.integers(0, len(moves)))], "extra"]
        joint = last if data.draw(st.integers(0, 5)) == 0 else tuple(moves)
        assert compiled.follow(joint) == interpreted.follow(joint)
        assert compiled.steps == interpreted.steps
        here, there = compiled.position, interpreted.position
        assert here.is_terminal == there.is_terminal
        if not here.is_terminal:
            assert [here.legal(role) for role in roles] == [there.legal(role) for role in roles]
        last = joint


@pytest.mark.parametrize("spell", [str.upper, str.lower, lambda text: f" ; {text}\n{text} "])
def test_moves_in_any_case_and_spacing_are_understood(spell: type[str]) -> None:
    for follower in followers("tictactoe"):
        joint = tuple(spell(text) for text in ("( mark 2  2 )", "noop"))
        assert follower.follow(joint) == []
        assert follower.steps == 1


def test_the_first_spelling_of_the_rules_is_used() -> None:
    text = hostile.FINE.replace("wait", "Wait")
    game, prover = Game.from_text(text), ProverGame(parse_rules(text))
    for position in (CircuitPosition(game.initial_state()), InterpretedPosition(prover)):
        assert position.legal(0) == ("(push 0)", "Wait")
        assert position.meant(0, "wAIT") == "Wait"
        assert position.meant(0, "push") is None
        assert position.meant(0, "w" * (LONGEST_MOVE + 1)) is None


def test_nothing_is_made_at_the_end_and_where_somebody_is_stuck() -> None:
    game = Game.from_text(hostile.STUCK)
    for stuck in (
        Follower(CircuitPosition(game.initial_state())),
        Follower(InterpretedPosition(ProverGame(game.rules))),
    ):
        assert "no legal move" in stuck.follow(("go",))[0]
        assert stuck.steps == 0
    for over in followers("prisoners"):
        for step in range(100):
            over.follow(("cooperate", f"cooperate{step}"))
        before = over.steps
        assert "after the end" in over.follow(("cooperate", "cooperate"))[0]
        assert over.steps == before


def test_a_prover_is_asked_for_no_more_moves_than_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither to follow legal moves, nor to know one; to replace a wrong one, all are looked at."""
    prover = ProverGame(load_rules("tictactoe"))
    follower = Follower(InterpretedPosition(prover))
    listed = list[int]()
    legal = prover.legal

    def counted(state: ProverState, role: int) -> frozenset[Sentence]:
        listed.append(role)
        return legal(state, role)

    monkeypatch.setattr(prover, "legal", counted)
    assert follower.follow(("(MARK 2 2)", "noop")) == []
    assert follower.position.any_legal(0) == "noop"
    move = follower.position.any_legal(1)
    assert move is not None
    assert follower.position.meant(1, "(mark ?x 1)") is None
    assert follower.position.meant(1, f"({'f (' * 400}a{')' * 400})") is None
    assert follower.follow(("noop", move)) == []
    assert listed == []
    assert "is not a legal move" in follower.follow(("(mark 2 2)", "noop"))[0]
    assert listed == [0]


def test_roles_are_found_in_any_case() -> None:
    assert role_number(("White", "black"), "wHITE") == 0
    assert role_number(("White", "black"), "BLACK") == 1
    assert role_number(("White", "black"), "red") is None
