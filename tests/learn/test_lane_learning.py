"""Self-play in lanes and learning from its games, against plain Python and torch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

from neurogame.array_types import Float32s, Float64s, Int32s, Int64s, UInt8s, UInt64s
from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.kernels.leaves.expander import Expander
from neurogame.kernels.rules_network.learning import Learning, make_learning
from neurogame.kernels.self_play.games import Games, GameSettings
from neurogame.native.struct import array_of
from neurogame.simulate.game import Game
from tests.evaluators.rules_networks import SMALL, network_of
from tests.kernels.leaves.plain_children import make_children

SETTINGS = GameSettings(lanes=3, plies=40, seed=5, epsilon=0.3, lambda_=0.6, openings=2)


@dataclass
class Ended:
    """A game that has just ended, as it was kept."""

    states: UInt64s
    modes: Int32s
    searched: Float32s
    cut: UInt8s
    targets: Float32s


def make(
    name: str, settings: GameSettings, *, rate: float = 0.0, every: int = 1 << 30
) -> tuple[Game, RulesNetwork, Learning, Games]:
    """Return self-play whose learner has random weights and one table for each look-up."""
    game = Game.load(name)
    evaluator = network_of(game, replace(SMALL, symmetries=False))
    learning = make_learning(
        evaluator.kernel_weights(), evaluator.layout.images, rate=rate, step_size=1e-3, every=every
    )
    return game, evaluator, learning, Games(game.circuit, learning, settings)


def next_end(games: Games) -> Ended:
    """Play until a game ends; there is one lane."""
    before, count = games.own.games, 0
    while games.own.games == before:
        count += 1
        games.play(1)
    names = ("states", "modes", "searched", "cut", "targets")
    return Ended(**{name: array_of(games.own, name)[:count].copy() for name in names})


def fluents_of(game: Game, states: UInt64s) -> torch.Tensor:
    """Return which fluents hold; bool ``[N, F]``."""
    flags = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")
    return torch.from_numpy(flags[:, : len(game.fluents)].astype(np.bool_))


@pytest.mark.parametrize("name", ["tictactoe", "connectfour5", "tictactoe3p", "eightpuzzle"])
def test_moves_are_the_best_by_the_evaluator(name: str) -> None:
    """What is kept of each lane are states that follow each other, and values of the best."""
    game, evaluator, _, games = make(name, SETTINGS)
    games.play(6)
    expander, plies = Expander(game.circuit), SETTINGS.plies
    best, drawn = 0, 0
    for lane, ply in enumerate(array_of(games.own, "ply").tolist()):
        kept = array_of(games.own, "states")[lane * plies : lane * plies + ply]
        now = array_of(games.own, "state")[lane : lane + 1]
        path = np.concatenate([kept, now])
        for place in range(ply):
            children = make_children(expander, path[place : place + 1].copy())
            values = evaluator(fluents_of(game, children.states)).detach().numpy()
            ends = children.terminal
            values[ends] = children.goals[ends]
            choices = [len(np.unique(own)) for own in children.joint.T]
            role = int(np.argmax(np.array(choices) > 1))
            score = values[:, 0] * (1 - 2 * role) if len(choices) == 2 else values[:, role]
            row = lane * plies + place
            np.testing.assert_allclose(
                array_of(games.own, "searched")[row], values[np.argmax(score)], atol=1e-5
            )
            chosen = np.flatnonzero((children.states == path[place + 1]).all(axis=1))
            assert len(chosen) > 0
            if array_of(games.own, "cut")[row]:
                drawn += 1
            else:
                best += 1
                assert score[chosen].max() >= score.max() - 1e-6
    assert best > 0
    assert drawn > 0


def test_targets_are_those_of_td_lambda() -> None:
    """Backwards from the goals; a move that was not the best one lets nothing through."""
    settings = replace(SETTINGS, lanes=1)
    _, _, _, games = make("connectfour5", settings)
    cut = 0
    for _ in range(10):
        ended = next_end(games)
        target = ended.searched[-1]  # The last move led to the end: its value is the goals.
        assert set(target.tolist()) <= {0.0, 0.5, 1.0}
        for place in reversed(range(len(ended.cut))):
            searched = ended.searched[place]
            if ended.cut[place]:
                cut, target = cut + 1, searched
            else:
                target = (1 - settings.lambda_) * searched + settings.lambda_ * target
            np.testing.assert_allclose(ended.targets[place], target, atol=1e-6)
    assert cut > 0


@pytest.mark.parametrize("name", ["connectfour5", "tictactoe", "tictactoe3p"])
def test_gradients_are_those_of_autograd(name: str) -> None:
    """Running sums over a game give what back-propagation gives position by position."""
    game, evaluator, learning, games = make(name, replace(SETTINGS, lanes=1))
    opposed = evaluator.layout.sizes.opposed
    for _ in range(3):
        ended = next_end(games)
        values = evaluator(fluents_of(game, ended.states))
        wanted = torch.from_numpy(ended.targets)
        loss = torch.nn.functional.binary_cross_entropy(values, wanted, reduction="sum")
        (loss * (0.5 if opposed else 1.0)).backward()  # type: ignore[no-untyped-call]
    for part in ("embedding", "bias", "readout"):
        found = torch.from_numpy(array_of(learning, f"{part}_gradient").copy())
        gradient = getattr(evaluator, part).grad
        assert gradient.abs().max() > 1e-3
        torch.testing.assert_close(found, -gradient, rtol=2e-3, atol=2e-4)


def test_rows_learn_the_errors_of_their_positions() -> None:
    """Temporal coherence, one look-up after the other, position by position."""
    game, evaluator, learning, games = make("connectfour5", replace(SETTINGS, lanes=1), rate=0.05)
    layout = evaluator.layout
    tables = evaluator.tables.detach().double().numpy().copy()
    errors, sizes = np.zeros_like(tables), np.zeros_like(tables)
    before = tables.copy()
    for _ in range(4):
        ended = next_end(games)
        held = fluents_of(game, ended.states).float()
        for mode in range(layout.sizes.modes):
            own = np.flatnonzero(ended.modes == mode)
            seen = layout.seen(held[torch.from_numpy(own)], mode)
            rows = layout.rows(seen).numpy()
            weights = int(layout.weights[mode])
            units = torch.relu(evaluator.bias[weights] + seen @ evaluator.embedding[weights])
            hidden = (units @ evaluator.readout[weights].t()).detach().double().numpy()[:, 0]
            _learn(
                (tables[weights, 0], errors[weights, 0], sizes[weights, 0]),
                rows,
                hidden,
                ended.targets[own, 0].astype(np.float64),
                rate=0.05,
            )
    assert np.abs(tables - before).max() > 0.02
    np.testing.assert_allclose(evaluator.tables.detach().numpy(), tables, atol=2e-5)
    np.testing.assert_allclose(array_of(learning, "errors"), errors, atol=2e-5)
    np.testing.assert_allclose(array_of(learning, "sizes"), sizes, atol=2e-5)


def _learn(
    learned: tuple[Float64s, Float64s, Float64s],
    rows: Int64s,
    hidden: Float64s,
    targets: Float64s,
    *,
    rate: float,
) -> None:
    """Learn from the positions of one mode; each look-up has rows of its own."""
    table = learned[0]
    due = np.zeros(rows.shape[1])
    for place in range(len(rows)):
        if place > 0:
            left = np.flatnonzero(rows[place] != rows[place - 1])
            _settle(learned, rows[place - 1, left], due[left], rate)
            due[left] = 0
        logit = table[rows[place]].sum() + hidden[place]
        due += targets[place] - 1 / (1 + np.exp(-logit))
    if len(rows):
        _settle(learned, rows[-1], due, rate)


def _settle(
    learned: tuple[Float64s, Float64s, Float64s], rows: Int64s, due: Float64s, rate: float
) -> None:
    """Give rows their errors."""
    table, errors, sizes = learned
    seen = sizes[rows] > 0
    share = np.where(seen, np.abs(errors[rows]) / np.where(seen, sizes[rows], 1), 1.0)
    table[rows] += rate * share * due
    errors[rows] += due
    sizes[rows] += np.abs(due)


def test_steps_are_those_of_adam() -> None:
    """Three steps, against torch's own."""
    game, evaluator, learning, games = make("connectfour5", replace(SETTINGS, lanes=1), every=1)
    twin = torch.nn.ParameterDict(
        {name: torch.nn.Parameter(getattr(evaluator, name).detach().clone()) for name in _LEARNED}
    )
    optimiser = torch.optim.Adam(twin.values(), lr=1e-3)
    for _ in range(3):
        ended = next_end(games)
        shadow = network_of(game, replace(SMALL, symmetries=False))
        shadow.load_state_dict({**evaluator.state_dict(), **{k: twin[k].data for k in _LEARNED}})
        values = shadow(fluents_of(game, ended.states))
        wanted = torch.from_numpy(ended.targets)
        loss = 0.5 * torch.nn.functional.binary_cross_entropy(values, wanted, reduction="sum")
        (loss / len(wanted)).backward()  # type: ignore[no-untyped-call]
        for name in _LEARNED:
            twin[name].grad = getattr(shadow, name).grad
        optimiser.step()
    assert learning.steps == 3
    for name in _LEARNED:
        torch.testing.assert_close(
            getattr(evaluator, name).detach(), twin[name].data, atol=2e-4, rtol=0
        )


