"""Attributions: they add up, they say what a hand-made evaluator says, names do not matter."""

from __future__ import annotations

import pytest
import torch

from neurogame.errors import GameError
from neurogame.evaluators.attribution import difference
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.gdl.scramble import scramble
from neurogame.inspect.attribution.attribute import attribute
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.simulate.game import Game, State
from neurogame.simulate.game_mapping import map_game
from tests.conftest import REPOSITORY


def states(game: Game, count: int, seed: int = 0) -> list[State]:
    """Return states of random games."""
    generator = torch.Generator().manual_seed(seed)
    found: list[State] = []
    state = game.initial_state()
    while len(found) < count:
        if state.is_terminal:
            state = game.initial_state()
        found.append(state)
        joint = [
            own[int(torch.randint(len(own), (), generator=generator))] for own in state.legal_moves
        ]
        state = state.next(joint)
    return found


def trained(name: str) -> tuple[Game, PartsEvaluator]:
    """Return a game of the library and what is shipped for it."""
    game = Game.load(name)
    found = load_checkpoint(REPOSITORY / "checkpoints" / f"{name}.pt").evaluator(game)
    assert isinstance(found, PartsEvaluator)
    return game, found


@pytest.mark.parametrize("name", ["connectfour", "breakthrough6", "qubic", "checkers6"])
def test_what_parts_add_is_the_value(name: str) -> None:
    game, evaluator = trained(name)
    for state in states(game, 30):
        for role in range(len(game.roles)):
            found = attribute(evaluator, state, role)
            amounts = [own.amount for own in found.contributions]
            assert found.method == "exact"
            assert abs(found.gap) < 1e-4
            assert sum(amounts) == pytest.approx(found.total, abs=1e-4)
            assert torch.sigmoid(torch.tensor(found.total)).item() == pytest.approx(
                found.value, abs=1e-5
            )
            assert amounts == sorted(amounts, key=abs, reverse=True)


def test_opposed_roles_see_the_same_with_other_signs() -> None:
    game, evaluator = trained("connectfour")
    state = states(game, 9)[-1]
    mine, yours = (attribute(evaluator, state, role) for role in range(2))
    amounts = {own.label: own.amount for own in mine.contributions if own.kind == "pattern"}
    others = {own.label: -own.amount for own in yours.contributions if own.kind == "pattern"}
    assert amounts
    assert amounts == pytest.approx(others)


def test_what_is_cut_off_is_said() -> None:
    game, evaluator = trained("tictactoe")
    with torch.no_grad():
        evaluator.tables.add_(50.0)
    found = attribute(evaluator, game.initial_state(), 0)
    assert [own.kind for own in found.contributions].count("limit") == 1
    assert abs(found.gap) < 1e-3


def test_a_single_row_is_all_there_is() -> None:
    game, evaluator = trained("tictactoe")
    with torch.no_grad():
        for part in evaluator.parts_learned():
            part.zero_()
        evaluator.gain.fill_(-1.0)
        state = game.initial_state()
        held = state.fluents[None].float()
        mode = int(evaluator.layout.mode_of(held)[0])
        row = int(evaluator.layout.rows(evaluator.layout.seen(held, mode))[0, 0])
        evaluator.tables[:, :, row] = 0.7
    found = attribute(evaluator, state, 0)
    patterns = [own for own in found.contributions if own.kind == "pattern"]
    readers = [own.label for own in patterns if abs(own.amount) > 0.1]
    assert "pattern 0:" in readers[0]
    assert sum(own.amount for own in patterns) == pytest.approx(found.total, abs=1e-5)
    own = next(own for own in patterns if own.label.startswith("pattern 0:"))
    assert sum(found.by_fluent[fluent] for fluent in own.fluents) != 0


@pytest.mark.parametrize("kind", ["cilp", "cilp-paper", "fuzzy"])
@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough6"])
def test_gradients_add_up(kind: str, name: str) -> None:
    game = Game.load(name)
    evaluator = make_evaluator(game, EvaluatorConfig(kind=kind), seed=1)
    for state in states(game, 12)[3::4]:
        found = attribute(evaluator, state, 0, method="gradients")
        assert found.method == "gradients"
        assert found.base + sum(own.amount for own in found.contributions) + found.gap == (
            pytest.approx(found.total, abs=1e-5)
        )
        assert abs(found.gap) < 5e-3


def test_toggling_is_what_the_evaluator_says_of_the_other_state() -> None:
    game = Game.load("tictactoe")
    evaluator = make_evaluator(game, seed=1)
    state = states(game, 4)[-1]
    found = attribute(evaluator, state, 1, method="toggling")
    for fluent in range(len(game.fluents)):
        flags = state.fluents.clone()
        flags[fluent] = ~flags[fluent]
        with torch.no_grad():
            other = float(evaluator(flags[None])[0, 1])
        assert found.by_fluent[fluent] == pytest.approx(found.value - other, abs=1e-6)


def test_a_state_does_not_differ_from_itself_and_differences_add_up() -> None:
    game, evaluator = trained("connectfour")
    one, other = states(game, 8)[5:7]
    found = attribute(evaluator, one, 0)
    assert difference(found, found).contributions == ()
    apart = difference(found, attribute(evaluator, other, 0))
    assert sum(own.amount for own in apart.contributions) == pytest.approx(apart.total, abs=1e-4)


def test_names_do_not_matter() -> None:
    game, evaluator = trained("connectfour")
    other = Game.from_rules(scramble(game.rules, seed=5).rules, "other")
    namesake = map_game(game, other).namesake
    mine = attribute(evaluator, game.initial_state(), 0)
    yours = attribute(evaluator, namesake.initial_state(), 0)
    assert yours.method == "exact"
    assert [own.amount for own in yours.contributions] == pytest.approx(
        [own.amount for own in mine.contributions], abs=1e-6
    )
    assert sorted(yours.by_fluent) == pytest.approx(sorted(mine.by_fluent), abs=1e-6)
    largest = next(own for own in yours.contributions if own.kind == "pattern")
    assert all(namesake.fluents[fluent] in largest.label for fluent in largest.fluents)
    assert {namesake.fluents[fluent] for fluent in largest.fluents} <= set(other.fluents)


def test_what_cannot_be_explained_is_refused() -> None:
    game = Game.load("tictactoe")
    evaluator = make_evaluator(game, seed=1)
    with pytest.raises(GameError, match="'gradients' and 'toggling'"):
        attribute(evaluator, game.initial_state(), 0, method="exact")
    with pytest.raises(GameError, match="has no role 2"):
        attribute(evaluator, game.initial_state(), 2)
    one, other = (attribute(evaluator, game.initial_state(), role) for role in range(2))
    with pytest.raises(GameError, match="can be compared"):
        difference(one, other)
