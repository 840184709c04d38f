"""Why states and moves are good or bad: sums are the values, whoever judges, whatever the names."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import cast

import pytest
import torch
from torch import Tensor

from neurogame.errors import GameError
from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.attribution import Method, difference
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.evaluators.measured import Measured, value_for
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.gdl.scramble import scramble
from neurogame.inspect.attribution.attribute import attribute, to_fluents
from neurogame.inspect.attribution.by_fluents import shapley_values
from neurogame.inspect.attribution.of_moves import attribute_move
from neurogame.inspect.attribution.unit_labels import labels_in_mode
from neurogame.inspect.move_values import move_values
from neurogame.inspect.named_state import named_state
from neurogame.judges.moves import MoveJudge
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


def trained(name: str) -> tuple[Game, RulesNetwork]:
    """Return a game of the library and what is shipped for it."""
    game = Game.load(name)
    found = load_checkpoint(REPOSITORY / "checkpoints" / f"{name}.pt").evaluator(game)
    assert isinstance(found, RulesNetwork)
    return game, found


@pytest.mark.parametrize("name", ["connectfour", "breakthrough6", "qubic", "checkers6"])
def test_what_units_and_tables_add_is_the_value(name: str) -> None:
    game, evaluator = trained(name)
    for state in states(game, 30)[::3]:
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
        for part in evaluator.learned_weights():
            part.zero_()
        state = game.initial_state()
        held = state.fluents[None].float()
        mode = int(evaluator.layout.mode_of(held)[0])
        row = int(evaluator.layout.rows(evaluator.layout.seen(held, mode))[0, 0])
        evaluator.tables[:, :, row] = 0.7
    found = attribute(evaluator, state, 0)
    patterns = [own for own in found.contributions if own.kind == "pattern"]
    first = labels_in_mode(evaluator, game, mode)[1][0]
    readers = [own.label for own in patterns if abs(own.amount) > 0.1]
    assert readers[0].startswith("cell (")
    assert first.label in readers
    assert sum(own.amount for own in patterns) == pytest.approx(found.total, abs=1e-5)
    own = next(own for own in patterns if own.label == first.label)
    assert own.fluents == first.fluents
    assert sum(found.by_fluent[fluent] for fluent in own.fluents) != 0


@pytest.mark.parametrize("kind", ["cilp", "cilp-paper", "fuzzy"])
@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough6"])
def test_gradients_add_up(kind: str, name: str) -> None:
    game = Game.load(name)
    evaluator = make_evaluator(game, kind, seed=1)
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


def test_what_cannot_be_explained_is_refused() -> None:
    game = Game.load("tictactoe")
    evaluator = make_evaluator(game, seed=1)
    with pytest.raises(GameError, match="'gradients' and 'toggling'"):
        attribute(evaluator, game.initial_state(), 0, method="exact")
    with pytest.raises(GameError, match="has no role 2"):
        attribute(evaluator, game.initial_state(), 2)
    with pytest.raises(GameError, match="has no role 'xplayer'; its roles"):
        attribute(evaluator, game.initial_state(), "xplayer")  # type: ignore[arg-type]
    one, other = (attribute(evaluator, game.initial_state(), role) for role in range(2))
    with pytest.raises(GameError, match="can be compared"):
        difference(one, other)


def knowledge(game: Game, hidden: int = 0) -> Knowledge:
    """Return knowledge with weights at random, as learning would take longer."""
    found = Knowledge(game, KnowledgeConfig(hidden=hidden), seed=1)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for part in found.parameters():
            part.copy_(torch.randn(part.shape, generator=generator) / 4)
    found.plays.fill_(10)
    found.returns.copy_(10 * torch.rand(found.returns.shape, generator=generator))
    return found


JUDGES: dict[str, Callable[[Game], MoveJudge]] = {
    "action": make_action_circuit,
    "knowledge": knowledge,
    "network": lambda game: knowledge(game, hidden=8),
}


def mover(state: State) -> int:
    """Return a role with a choice."""
    return max(range(len(state.legal_moves)), key=lambda role: len(state.legal_moves[role]))


def score(judge: MoveJudge, state: State, role: int, move: int) -> float:
    """Return what a judge says."""
    legal = torch.zeros(1, len(state.game.moves[role]), dtype=torch.bool)
    legal[0, list(state.legal_moves[role])] = True
    return float(judge.move_scores(state.fluents[None].numpy(), legal.numpy(), role)[0, move])


@pytest.mark.parametrize("kind", JUDGES)
@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough6"])
def test_the_sum_is_the_score(name: str, kind: str) -> None:
    game = Game.load(name)
    judge = JUDGES[kind](game)
    for plies in range(6):
        state = named_state(game, f"random:{plies}:{plies}")
        role = mover(state)
        for move in state.legal_moves[role][:3]:
            found = attribute_move(judge, state, role, move)
            assert (found.method, found.move) == ("exact", move)
            assert abs(found.gap) < 1e-5
            total = found.base + sum(own.amount for own in found.contributions)
            assert total == pytest.approx(score(judge, state, role, move), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("kind", ["action", "knowledge", "network"])
def test_moves_at_the_same_time(kind: str) -> None:
    game = Game.load("rockpaperscissors")
    judge, state = JUDGES[kind](game), game.initial_state()
    for move in state.legal_moves[1]:
        found = attribute_move(judge, state, 1, move)
        assert abs(found.gap) < 1e-6
        assert found.total == pytest.approx(score(judge, state, 1, move), abs=1e-6)


def test_conditions_of_the_centre_are_its_lines() -> None:
    game = Game.load("tictactoe")
    state, role = game.initial_state(), 0
    circuit = make_action_circuit(game)
    centre = attribute_move(circuit, state, role, game.move_index("xplayer", "(mark 2 2)"))
    through = [own for own in centre.contributions if len(own.fluents) == 2]
    others = [own for own in centre.contributions if len(own.fluents) == 3]
    # The four lines through it need two more stones, the other four all three.
    assert len(through) == len(others) == 4
    assert "(cell 1 1 x) (cell 3 3 x)" in {own.label for own in through}
    assert sum(own.amount for own in through) > 30 * sum(own.amount for own in others)
    assert len({round(own.amount, 12) for own in through}) == 1
    # The twin: 1 - (1 - 0.03^2)^4 (1 - 0.03^3)^4.
    assert centre.total == pytest.approx(1 - (1 - 0.03**2) ** 4 * (1 - 0.03**3) ** 4, rel=1e-5)
    edge = attribute_move(circuit, state, role, game.move_index("xplayer", "(mark 1 2)"))
    why = difference(centre, edge)
    assert why.total > 0
    assert sum(own.amount for own in why.contributions) == pytest.approx(why.total, abs=1e-9)


@pytest.mark.parametrize("method", ["gradients", "shapley"])
def test_to_fluents_adds_up_for_action_heuristics(method: Method) -> None:
    for trainable in (False, True):
        game = Game.load("connectfour")
        judge = make_action_circuit(game, ActionConfig(trainable=trainable))
        state = named_state(game, "random:8:2")
        role = mover(state)
        found = attribute_move(judge, state, role, state.legal_moves[role][0], method=method)
        assert found.total == pytest.approx(
            score(judge, state, role, state.legal_moves[role][0]), rel=1e-4
        )
        assert abs(found.gap) < 1e-2 * max(1.0, abs(found.total - found.base))


def test_shapley_values_are_those_of_the_definition() -> None:
    game = Game.load("tictactoe")
    evaluator, state = make_evaluator(game, seed=1), named_state(game, "random:2:5")
    measured = value_for(evaluator, 0)
    begin = game.initial_state()
    places = (begin.fluents ^ state.fluents).nonzero().view(-1).tolist()
    exact = dict.fromkeys(places, 0.0)
    orders = list(permutations(places))
    for order in orders:
        fluents = begin.fluents.clone()
        before = float(measured.numbers(fluents[None])[0])
        for place in order:
            fluents[place] ^= True
            after = float(measured.numbers(fluents[None])[0])
            exact[place] += (after - before) / len(orders)
            before = after
    found = shapley_values(measured, state, begin, orders=2000, seed=1)
    assert abs(found.gap) < 1e-12
    assert 0 < found.sampling_error < 1e-3
    for place in places:
        assert found.by_fluent[place] == pytest.approx(exact[place], abs=5 * found.sampling_error)


def test_shapley_values_of_a_sum_are_its_summands() -> None:
    game = Game.load("connectfour")
    weights = torch.randn(len(game.fluents), generator=torch.Generator().manual_seed(1)).double()

    def linear(fluents: Tensor) -> Tensor:
        return fluents.double() @ weights

    state = named_state(game, "random:10:1")
    measured = Measured(of=linear, unit="value", role=0, is_smooth=False)
    found = to_fluents(measured, state)
    assert found.method == "shapley"
    change = (state.fluents.double() - game.initial_state().fluents.double()) * weights
    assert torch.allclose(torch.tensor(found.by_fluent, dtype=torch.float64), change, atol=1e-9)
    with pytest.raises(GameError, match="no gradients"):
        to_fluents(measured, state, "gradients")
    with pytest.raises(GameError, match=r"'shaply'.*'shapley' and 'toggling'"):
        to_fluents(measured, state, cast(Method, "shaply"))


def test_networks_that_gradients_cannot_account_for_are_added_up_all_the_same() -> None:
    game = Game.load("reversi6")
    evaluator, state = make_evaluator(game, seed=0), named_state(game, "random:20:1")
    found = attribute(evaluator, state, 0, method="shapley")
    assert abs(found.gap) < 1e-9
    assert found.total != found.base


@pytest.mark.parametrize("kind", [*JUDGES, "rules-network"])
def test_names_do_not_matter(kind: str) -> None:
    game = Game.load("connectfour")
    namesake = map_game(game, Game.from_rules(scramble(game.rules, seed=5).rules, "other")).namesake
    state = named_state(game, "random:6:2")
    role, same = mover(state), State(namesake, state.fluents)
    if kind == "rules-network":
        evaluator = trained("connectfour")[1]
        mine, yours = (attribute(evaluator, one, role) for one in (state, same))
    else:
        judge, move = JUDGES[kind](game), state.legal_moves[role][1]
        mine, yours = (attribute_move(judge, one, role, move) for one in (state, same))
    assert yours.method == "exact"
    assert yours.total == pytest.approx(mine.total, abs=1e-6)
    amounts = [sorted(own.amount for own in found.contributions) for found in (mine, yours)]
    assert amounts[0] == pytest.approx(amounts[1], abs=1e-6)
    named = [own for own in yours.contributions if own.fluents]
    assert named
    for own in named:
        fluents = [namesake.fluents[fluent] for fluent in own.fluents]
        if kind == "rules-network":
            assert all(text.strip("()").split()[0] in own.label for text in fluents)
        else:
            assert any(text in own.label for text in fluents)
    assert sorted(yours.by_fluent) == pytest.approx(sorted(mine.by_fluent), abs=1e-6)


def test_an_evaluator_judges_a_move_by_what_it_leads_to() -> None:
    game = Game.load("connectfour")
    evaluator = load_checkpoint(REPOSITORY / "checkpoints" / "connectfour.pt").evaluator(game)
    state = named_state(game, "random:9:3")
    role = mover(state)
    for own in move_values(evaluator, state)[role]:
        found = attribute_move(evaluator, state, role, own.move)
        assert found.value == pytest.approx(own.value, abs=1e-5)
        assert abs(found.gap) < 1e-4


def test_a_move_that_ends_the_game_counts_its_goal() -> None:
    game = Game.load("tictactoe")
    lines = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 b) (cell 2 2 o) (cell 3 3 o) (control xplayer)"
    blank = " ".join(f"(cell {own} b)" for own in ("2 1", "2 3", "3 1", "3 2"))
    state = named_state(game, f"{lines} {blank}")
    win, other = (game.move_index("xplayer", f"(mark {own})") for own in ("1 3", "2 1"))
    for kind in ("cilp", "rules-network"):
        evaluator = (
            make_evaluator(game, seed=1)
            if kind == "cilp"
            else load_checkpoint(REPOSITORY / "checkpoints" / "tictactoe.pt").evaluator(game)
        )
        best, worse = (attribute_move(evaluator, state, 0, move) for move in (win, other))
        assert best.value == 1.0
        assert [own.kind for own in best.contributions] == ["goal"]
        if kind == "rules-network":
            assert difference(best, worse).total > 0


def test_moves_that_cannot_be_explained_are_refused() -> None:
    game = Game.load("tictactoe")
    judge, state = knowledge(game), game.initial_state()
    with pytest.raises(GameError, match="legal are: noop"):
        attribute_move(judge, state, 1, game.move_index("oplayer", "(mark 1 1)"))
    with pytest.raises(GameError, match="no role 2"):
        attribute_move(judge, state, 2, 0)
    with pytest.raises(GameError, match="no gradients"):
        attribute_move(judge, state, 0, state.legal_moves[0][0], method="gradients")
    trained = make_action_circuit(game, ActionConfig(trainable=True))
    with pytest.raises(GameError, match="no sum of conditions"):
        attribute_move(trained, state, 0, state.legal_moves[0][0], method="exact")
