"""What players are sent can be read back, and both referees say the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, LimitError
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.terms import Rules
from neurogame.ggp.manager.disguise import Disguise, first_term
from neurogame.ggp.manager.referee import legal_texts, load_referee, whole_goals
from neurogame.simulate import game
from neurogame.simulate.game import Game
from tests.conftest import shared

CAPITALS = """
(role Red) (role random) (init (Cell a1 Blank)) (init (step 1))
(<= (legal Red (Mark ?c)) (true (Cell ?c Blank)))
(<= (legal Red (goal TRUE)) (true (step 1)))
(legal random Noop)
(<= (next (Cell ?c X)) (does Red (Mark ?c)))
(<= terminal (not (true (step 1)))) (goal Red 100) (goal random 0)
"""
LEGAL = ("(Mark a1)", "(goal true)")


@pytest.mark.parametrize("upper_case", [False, True])
@pytest.mark.parametrize("scramble_seed", [None, 3])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", ["tictactoe", "breakthrough6", "lightsout"])
def test_every_move_comes_back(
    name: str, upper_case: bool, scramble_seed: int | None, strict: bool
) -> None:
    game = Game.load(name)
    disguise = Disguise(
        game.rules, scramble_seed=scramble_seed, upper_case=upper_case, strict=strict
    )
    for legal in game.moves:
        sent = [disguise.sent(move) for move in legal]
        assert len(set(sent)) == len(legal)
        for move, text in zip(legal, sent, strict=True):
            spaced = text.replace("(", "( ").replace(")", " )")
            assert disguise.read(text, legal).move == move
            assert disguise.read(f" {spaced} ", legal).move == move
            assert disguise.read(f'{text} (explanation "why)', legal).move == move


@pytest.mark.parametrize("upper_case", [False, True])
@pytest.mark.parametrize("scramble_seed", [None, 0])
def test_the_rules_sent_are_the_same_rules(upper_case: bool, scramble_seed: int | None) -> None:
    path = shared("games", "connectFourSimultaneous.kif")
    rules = load_rules(path)
    disguise = Disguise(rules, scramble_seed=scramble_seed, upper_case=upper_case)
    again = parse_rules(disguise.rules)
    assert structural_signature(again) == structural_signature(rules)
    assert (again.rules == rules.rules) == (scramble_seed is None)
    assert disguise.rules.startswith("( ROLE " if upper_case else "( role ")
    assert disguise.rules.isupper() == upper_case


def test_case_counts_only_where_it_is_to_count() -> None:
    rules = parse_rules(CAPITALS)
    kind, strict = Disguise(rules), Disguise(rules, strict=True)
    assert kind.read("(mARK A1)", LEGAL).move == "(Mark a1)"
    assert strict.read("( Mark a1 )", LEGAL).move == "(Mark a1)"
    assert strict.read("(mark a1)", LEGAL).move is None
    # GGP-Base folds its keywords wherever they stand, and nothing else.
    assert strict.read("(GOAL True)", LEGAL).move == "(goal true)"
    capitals = Disguise(rules, strict=True, upper_case=True)
    assert capitals.read("(MARK A1)", LEGAL).move == "(Mark a1)"
    assert capitals.read("(Mark a1)", LEGAL).move is None
    scrambled = Disguise(rules, scramble_seed=1, strict=True)
    assert scrambled.read(scrambled.sent("(Mark a1)").upper(), LEGAL).move == "(Mark a1)"
    # Unknown words stay, so that the real names are understood as well.
    assert scrambled.read("(MARK a1)", LEGAL).move == "(Mark a1)"
    assert scrambled.read("(MARK zz)", LEGAL).shown == "(mark zz)"
    assert capitals.sent("random") == "RANDOM"
    assert scrambled.sent("random") == "random"


@pytest.mark.parametrize(
    ("reply", "term"),
    [
        ("noop", "noop"),
        ("  ( mark\r\n1   (f 2) )", "(mark 1 (f 2))"),
        ("noop ) (", "noop"),
        ("(a b) (((", "(a b)"),
        ("a b", "a"),
        ("", ""),
        ("(((", ""),
        ("(" * 100_000, ""),
        (") noop", ""),
        ("()", "()"),
    ],
)
def test_first_terms(reply: str, term: str) -> None:
    assert first_term(reply) == term


DISGUISES = [
    Disguise(parse_rules(CAPITALS), scramble_seed=seed, strict=strict)
    for seed, strict in ((None, False), (None, True), (5, False))
]


@given(st.text(), st.sampled_from(DISGUISES))
def test_no_reply_breaks_the_reading(reply: str, disguise: Disguise) -> None:
    assert disguise.read(reply, LEGAL).move in (None, *LEGAL)


GAMES = ["blocker.kif", "nim3.kif", "tictactoe_3player.kif", "lightsOnSimultaneous.kif"]


@pytest.mark.parametrize("name", GAMES)
def test_both_say_the_same(name: str) -> None:
    path = shared("games", name)
    circuit, prover = load_referee(path, "circuit"), load_referee(path, "prover")
    assert circuit.has_circuit
    assert not prover.has_circuit
    assert circuit.name == prover.name == path.stem
    assert circuit.roles == prover.roles
    chance = random.Random(3)
    ours, theirs = circuit.initial_state(), prover.initial_state()
    for _ in range(60):
        assert ours.fluent_texts == theirs.fluent_texts
        assert ours.is_terminal == theirs.is_terminal
        legal = [list(moves) for moves in legal_texts(ours)]
        assert legal == [list(moves) for moves in legal_texts(theirs)]
        assert whole_goals(ours) == whole_goals(theirs)
        if ours.is_terminal:
            break
        joint = [chance.choice(moves) for moves in legal]
        ours, theirs = ours.next(joint), theirs.next(joint)
    assert ours.is_terminal


def test_rules_too_large_to_ground_are_judged_by_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(rules: Rules, *, cache: bool) -> Circuit:
        raise LimitError("too many rules")

    monkeypatch.setattr(game, "compile_rules", too_large)
    assert not load_referee("tictactoe").has_circuit
    with pytest.raises(LimitError):
        load_referee("tictactoe", "circuit")
    with pytest.raises(ConfigurationError, match="auto, circuit, prover"):
        load_referee("tictactoe", "coin")  # type: ignore[arg-type]
