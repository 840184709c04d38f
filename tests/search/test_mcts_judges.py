"""Judges of moves in the tree and in playouts: what they change, and what goes wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.result import SearchResult
from neurogame.simulate.game import State
from tests.kernels.leaves.judges import Broken, Guess, Marks
from tests.library import load as game
from tests.search.twin_reading import choices

RIGHT = "(mark 1 3)"


def threatened() -> State:
    """Return a state in which black must mark 1 3."""
    state = game("tictactoe").initial_state()
    for joint in (("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"), ("(mark 1 2)", "noop")):
        state = state.next(joint)
    return state


def pointing(name: str, value: float, other: float = 0.0) -> Marks:
    """Return a judge that gives one move of both roles a value, and all others another one."""
    return Marks(
        *([value if move == name else other for move in own] for own in game("tictactoe").moves)
    )


def searched(judge: Marks, simulations: int, **settings: Any) -> SearchResult:
    chosen = MctsSettings(solver=False, **settings)
    search = Mcts(game("tictactoe"), settings=chosen, judges={"action": judge, "knowledge": judge})
    return search.search(threatened(), 1, Limit(simulations=simulations))


@pytest.mark.parametrize("mix", ["beta", "seed"])
@pytest.mark.parametrize("kind", ["action", "knowledge"])
def test_a_prior_that_points_at_the_right_move_finds_it_sooner(kind: Any, mix: Any) -> None:
    right = game("tictactoe").moves[1].index(RIGHT)
    plain = searched(pointing(RIGHT, 1.0), 30)
    told = searched(pointing(RIGHT, 1.0), 30, tree=kind, mix=mix)
    assert told.move == right
    assert told.tries[right] > plain.tries[right] + 3
    # The first simulation goes there, and not all moves are tried.
    assert searched(pointing(RIGHT, 1.0), 1, tree=kind, mix=mix).tries[right] == 1
    assert 0 in searched(pointing(RIGHT, 1.0), 8, tree=kind, mix=mix).tries.values()


@pytest.mark.parametrize(
    "settings",
    [{"mix": "beta", "k": 200}, {"mix": "seed"}],
    ids=str,
)
def test_a_misleading_prior_is_overcome(settings: dict[str, Any]) -> None:
    right = game("tictactoe").moves[1].index(RIGHT)
    early = searched(pointing(RIGHT, 0.0, 1.0), 10, tree="action", **settings)
    assert early.tries[right] <= 1
    late = searched(pointing(RIGHT, 0.0, 1.0), 6000, tree="action", **settings)
    assert late.move == right
    assert late.tries[right] > 3000


def test_the_weight_of_a_prior_is_one_half_at_k_visits() -> None:
    # Two moves that are worth the same: at N = k their means differ by half the priors.
    from neurogame.native.compiled import compiled
    from neurogame.search.mcts.compiled.select import trust_at

    @compiled
    def trust(visits: int, k: float) -> Any:
        return trust_at(visits, k)

    assert trust(20, 20.0) == pytest.approx(0.5)
    assert trust(1000, 1000.0) == pytest.approx(0.5)
    assert trust(0, 20.0) == 1
    assert trust(10**6, 20.0) == pytest.approx((20 / (3e6 + 20)) ** 0.5)


def test_every_role_that_decides_has_priors_of_its_own() -> None:
    rules = game("bidding_tictactoe")
    judge = Guess(rules)
    search = Mcts(rules, settings=MctsSettings(tree="action"), judges={"action": judge})
    state = rules.initial_state()
    search.search(state, 0, Limit(simulations=5))
    tree = search._trees[0]
    decided = choices(tree.tree, tree.tree.root)
    assert [choice.role for choice in decided] == [0, 1]
    for choice in decided:
        own = choice.moves - rules.move_offsets[choice.role]
        legal = np.zeros((1, len(rules.moves[choice.role])), np.bool_)
        legal[0, own] = True
        scores = judge.move_scores(state.fluents[None].numpy(), legal, choice.role)[0, own]
        span = scores.max() - scores.min()
        assert choice.priors == pytest.approx((scores - scores.min()) / span, abs=1e-6)
        untried = choice.priors[choice.visits == 0] if choice.priors is not None else []
        assert (np.diff(untried) <= 0).all()


def test_judges_are_asked_for_many_leaves_at_once() -> None:
    rules = game("connectfour")
    for use in ({"playout": "action"}, {"tree": "action"}):
        judge = Guess(rules)
        settings = MctsSettings(lanes=64, **use)  # type: ignore[arg-type]
        search = Mcts(rules, settings=settings, judges={"action": judge})
        found = search.search(rules.initial_state(), 0, Limit(simulations=640))
        assert judge.asked > 4 * judge.calls
        # A node is judged once.
        assert use != {"tree": "action"} or judge.asked <= found.nodes + 1


def test_what_judges_take_is_told() -> None:
    rules = game("connectfour")
    judges = {"action": Guess(rules)}
    for use, part in (("playout", "playout scores"), ("tree", "tree scores")):
        settings = MctsSettings(**{use: "action"})  # type: ignore[arg-type]
        search = Mcts(rules, settings=settings, judges=judges)
        found = search.search(rules.initial_state(), 0, Limit(simulations=100))
        other = ({"playout scores", "tree scores"} - {part}).pop()
        assert 0 < found.split[part] < found.seconds
        assert found.split[other] == 0
        assert sum(found.split.values()) <= found.seconds


def test_forgetting_takes_the_present_weights() -> None:
    rules = game("connectfour")

    class Settled(Guess):
        refreshed = 0

        def compiled_scores(self) -> None:
            self.refreshed += 1

    judge = Settled(rules)
    settings = MctsSettings(tree="action", playout="action", threads=2)
    search = Mcts(rules, settings=settings, judges={"action": judge})
    assert judge.refreshed == 4
    search.forget()
    assert judge.refreshed == 8


@pytest.mark.parametrize("use", [{"playout": "action"}, {"tree": "action", "lanes": 8}], ids=str)
def test_a_judges_error_is_raised_and_nothing_is_kept(use: Any) -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(**use), judges={"action": Broken()})
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="no idea"):
            search.search(rules.initial_state(), 0, Limit(simulations=200))
        assert search._trees[0].size == 0


def test_what_is_missing_or_undecided_is_refused() -> None:
    rules = game("tictactoe")
    for settings in (MctsSettings(tree="action"), MctsSettings(playout="action")):
        with pytest.raises(ConfigurationError, match="'action', given are none; pass it"):
            Mcts(rules, settings=settings)
    with pytest.raises(ConfigurationError, match="'knowledge', given are action"):
        Mcts(rules, settings=MctsSettings(tree="knowledge"), judges={"action": Guess(rules)})
    for gated in (MctsSettings(tree="gated"), MctsSettings(playout="gated")):
        with pytest.raises(ConfigurationError, match="gated must be decided before"):
            Mcts(rules, settings=gated, judges={"action": Guess(rules)})


def test_defaults_follow_the_judge() -> None:
    def of(**settings: Any) -> tuple[str, float, float, float]:
        one = MctsSettings(**settings)
        return (one.playout_choice, one.playout_epsilon, one.playout_tau, one.equivalence)

    assert of(playout="mast", tree="rave") == ("greedy", 0.4, 10, 1000)
    assert of(playout="mast", choice="gibbs") == ("gibbs", 0, 10, 20)
    assert of(playout="action", tree="action") == ("gibbs", 0, 1, 20)
    assert of(playout="action", choice="greedy") == ("greedy", 0.4, 1, 20)
    assert of(playout="knowledge", tree="knowledge") == ("greedy", 0.5, 10, 20)
    assert of(playout="action", epsilon=0.1, tau=5.0, k=7.0) == ("gibbs", 0.1, 5, 7)
    assert sorted(MctsSettings(tree="knowledge", playout="action").judges) == [
        "action",
        "knowledge",
    ]
    assert MctsSettings(tree="rave").judges == ()
    for one, mixing, constant in (
        (MctsSettings(tree="action"), "beta", 0.7),
        (MctsSettings(tree="values"), "seed", 0.7),
        (MctsSettings(tree="action", mix="seed", exploration=2.5), "seed", 2.5),
    ):
        assert (one.mixing, one.exploration_constant) == (mixing, constant)


@pytest.mark.parametrize("name", ["knowledge", "action"])
def test_a_judge_of_another_game_is_refused(name: str) -> None:
    other = game("nim")
    judge: Any = Knowledge(other) if name == "knowledge" else make_action_circuit(other)
    settings = MctsSettings(tree=name)
    assert Mcts(other, settings=settings, judges={name: judge}).settings == settings
    with pytest.raises(GameError, match=f"the judge '{name}' takes .*: is it another game's"):
        Mcts(game("tictactoe"), settings=settings, judges={name: judge})
