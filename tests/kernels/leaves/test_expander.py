"""Compiled expansion of states against its plain-torch definition."""

from __future__ import annotations

import numpy as np
import pytest
import torch

pytest.importorskip("numba")

from neurogame.kernels.backends import VARIABLE
from neurogame.kernels.leaves.expander import Expander
from neurogame.kernels.seen import Seen
from neurogame.kernels.twin.expand import look_at_states
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.rows import hash_states, pack_rows
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from tests.kernels.leaves.plain_children import Children, expand_states, make_children

GAMES = ["tictactoe", "bidding_tictactoe", "tictactoe3p", "eightpuzzle", "breakthrough6"]


def same_seen(left: Seen, right: Seen) -> bool:
    return (
        np.array_equal(left.legal, right.legal)
        and np.array_equal(left.terminal, right.terminal)
        and np.array_equal(left.goals, right.goals)
    )


def same_children(left: Children, right: Children) -> bool:
    return (
        np.array_equal(left.parent, right.parent)
        and np.array_equal(left.joint, right.joint)
        and np.array_equal(left.states, right.states)
        and np.array_equal(left.hashes, right.hashes)
        and same_seen(left.seen, right.seen)
    )


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("backend", ["llvm-straight", "llvm-table", "torch"])
def test_children_are_those_of_plain_torch(
    name: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Game.load(name)
    monkeypatch.setenv(VARIABLE, backend)
    expander = Expander(game.circuit)
    ply = TorchPly(game.circuit)
    sampled = sample_states(game.simulator(), 90, seed=3)
    states = pack_rows(sampled.to_bool())
    children = make_children(expander, states)
    assert same_children(children, expand_states(ply, states))
    # Children may be terminal, and then have no children of their own.
    again = make_children(expander, children.states, children.seen.legal)
    assert same_children(again, expand_states(ply, children.states))
    assert same_seen(expander.look(children.states), look_at_states(ply, children.states))


def test_no_states_have_no_children() -> None:
    game = Game.load("tictactoe")
    expander = Expander(game.circuit)
    none = np.zeros((0, 1), np.uint64)
    assert len(make_children(expander, none).parent) == 0
    assert len(expander.look(none).terminal) == 0


def test_random_bits_are_evaluated_as_the_rules_say() -> None:
    game = Game.load("connectfour")
    generator = torch.Generator().manual_seed(5)
    flags = torch.rand((700, len(game.fluents)), generator=generator) < 0.3
    states = pack_rows(flags)
    assert same_seen(
        Expander(game.circuit).look(states), look_at_states(TorchPly(game.circuit), states)
    )


def test_equal_states_have_equal_hashes_and_different_ones_do_not() -> None:
    generator = np.random.default_rng(1)
    states = np.unique(generator.integers(0, 2**63, (5000, 3)).astype(np.uint64), axis=0)
    hashes = hash_states(states)
    assert len(np.unique(hashes)) == len(states)
    assert np.array_equal(hash_states(states[::-1].copy()), hashes[::-1])
