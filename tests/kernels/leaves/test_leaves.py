"""Successors, looks and uniform playouts of a block against plain torch, and against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from neurogame.errors import ConfigurationError
from neurogame.graph.lanes import pack_lanes
from neurogame.kernels.backends import VARIABLE
from neurogame.kernels.leaves.expander import Expander
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import look, play_uniform, step
from neurogame.kernels.playout import GivenLanes
from neurogame.kernels.seen import Seen
from neurogame.kernels.step import NEXT
from neurogame.kernels.twin.expand import look_at_states
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.pack import pack_one_hot, unpack
from neurogame.kernels.words.rows import hash_states, pack_rows
from neurogame.native.compiled import compiled
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out
from neurogame.simulate.samples import sample_states
from tests.kernels.leaves.blocks import fill, game, goals_of, lanes_of, plain, reachable
from tests.kernels.leaves.plain_children import Children, expand_states, make_children

GAMES = [
    *("tictactoe", "tictactoe3p", "tictactoe4p", "bidding_tictactoe", "eightpuzzle", "pegs"),
    *("rockpaperscissors", "nim", "hex5", "breakthrough6", "connectFour", "blocker"),
    "lightsOnSimultaneous",
]
PLAYED = ["tictactoe3p", "bidding_tictactoe", "pegs", "connectFour", "blocker", "breakthrough6"]
ODD = {"tictactoe": 511, "bidding_tictactoe": 513, "connectFour": 65, "pegs": 63, "hex5": 1}


def expected(name: str, leaves: Leaves, count: int) -> tuple[Any, Seen]:
    """Return the successors, and what is seen of them, by plain torch."""
    ply, block = plain(name), leaves.block
    flags = np.unpackbits(block.parents[:count].view(np.uint8), axis=1, bitorder="little")
    own = flags[:, : len(ply.circuit.fluents)]
    words = torch.from_numpy(lanes_of(block.parents[:count], own.shape[1]))
    joint = torch.from_numpy(block.joint[:count].astype(np.int64))
    does = pack_one_hot(joint, ply.move_offsets[-1])
    following = unpack(ply.run(words, [NEXT], does)[0], count).numpy()
    states = pack_lanes(following)
    return states, look_at_states(ply, states)


def assert_seen(leaves: Leaves, count: int, states: Any, seen: Seen) -> None:
    block = leaves.block
    np.testing.assert_array_equal(block.states[:count], states)
    np.testing.assert_array_equal(block.hashes[:count], hash_states(states))
    np.testing.assert_array_equal(block.legal[:count], seen.legal)
    np.testing.assert_array_equal(block.terminal[:count], seen.terminal)
    np.testing.assert_array_equal(block.goals[:count], seen.goals)
    mask = lanes_of(np.full((count, 1), 1, np.uint64), 1)
    words = lanes_of(states, len(block.lanes))
    np.testing.assert_array_equal(block.lanes[:, : words.shape[1]] & mask, words)


@pytest.mark.parametrize("name", GAMES)
def test_successors_are_those_of_plain_torch(name: str) -> None:
    count = ODD.get(name, 130)
    leaves = Leaves(game(name).circuit, count)
    assert leaves.is_compiled
    fill(leaves, name, count)
    states, seen = expected(name, leaves, count)
    step(leaves.rules, count)
    assert_seen(leaves, count, states, seen)
    # Moves of an earlier call must not linger, and fewer leaves leave the others alone.
    fewer = max(count // 3, 1)
    before = leaves.block.states[fewer:].copy()
    fill(leaves, name, count, seed=2)
    states, seen = expected(name, leaves, fewer)
    step(leaves.rules, fewer)
    assert_seen(leaves, fewer, states, seen)
    np.testing.assert_array_equal(leaves.block.states[fewer:], before)
    parents = reachable(name, count)
    leaves.block.states[:] = parents
    look(leaves.rules, count)
    assert_seen(leaves, count, parents, look_at_states(plain(name), parents))


@pytest.mark.parametrize("backend", ["llvm-straight", "llvm-table", "torch"])
@pytest.mark.parametrize("leaves", [1, 64, 300, 1500])
def test_every_backend_and_shape_does_the_same(backend: str, leaves: int) -> None:
    name = "tictactoe3p"
    made = Leaves(game(name).circuit, leaves, backend=backend)
    assert made.is_compiled == (backend != "torch")
    fill(made, name, leaves)
    states, seen = expected(name, made, leaves)
    step(made.rules, leaves)
    assert_seen(made, leaves, states, seen)
    play_uniform(made.rules, leaves, 5, 1000)
    player = TorchPlayouts(game(name).circuit)
    words = torch.from_numpy(lanes_of(states, len(made.block.lanes)))
    ends = player.finish(GivenLanes(words, torch.arange(words.shape[1]), 5)).words
    np.testing.assert_array_equal(made.block.values, goals_of(name, ends, leaves))


@pytest.mark.parametrize("variant", ["straight", "table"])
@pytest.mark.parametrize("name", PLAYED)
def test_moves_of_playouts_are_those_of_plain_torch(name: str, variant: str) -> None:
    count = ODD.get(name, 150)
    circuit = game(name).circuit
    one = Leaves(circuit, count, played=True, backend=f"llvm-{variant}")
    other = Leaves(circuit, count, played=True, backend="torch")
    for seed, plies in ((3, 1000), (5, 0), (1 << 62, 2)):
        for leaves in (one, other):
            leaves.block.states[:] = reachable(name, count)
            look(leaves.rules, count)
            play_uniform(leaves.rules, count, seed, plies)
        np.testing.assert_array_equal(one.block.values, other.block.values)
        np.testing.assert_array_equal(one.block.played, other.block.played)
        assert not one.block.played[one.block.terminal].any()
        assert one.block.played.any() == (plies > 0)


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("playouts", [1, 3])
def test_compiled_playouts_are_those_of_plain_torch(name: str, playouts: int) -> None:
    count = ODD.get(name, 70)
    circuit = game(name).circuit
    one = Leaves(circuit, count, playouts=playouts)
    other = Leaves(circuit, count, playouts=playouts, backend="torch")
    for leaves in (one, other):
        leaves.block.states[:] = reachable(name, count)
        look(leaves.rules, count)
    for seed, plies in ((3, 1000), (-4, 0), (1 << 62, 2)):
        for leaves in (one, other):
            play_uniform(leaves.rules, count, seed, plies)
        np.testing.assert_array_equal(one.block.values, other.block.values)
    # Without a ply left, the goals of the state itself count.
    for leaves in (one, other):
        play_uniform(leaves.rules, count, 1, 0)
        np.testing.assert_array_equal(leaves.block.values, leaves.block.goals)


@pytest.mark.parametrize("name", ["connectFour", "pegs", "bidding_tictactoe"])
def test_playouts_have_the_simulator_s_means(name: str) -> None:
    circuit = game(name).circuit
    leaves = Leaves(circuit, 512)
    leaves.block.states[:] = pack_lanes(circuit.initial[None])
    look(leaves.rules, 512)
    found = []
    for seed in range(16):
        play_uniform(leaves.rules, 512, seed, 1000)
        found.append(leaves.block.values.copy())
    values = np.concatenate(found)
    results = play_out(game(name).simulator(), len(values), seed=99)
    wanted = results.goals.numpy()
    error = np.sqrt((values.var(axis=0) + wanted.var(axis=0)) / len(values)) + 1e-9
    assert (np.abs(values.mean(axis=0) - wanted.mean(axis=0)) < 5 * error).all()
    # Another seed, other games; the same one, the same games.
    assert not np.array_equal(found[0], found[1])
    play_uniform(leaves.rules, 512, 1, 1000)
    np.testing.assert_array_equal(leaves.block.values, found[1])


@compiled
def search(rules: Any, block: Any, count: int) -> int:
    """Search like a core: until something fails."""
    for number in range(10):
        step(rules, count)
        if rules.failed != 0:
            return number
    return 10


def test_what_plain_torch_raises_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    leaves = Leaves(game("tictactoe").circuit, 3, backend="torch")
    fill(leaves, "tictactoe", 3)
    assert search(leaves.rules, leaves.block, 3) == 10
    leaves.check()

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(TorchPly, "run", interrupt)
    assert search(leaves.rules, leaves.block, 3) == 0
    with pytest.raises(KeyboardInterrupt):
        leaves.check()
    monkeypatch.undo()
    leaves.check()
    assert search(leaves.rules, leaves.block, 3) == 10


def test_a_backend_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="must be one of"):
        Leaves(game("tictactoe").circuit, 1, backend="fast")


EXPANDED = ["tictactoe", "bidding_tictactoe", "tictactoe3p", "eightpuzzle", "breakthrough6"]


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
        and np.array_equal(left.terminal, right.terminal)
        and np.array_equal(left.goals, right.goals)
    )


@pytest.mark.parametrize("name", EXPANDED)
@pytest.mark.parametrize("backend", ["llvm-straight", "llvm-table", "torch"])
def test_children_are_those_of_plain_torch(
    name: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ply, states = plain(name), reachable(name, 90)
    monkeypatch.setenv(VARIABLE, backend)
    expander = Expander(game(name).circuit)
    children = make_children(expander, states)
    assert same_children(children, expand_states(ply, states))
    # Children may be terminal, and then have no children of their own.
    again = make_children(expander, children.states)
    assert same_children(again, expand_states(ply, children.states))
    assert same_seen(expander.look(children.states), look_at_states(ply, children.states))


def test_of_too_many_joint_moves_some_are_drawn_with_every_move_of_each_role() -> None:
    game = Game.load("bidding_tictactoe")
    expander = Expander(game.circuit)
    states = pack_rows(sample_states(game.simulator(), 40, seed=3).to_bool())
    every = expand_states(TorchPly(game.circuit), states)
    expander.expansion.most, expander.expansion.seed = 5, 7
    some = make_children(expander, states)
    results = {
        (parent, *joint): state
        for parent, joint, state in zip(
            every.parent, every.joint.tolist(), every.states.tolist(), strict=True
        )
    }
    for parent, joint, state in zip(
        some.parent, some.joint.tolist(), some.states.tolist(), strict=True
    ):
        assert results[parent, *joint] == state
    drawn = 0
    for state in range(len(states)):
        all_joint, joint = every.joint[every.parent == state], some.joint[some.parent == state]
        moves = [set(all_joint[:, role]) for role in range(2)]
        assert [set(joint[:, role]) for role in range(2)] == moves
        if min(map(len, moves)) > 1 and len(all_joint) > 5:
            assert len(joint) == max(5, *map(len, moves))
            drawn += 1
        else:
            assert len(joint) == len(all_joint)
    assert drawn > 10
    expander.expansion.seed = 8
    assert (make_children(expander, states).joint != some.joint).any()


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
