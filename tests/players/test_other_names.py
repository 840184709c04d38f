"""Players translate a game under other names once: what has learned it searches at home."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import torch

from neurogame.errors import CheckpointError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.gdl.finding import NOWHERE
from neurogame.gdl.scramble import scramble
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.of_moves import attribute_move
from neurogame.learn.checkpoints.checkpoint import Checkpoint, save_checkpoint
from neurogame.learn.judges import plain_judge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.players.match import play_match
from neurogame.players.players import make_player
from neurogame.players.search_player import SearchPlayer
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State
from neurogame.simulate.game_mapping import GameMapping, map_game
from tests.gdl.slow_renaming import shuffled
from tests.library import checkpoint_of

NAMES = ("tictactoe3p", "bidding_tictactoe", "breakthrough6")
"""Three roles; both at once; two in turn, with many moves."""


@cache
def games(name: str) -> tuple[Game, Game]:
    """Return a game, and the same with other names and its rules in another order."""
    home = Game.load(name)
    rules = shuffled(scramble(home.rules, 11, numbers=True).rules, 12)
    return home, Game.from_rules(rules, "other", cache=False)


@cache
def learned(name: str) -> Checkpoint:
    """Return a checkpoint that holds an evaluator and knowledge."""
    home, _ = games(name)
    evaluator = make_evaluator(home, EvaluatorConfig(), 3)
    judges = {
        "knowledge": plain_judge(learn_knowledge(home, KnowledgeConfig(games=200), 5)),
    }
    return checkpoint_of(home, evaluator, judges=judges)


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def twins(name: str, seed: int, plies: int = 4) -> Iterator[tuple[State, State]]:
    """Yield states of a random match at home, and what they are in the other game."""
    home, other = games(name)
    mapping, choose, state = map_game(home, other), random.Random(seed), home.initial_state()
    for _ in range(plies):
        if state.is_terminal:
            return
        flags = torch.zeros_like(state.fluents)
        flags[list(mapping.fluents)] = state.fluents
        yield state, State(other, flags)
        state = state.next([choose.choice(own) for own in state.legal_moves])


def told(result: SearchResult) -> tuple[object, ...]:
    """Return what a search found."""
    return (
        *(result.role, result.move, result.value, result.line),
        *(dict(result.scores), dict(result.tries), dict(result.plies)),
    )


def translated(result: SearchResult, mapping: GameMapping) -> tuple[object, ...]:
    """Return what a search at home found, by the numbers of the other game."""
    moves, roles = mapping.moves[result.role], mapping.roles
    line = []
    for joint in result.line:
        made = {roles[own]: mapping.moves[own][move] for own, move in enumerate(joint)}
        line.append(tuple(made[role] for role in sorted(made)))
    values = {roles[own]: value for own, value in enumerate(result.value)}
    return (
        *(roles[result.role], moves[result.move]),
        *(tuple(values[role] for role in sorted(values)), tuple(line)),
        {moves[own]: value for own, value in result.scores.items()},
        {moves[own]: count for own, count in result.tries.items()},
        {moves[own]: count for own, count in result.plies.items()},
    )


@pytest.mark.parametrize(
    "text",
    [
        "alphabeta:{},depth=2",
        "mcts:{},cutoff=0,tree=values,sims=60",
        "mcts:{},playout=knowledge,tree=knowledge,sims=60",
    ],
)
def test_a_player_finds_the_same_under_other_names(text: str, name: str, tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "it.pt", learned(name))
    home, other = games(name)
    mapping = map_game(home, other)
    players = [make_player(text.format(tmp_path / "it.pt")) for _ in range(2)]
    here, there = players
    for role, its_role in enumerate(mapping.roles):
        here.start(MatchStart(home, role, 7))
        there.start(MatchStart(other, its_role, 7))
        for state, twin in twins(name, seed=role):
            if len(state.legal_moves[role]) < 2:
                continue
            limit = Limit()
            move = there.choose(twin, limit)
            assert move == mapping.moves[role][here.choose(state, limit)]
            assert move in twin.legal_moves[its_role]
            assert isinstance(here, SearchPlayer)
            assert isinstance(there, SearchPlayer)
            assert here.last is not None
            assert there.last is not None
            assert told(there.last) == translated(here.last, mapping)
            assert there.last.state == twin


def test_a_namesake_is_the_home_under_the_names_of_the_other_game(name: str) -> None:
    home, other = games(name)
    namesake = map_game(home, other).namesake
    assert sorted(namesake.fluents) == sorted(other.fluents)
    assert set(namesake.roles) == set(other.roles)
    for (state, twin), _ in zip(twins(name, 3), range(4), strict=False):
        same = namesake.state(twin.fluent_texts)
        assert torch.equal(same.fluents, state.fluents)
        assert same.is_terminal == twin.is_terminal
        for role, text in enumerate(namesake.roles):
            its_role = other.role_index(text)
            assert same.goals[role] == twin.goals[its_role]
            assert {namesake.moves[role][own] for own in same.legal_moves[role]} == {
                other.moves[its_role][own] for own in twin.legal_moves[its_role]
            }
        atoms, own = namesake.circuit.atoms, home.circuit.atoms
        assert [atoms.text(1 + len(home.fluents))] != [own.text(1 + len(home.fluents))]
    # Its rules say the same as those of the other game, in the order of its own, so that none
    # stands where one of that game's file does.
    assert {rule.position for rule in namesake.rules} == {NOWHERE}
    again = Game.from_rules(namesake.rules, "again", cache=False)
    assert (sorted(again.roles), again.fluents) == (sorted(other.roles), other.fluents)
    assert [rule.head.name for rule in namesake.rules] != [rule.head.name for rule in home.rules]


def test_what_is_looked_at_under_other_names_is_explained_by_them() -> None:
    home, other = games("breakthrough6")
    checkpoint = learned("breakthrough6")
    namesake = checkpoint.mapping(other).namesake
    assert checkpoint.mapping(home).namesake is home
    judge, evaluator = checkpoint.judge("knowledge", namesake), checkpoint.evaluator(namesake)
    for state, twin in list(twins("breakthrough6", 4, 5))[3:5]:
        same = namesake.state(twin.fluent_texts)
        role = next(own for own, legal in enumerate(state.legal_moves) if len(legal) > 1)
        move = state.legal_moves[role][1]
        mine = attribute_move(checkpoint.judge("knowledge"), state, role, move)
        yours = attribute_move(judge, same, role, move)
        assert [(one.fluents, one.amount) for one in yours.contributions] == [
            (one.fluents, one.amount) for one in mine.contributions
        ]
        named = [own for own in yours.contributions if own.fluents]
        assert named
        for own in named:
            assert any(
                other.fluents[other.fluent_index(namesake.fluents[fluent])] in own.label
                for fluent in own.fluents
            )
        whole = attribute(evaluator, same, role, method="toggling")
        assert (
            whole.by_fluent
            == attribute(checkpoint.evaluator(), state, role, method="toggling").by_fluent
        )


def test_whoever_does_not_translate_is_told_to(tmp_path: Path) -> None:
    home, other = games("breakthrough6")
    checkpoint = learned("breakthrough6")
    for ask in (checkpoint.evaluator, lambda game: checkpoint.judge("knowledge", game)):
        with pytest.raises(CheckpointError, match=r"under other names; .*\.namesake"):
            ask(other)
    # The same names and numbers, and the rules in another order, are at home.
    reordered = Game.from_rules(shuffled(home.rules, 3), "reordered", cache=False)
    if map_game(home, reordered).is_identity:
        checkpoint.evaluator(reordered)
    save_checkpoint(tmp_path / "it.pt", checkpoint)
    player = make_player(f"alphabeta:{tmp_path / 'it.pt'},depth=1")
    with pytest.raises(CheckpointError, match="has other rules"):
        player.start(MatchStart(Game.load("nim"), 0, 1))


def test_a_match_under_other_names_is_played_to_its_end(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "it.pt", learned("bidding_tictactoe"))
    _, other = games("bidding_tictactoe")
    texts = [
        f"alphabeta:{tmp_path / 'it.pt'},depth=1",
        f"mcts:{tmp_path / 'it.pt'},tree=values,sims=20",
    ]
    record = play_match(other, [make_player(text, other) for text in texts], seed=2)
    assert record.ending == "terminal"