def test_weights_that_no_condition_names_are_drawn_to_zero() -> None:
    """The same games and steps, and then torch's own soft threshold of the weights outside."""
    game = Game.load("tictactoe")
    weights = []
    for pull in (0.0, 0.02):
        evaluator = make_rules_network(game, RulesNetworkConfig(hidden=16, lookups=8), opposed=True)
        outside = torch.from_numpy(evaluator.outside_weights()) > 0
        with torch.no_grad():
            noise = torch.randn(
                evaluator.embedding.shape, generator=torch.Generator().manual_seed(1)
            )
            evaluator.embedding.add_(0.03 * noise)
        learning = make_learning(
            evaluator.kernel_weights(),
            evaluator.layout.images,
            rate=0.0,
            step_size=1e-3,
            every=1,
            outside=evaluator.outside_weights(),
            pull=pull,
        )
        next_end(Games(game.circuit, learning, replace(SETTINGS, lanes=1)))
        assert learning.steps == 1
        weights.append(evaluator.embedding.detach()[0])
    drawn = torch.nn.functional.softshrink(weights[0], 0.02)
    assert 0.2 < outside.float().mean() < 0.8
    torch.testing.assert_close(weights[1], torch.where(outside, drawn, weights[0]))
    assert (weights[1][outside] == 0).any()


_LEARNED = ("embedding", "bias", "readout")
