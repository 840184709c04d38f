"""A tree takes the memory that it may take, and no more."""

from __future__ import annotations

import pytest

from neurogame.machine_memory import share_memory
from neurogame.search.limit import Limit
from neurogame.search.mcts import room as mcts_room
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.room import NodeLayout, halved, room_of, usual_memory
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game

_GIB = 1 << 30


def _layout(legal: int = 20, fluents: int = 130) -> NodeLayout:
    return NodeLayout(
        roles=2,
        fluents=fluents,
        moves=500,
        legal=legal,
        hinted=False,
        judged=False,
        all_moves=False,
        wide=False,
    )


@pytest.mark.parametrize("legal", [2, 20, 300])
@pytest.mark.parametrize("memory", [1 << 24, _GIB, 4 * _GIB])
def test_memory_is_used_and_kept_to(legal: int, memory: int) -> None:
    room = room_of(_layout(legal), memory=memory, capacity=None, ref=None)
    # States of three words, numbers and proofs, and up to four places of the table.
    taken = 4 * room.words + room.nodes * (24 + 8 + 32)
    assert 0.7 * memory < taken < 1.1 * memory + 40_000


def test_no_tree_exceeds_what_places_can_tell() -> None:
    room = room_of(_layout(), memory=1 << 50, capacity=None, ref=None)
    assert 0.95 * (1 << 31) < room.words < 1 << 31
    assert room.nodes < 1 << 30


def test_a_given_capacity_is_kept_to() -> None:
    room = room_of(_layout(), memory=4 * _GIB, capacity=1000, ref=50)
    assert room.nodes == 1000
    assert room.tables == 42
    assert halved(room).nodes == 500
    assert halved(halved(room_of(_layout(), memory=1, capacity=None, ref=None))).nodes == 2


def test_what_is_free_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts_room, "free_memory", lambda: 8 * _GIB)
    assert usual_memory() == 2 * _GIB
    share_memory(4)
    try:
        assert usual_memory() == _GIB // 2
    finally:
        share_memory(1)
    monkeypatch.setattr(mcts_room, "free_memory", lambda: None)
    assert usual_memory() == _GIB


def test_the_trees_of_all_threads_share_the_memory() -> None:
    game = Game.load("tictactoe")
    nodes = []
    for threads in (1, 2):
        search = Mcts(game, settings=MctsSettings(memory=64, threads=threads))
        search.search(game.initial_state(), 0, Limit(simulations=10))
        nodes.append([len(tree.tree.nodes) for tree in search._trees])
    assert nodes[1] == [nodes[0][0] // 2] * 2
