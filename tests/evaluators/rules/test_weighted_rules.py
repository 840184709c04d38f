"""Weighted rules: what their text says, read slowly, is what the evaluator says."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurogame.errors import CheckpointError, RulesError
from neurogame.evaluators.rules.read import read_weighted_rules
from neurogame.evaluators.rules.signature import rules_signature
from neurogame.evaluators.rules.weighted_rules import Count, RuleSet, WeightedRule
from neurogame.evaluators.rules.write import weighted_rules_text
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.gdl.parse import parse_term
from neurogame.gdl.scramble import scramble
from neurogame.gdl.terms import Compound, Symbol, Term, Variable
from neurogame.gdl.write import term_text
from neurogame.inspect.named_state import named_state
from neurogame.learn.rules_file import evaluator_of_rules, load_weighted_rules, mapping_of_rules
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State
from neurogame.simulate.game_mapping import map_game
from tests.gdl.strategies import instance

GAME = Game.load("tictactoe")
HEAD = f"(game tictactoe) (signature {rules_signature(GAME.rules)})"
TEXT = f"""
{HEAD} opposed
; A row of mine, and it is my turn.
(<= (worth ?me 1.5) (sides ?me ?a) (row ?x) (true (control ?me))
    (exactly 2 (true (cell ?x 1 ?a)) (true (cell ?x 2 ?a)) (true (cell ?x 3 ?a)))
    (atmost 0 (true (cell ?x 1 x)) (true (cell ?x 2 b))))
(<= (worth xplayer 0.25) (not (true (cell 2 2 o))))
(<= (worth oplayer -0.5) (true (cell 1 1 x)) (true (cell 3 3 x)))
(<= (worth ?me 0.75) (sides ?me ?a) (atleast 1 (true (cell 1 1 ?a)) (true (cell 3 3 ?a))))
(worth xplayer -0.125)
(sides xplayer x) (sides oplayer o) (row 1) (row 2) (row 3)
"""


def bindings(
    rule: WeightedRule, facts: dict[str, list[tuple[Term, ...]]]
) -> Iterator[dict[str, Term]]:
    """Yield the variables' values, condition by condition."""
    found: list[dict[str, Term]] = [{}]
    for condition in rule.conditions:
        arguments = condition.arguments if isinstance(condition, Compound) else ()
        more = []
        for bound in found:
            for row in facts.get(condition.name, []):
                trial = dict(bound)
                if len(row) == len(arguments) and all(
                    trial.setdefault(a.name, v) == v if isinstance(a, Variable) else a == v
                    for a, v in zip(arguments, row, strict=True)
                ):
                    more.append(trial)
        found = more
    yield from found


def slow_values(rules: RuleSet, state: State) -> list[float]:
    """Return the values of a state, rule by rule and instance by instance."""
    held = {text.lower() for text in state.fluent_texts}
    roles = [role.lower() for role in state.game.roles]
    odds = [0.0] * len(roles)
    for rule in rules.rules:
        for bound in bindings(rule, {name: list(rows) for name, rows in rules.facts.items()}):
            numbers = [
                sum(term_text(instance(fluent, bound)) in held for fluent in count.fluents)
                for count in rule.counts
            ]
            if all(c.low <= n <= c.high for c, n in zip(rule.counts, numbers, strict=True)):
                odds[roles.index(term_text(instance(rule.role, bound)))] += rule.weight
    if rules.opposed:
        odds = [odds[0] - odds[1], odds[1] - odds[0]]
    return [1 / (1 + math.exp(-own)) for own in odds]


def states(game: Game, count: int) -> list[State]:
    """Return states of random games."""
    return [named_state(game, f"random:{seed % 7}:{seed}") for seed in range(count)]


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("opposed", "")])
def test_the_evaluator_says_what_is_written(text: str) -> None:
    rules = read_weighted_rules(text)
    evaluator = evaluator_of_rules(rules, GAME)
    assert isinstance(evaluator, RulesNetwork)
    seen = set()
    for state in states(GAME, 40):
        with torch.no_grad():
            values = evaluator(state.fluents[None])[0].tolist()
        assert values == pytest.approx(slow_values(rules, state), abs=1e-5)
        seen |= {round(own, 4) for own in values}
    assert len(seen) > 5


