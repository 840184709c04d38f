"""What a search reports, and what it reads from the evaluator."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from neurogame.errors import ConfigurationError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.deepening import Deepening
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from tests.search.random_tree import FREE, OPPOSED, RandomTree, packed, plain_paranoid, searcher


@pytest.mark.parametrize("role", [0, 1])
def test_margin_reads_both_values(role: int) -> None:
    options = SearchSettings(outlook="margin", think_when_forced=True)
    differs = 0
    for seed in range(20):
        tree = RandomTree(seed, roles=2, plies=5, width=6, simultaneous=False, zero_sum=False)
        for state, position in enumerate(tree.positions):
            if not position.children:
                ends = (position.values[0], 1 - position.values[0])
                tree.positions[state] = dataclasses.replace(position, values=ends)
        found = searcher(tree, OPPOSED, settings=options).search(packed(0), role, Limit(depth=3))
        own = plain_paranoid(tree, 0, role, found.depth)
        for state, position in enumerate(tree.positions):
            margin = (position.values[role] + 1 - position.values[1 - role]) / 2
            values = (margin, 1 - margin) if role == 0 else (1 - margin, margin)
            tree.positions[state] = dataclasses.replace(position, values=values)
        assert found.value[role] == plain_paranoid(tree, 0, role, found.depth)
        assert found.value[1 - role] == 1 - found.value[role]
        differs += found.value[role] != own
    assert differs > 5


def test_the_line_leads_to_the_value() -> None:
    for seed in range(20):
        tree = RandomTree(seed, roles=2, plies=7, width=8, simultaneous=False, zero_sum=False)
        options = SearchSettings(opponents="paranoid", think_when_forced=True)
        found = searcher(tree, FREE, settings=options).search(packed(0), 0, Limit(depth=5))
        if found.proved:
            continue
        state = 0
        for joint in found.line:
            state = tree.positions[state].children[joint]
        # All roles' values are those of the last state.
        assert found.value == tree.positions[state].values
        assert len(found.line) == found.depth or not tree.positions[state].children


def test_without_time_for_the_line_the_other_has_what_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Deepening, "_has_time", lambda _: False)
    for seed in range(5):
        tree = RandomTree(seed, roles=2, plies=5, width=6, simultaneous=False, zero_sum=False)
        for role in (0, 1):
            found = searcher(tree, OPPOSED).search(packed(0), role, Limit(depth=2))
            assert found.value[1 - role] == 1 - found.value[role]


def test_scores_are_bounds() -> None:
    for seed in range(20):
        tree = RandomTree(seed, roles=2, plies=7, width=8, simultaneous=True, zero_sum=True)
        options = SearchSettings(think_when_forced=True)
        found = searcher(tree, OPPOSED, settings=options).search(packed(0), 0, Limit(depth=3))
        if found.proved or found.depth < 3:
            continue
        worst: dict[int, float] = {}
        for joint, child in tree.positions[0].children.items():
            value = plain_paranoid(tree, child, 0, found.depth - 1)
            worst[joint[0]] = min(value, worst.get(joint[0], 2.0))
        assert found.scores[found.move] == worst[found.move] == found.value[0]
        assert all(found.scores[move] >= value for move, value in worst.items())
        assert max(found.scores.values()) == found.value[0]


def test_counts_and_times_add_up() -> None:
    game = Game.load("connectfour")
    search = AlphaBeta(game, make_evaluator(game, "cilp"))
    found = search.search(game.initial_state(), 0, Limit(depth=6))
    assert found.depth == len(found.line) == 6
    # After six plies some state is won, but none before.
    assert found.nodes > found.evaluations > found.visits > 100
    assert set(found.split) == {"rules", "evaluate", "search"}
    assert sum(found.split.values()) == pytest.approx(found.seconds)
    assert all(seconds > 0 for seconds in found.split.values())
    assert found.simulations == found.playouts == 0


def test_new_weights_count_after_forgetting() -> None:
    game = Game.load("connectfour")
    evaluator = make_evaluator(game, "cilp")
    state, limit = game.initial_state(), Limit(depth=3)
    search = AlphaBeta(game, evaluator)
    before = search.search(state, 0, limit)
    with torch.no_grad():
        for parameter in evaluator.parameters():
            parameter.mul_(1.1)
    search.forget()
    after = search.search(state, 0, limit)
    assert after.value != before.value
    assert after.value == AlphaBeta(game, evaluator).search(state, 0, limit).value


def test_compiled_and_called_evaluators_agree() -> None:
    """The same search with the evaluator in compiled code and as a module of torch."""
    game = Game.load("connectfour")
    evaluator = make_evaluator(game, EvaluatorConfig(kind="cilp", noise=0.1), seed=3)
    values = []
    for compiled in (True, False):
        if not compiled:
            evaluator.compiled_values = lambda: None  # type: ignore[method-assign]
        search = AlphaBeta(game, evaluator, settings=SearchSettings(batch=64))
        found = search.search(game.initial_state(), 0, Limit(depth=5))
        values.append(found.value)
        assert found.depth == 5
    np.testing.assert_allclose(values[0], values[1], atol=1e-5)


def test_proved_states_are_a_mapping() -> None:
    tree = RandomTree(5, roles=2, plies=6, width=9, simultaneous=False, zero_sum=True)
    search = searcher(tree, OPPOSED)
    proved = search.proved_states
    assert len(proved) == 0
    search.search(packed(0), 0, Limit(depth=9))
    keys = list(proved)
    assert len(keys) == len(set(keys)) == len(proved) > 3
    assert all(key in proved and len(proved[key]) == 2 for key in keys)
    missing = bytes(len(keys[0] * 2))
    assert missing not in proved
    with pytest.raises(KeyError):
        proved[missing]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"opponents": "friends"}, "opponents='friends'; allowed: one of auto, paranoid, maxn"),
        ({"outlook": "bright"}, "outlook='bright'; allowed: one of margin, own"),
        ({"history": -1.0}, "history=-1.0; allowed: a finite number"),
        ({"killers": float("nan")}, "killers=nan"),
        ({"aspiration": 0.0}, "aspiration=0.0; allowed: .*above 0 and at most 1"),
        ({"batch": 0}, "batch=0; allowed: .*at least 1"),
        ({"widest": 0}, "widest=0; allowed: .*at least 1"),
        ({"memory": 0}, "memory=0; allowed: .*at least 1"),
    ],
)
def test_settings_out_of_range_are_refused(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        SearchSettings(**options)  # type: ignore[arg-type]
