"""States found by enumeration and by random play, against plain sets and the twin."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.random_play import WordEvaluator, choose_moves, play
from neurogame.analysis.state_space import StateSpace, enumerate_states
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.graph.lanes import unpack_lanes
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.analysis.random_games import random_game
from tests.analysis.slow_states import slow_space


def check(circuit: Circuit, limit: int) -> StateSpace:
    space = enumerate_states(WordEvaluator(circuit), states=limit, steps=10**6, work=10**9)
    assert space is not None
    slow = slow_space(circuit)
    rows = [tuple(row) for row in space.states.tolist()]
    assert len(set(rows)) == len(rows)
    assert set(rows) == set(slow.values)
    assert rows[0] == tuple(circuit.initial.tolist())
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    for index, row in enumerate(rows):
        legal, terminal, goals = slow.values[row]
        assert (space.legal[index] == legal).all()
        assert space.terminal[index] == terminal
        held = {n for n, flag in zip(names, space.goals[index], strict=True) if flag}
        assert held == goals
    steps = zip(space.source.tolist(), space.target.tolist(), strict=True)
    assert Counter((rows[a], rows[b]) for a, b in steps) == Counter(slow.steps)
    return space


@pytest.mark.parametrize(
    ("name", "states"), [("tictactoe", 5478), ("prisoners", None), ("nim", None)]
)
def test_library_games(name: str, states: int | None) -> None:
    space = check(compile_rules(load_rules(name)), 20_000)
    assert states is None or len(space.states) == states


@given(st.integers(0, 10**6), st.integers(0, 25))
def test_random_games(seed: int, gates: int) -> None:
    check(random_game(seed, gates), 10_000)


def test_limits_give_none() -> None:
    circuit = compile_rules(load_rules("tictactoe"))
    evaluator = WordEvaluator(circuit)
    assert enumerate_states(evaluator, states=5477, steps=10**6, work=10**9) is None
    assert enumerate_states(evaluator, states=5478, steps=16_166, work=10**9) is None
    assert enumerate_states(evaluator, states=10**6, steps=10**6, work=100_000) is None
    space = enumerate_states(evaluator, states=5478, steps=16_167, work=10**9)
    assert space is not None
    assert np.bincount(space.source).max() == 9


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe", "reversi6", "tictactoe3p"])
def test_the_simulator_agrees_on_every_ply(name: str) -> None:
    game = Game.load(name)
    simulator = game.simulator()
    evaluator = WordEvaluator(game.circuit)
    playing = np.ones(64, np.bool_)
    plies = 0
    for ply in play(evaluator, seed=5, words=1, plies=500, work=10**9):
        plies += 1
        state = unpack_lanes(ply.state, 64).T
        batch = StateBatch.from_bool(torch.from_numpy(state))
        derived = simulator.derive(batch)
        assert (derived.legal.numpy() == unpack_lanes(ply.legal, 64).T).all()
        terminal = unpack_lanes(ply.terminal[None], 64)[0]
        assert (terminal == derived.terminal.numpy()).all()
        assert (derived.goal_flags.numpy() == unpack_lanes(ply.goals, 64).T).all()
        assert (unpack_lanes(ply.playing[None], 64)[0] == playing).all()
        moved = unpack_lanes(ply.moved[None], 64)[0]
        assert (moved == playing & ~terminal).all()
        successors = simulator.expand(batch).states.to_bool().numpy()
        known = {row.tobytes() for row in successors}
        following = unpack_lanes(ply.next, 64).T
        assert all(following[lane].tobytes() in known for lane in np.flatnonzero(moved))
        playing = moved
    assert not playing.any()
    assert plies > 4


def test_moves_are_legal_one_per_role_and_uniform() -> None:
    game = Game.load("bidding_tictactoe")
    circuit = game.circuit
    evaluator = WordEvaluator(circuit)
    words = 200
    state = np.repeat(circuit.initial[:, None], words, axis=1) * np.uint64(2**64 - 1)
    legal, _, _ = evaluator.look(state)
    moves, able = choose_moves(circuit, legal, np.random.default_rng(0))
    assert (able == np.uint64(2**64 - 1)).all()
    assert not (moves & ~legal).any()
    flags = unpack_lanes(moves, 64 * words)
    for begin, end in zip(game.move_offsets, game.move_offsets[1:], strict=False):
        assert (flags[begin:end].sum(axis=0) == 1).all()
        counts = flags[begin:end].sum(axis=1)[unpack_lanes(legal[begin:end], 1)[:, 0]]
        expected = 64 * words / len(counts)
        # Chi square; 60 would be exceeded once in a million for up to 20 moves.
        assert len(counts) > 3
        assert ((counts - expected) ** 2 / expected).sum() < 60


def test_a_role_without_moves_stops_its_game_only() -> None:
    game = Game.from_text(
        "(role a) (init (s 0)) (next (s 1)) (<= (legal a go) (true (s 0))) (goal a 0)"
        "(<= terminal (true never)) (<= (next never) (true never))"
    )
    plies = list(play(WordEvaluator(game.circuit), seed=0, words=1, plies=9, work=10**6))
    assert [bool(ply.moved.any()) for ply in plies] == [True, False]


def test_play_is_reproducible_and_limited() -> None:
    evaluator = WordEvaluator(Game.load("connectfour").circuit)

    def states(seed: int, plies: int = 100, work: int = 10**9) -> list[np.ndarray]:
        return [p.state for p in play(evaluator, seed=seed, words=2, plies=plies, work=work)]

    first = states(1)
    assert all((a == b).all() for a, b in zip(first, states(1), strict=True))
    assert any((a != b).any() for a, b in zip(first, states(2), strict=False))
    assert len(states(1, plies=3)) == 3
    assert len(states(1, work=1)) == 1