def test_names_do_not_matter() -> None:
    rules = read_weighted_rules(TEXT)
    other = Game.from_rules(scramble(GAME.rules, seed=3).rules, "other")
    mapping = mapping_of_rules(rules, other)
    assert (mapping.home.fluents, mapping.home.roles) == (GAME.fluents, GAME.roles)
    assert mapping.fluents == map_game(GAME, other).fluents
    assert mapping_of_rules(rules, GAME).home is GAME
    with pytest.raises(CheckpointError, match="under the names that they were written for"):
        evaluator_of_rules(rules, other)
    with pytest.raises(CheckpointError, match="is not that game of the library"):
        mapping_of_rules(rules, Game.load("nim"))


FLUENTS = st.sampled_from(GAME.fluents).map(parse_term)


@st.composite
def counts(draw: st.DrawFn) -> Count:
    """Return any count of fluents, of which some say whose turn it is."""
    fluents = draw(st.lists(FLUENTS, min_size=1, max_size=4, unique=True))
    low = draw(st.integers(0, len(fluents)))
    high = draw(st.integers(low, len(fluents)))
    return Count(low=low, high=high, fluents=tuple(fluents))


RULES = st.builds(
    lambda role, weight, own: WeightedRule(role=Symbol(role), weight=weight, counts=tuple(own)),
    st.sampled_from([role.lower() for role in GAME.roles]),
    st.floats(-3, 3).map(lambda own: float(f"{own:g}")),
    st.lists(counts(), max_size=3),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(RULES, max_size=6), st.booleans(), st.integers(0, 200))
def test_any_rules_written_and_read_again_say_the_same(
    found: list[WeightedRule], opposed: bool, seed: int
) -> None:
    rules = RuleSet(
        game="tictactoe",
        signature=rules_signature(GAME.rules),
        opposed=opposed,
        facts={},
        rules=tuple(found),
    )
    again = read_weighted_rules(weighted_rules_text(rules))
    state = named_state(GAME, f"random:{seed % 7}:{seed}")
    with torch.no_grad():
        values = evaluator_of_rules(again, GAME)(state.fluents[None])[0].tolist()
    assert values == pytest.approx(slow_values(rules, state), abs=1e-4)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("(game tictactoe)", "1:1", "no (signature ...)"),
        (f"{HEAD} (worth xplayer much)", "1:47", "(worth ROLE NUMBER)"),
        (f"{HEAD}\n(<= (worth xplayer 1) (true (cell 9 9 x)))", "2:29", "no fluent (cell 9 9 x)"),
        (f"{HEAD}\n(<= (worth nobody 1) (true (cell 1 1 x)))", "2:12", "no role nobody"),
        (f"{HEAD}\n(<= (worth ?me 1) (true (cell 1 1 x)))", "2:1", "nothing binds ?me"),
        (f"{HEAD}\n(<= (worth ?me 1) (sides ?me))", "2:19", "no facts (sides ...)"),
        (f"{HEAD}\n(<= (worth xplayer 1) (exactly 3 (true (cell 1 1 x))))", "2:32", "0 to 1"),
        (
            f"{HEAD}\n(<= (legal xplayer noop) (true (cell 1 1 x)))",
            "2:1",
            "for (worth ROLE NUMBER)",
        ),
    ],
)
def test_errors_have_their_place(text: str, place: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(text)
    with pytest.raises(RulesError) as caught:
        evaluator_of_rules(load_weighted_rules(path), GAME)
    assert f"{path}:{place}" in str(caught.value)
    assert message in str(caught.value)


def test_rules_of_another_game_are_refused(tmp_path: Path) -> None:
    rules = read_weighted_rules(TEXT)
    with pytest.raises(CheckpointError, match="connectfour has signature"):
        evaluator_of_rules(rules, Game.load("connectfour"))
    with pytest.raises(CheckpointError, match="no such file"):
        load_weighted_rules(tmp_path / "missing.rules")


def test_players_play_them(tmp_path: Path) -> None:
    path = tmp_path / "own.rules"
    path.write_text("".join([HEAD, "(opposed)(<= (worth xplayer 2) (true (cell 1 3 x)))"]))
    player = make_player(f"alphabeta:{path},depth=1", GAME)
    player.start(MatchStart(GAME, 0, seed=1))
    chosen = player.choose(GAME.initial_state(), Limit(depth=1))
    player.stop()
    assert GAME.moves[0][chosen] == "(mark 1 3)"
    tree = make_player(f"mcts:{path},cutoff=1,sims=200", GAME)
    tree.start(MatchStart(GAME, 0, seed=1))
    chosen = tree.choose(GAME.initial_state(), Limit())
    tree.stop()
    assert GAME.moves[0][chosen] == "(mark 1 3)"
