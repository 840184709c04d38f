"""Playouts that decide: which moves win and lose at once, found by trying them in the rules."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
import torch

from neurogame.errors import GameError, LimitError
from neurogame.gdl.library import load_rules
from neurogame.gdl.terms import Sentence
from neurogame.graph.evaluate import holds
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import look, play_uniform
from neurogame.kernels.words.rows import pack_rows
from neurogame.regress.decisive import _with_fewer_moves, avoids_losing, decisive
from neurogame.regress.winning_moves import WinningMoves
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.circuit.random_steps import random_steps
from tests.library import load
from tests.reference.interpreter import ReferenceGame, ReferenceState
from tests.regress.look_ahead import sure_winner


class Twin:
    """The definition of decisive moves, on states as sets of terms."""

    def __init__(self, name: str, *, opposed: bool) -> None:
        self.game = ReferenceGame(load_rules(name))
        self.roles = range(len(self.game.roles))
        self.best = [max(v for v, _ in pairs) for pairs in load(name).circuit.goals]
        self.opposed = opposed
        self.chance = load(name).chance

    def after(self, state: ReferenceState, role: int, move: Sentence) -> list[ReferenceState]:
        """Return all states that a role's move may lead to."""
        moves = [self.game.legal(state, other) for other in self.roles]
        moves[role] = frozenset([move])
        return [self.game.next(state, joint) for joint in product(*moves)]

    def wins(self, state: ReferenceState, role: int) -> list[Sentence]:
        """Return the moves of a role that win at once."""
        return [
            move
            for move in self.game.legal(state, role)
            if all(
                self.game.terminal(after) and self.best[role] in self.game.goals(after, role)
                for after in self.after(state, role, move)
            )
        ]

    def loses(self, state: ReferenceState, role: int, move: Sentence) -> bool:
        """Return whether some other role can win at once after a move."""
        if not self.opposed:
            return False
        others = [other for other in self.roles if other not in (role, self.chance)]
        return all(
            not self.game.terminal(after) and any(self.wins(after, other) for other in others)
            for after in self.after(state, role, move)
        )

    def legal(self, state: ReferenceState, role: int) -> frozenset[str]:
        """Return what is legal where playouts decide."""
        legal = list(self.game.legal(state, role))
        if role != self.chance and len(legal) > 1:
            safe = [move for move in legal if not self.loses(state, role, move)]
            legal = self.wins(state, role) or safe or legal
        return frozenset(map(self.game.text, legal))


@cache
def states_of(name: str, count: int) -> np.ndarray:
    """Return states of random games, none of them terminal; bool ``[count, F]``."""
    steps = random_steps(load(name), 16, 40, seed=3).states
    return np.random.default_rng(1).permutation(np.unique(steps, axis=0))[:count]


@pytest.mark.parametrize(
    ("name", "count", "opposed"),
    [
        ("tictactoe", 30, True),
        ("connectfour5", 25, True),
        ("nim", 20, True),
        ("tictactoe3p", 8, False),
    ],
)
def test_exactly_the_moves_that_decide_are_legal(name: str, count: int, opposed: bool) -> None:
    game, twin = load(name), Twin(name, opposed=opposed)
    states, circuit = states_of(name, count), decisive(load(name).circuit)
    found = holds(circuit.graph.with_outputs(circuit.legal), with_moves(game, states))
    fewer = 0
    for state, flags in zip(states, found, strict=True):
        fluents = np.array(game.fluents)[state].tolist()
        terms = frozenset(map(twin.game.term, fluents))
        for role, (begin, texts) in enumerate(zip(game.move_offsets, game.moves, strict=False)):
            chosen = frozenset(t for t, flag in zip(texts, flags[begin:], strict=False) if flag)
            assert chosen == twin.legal(terms, role), (role, fluents)
            fewer += len(chosen) < len(twin.game.legal(terms, role))
    assert fewer > 0


@pytest.mark.parametrize(("name", "count"), [("breakthrough6", 60), ("pentago", 20), ("qubic", 60)])
def test_larger_games_leave_out_what_loses(name: str, count: int) -> None:
    game, states = load(name), states_of(name, count)
    circuit = _with_fewer_moves(WinningMoves(game.circuit), careful=True)
    tree = game.simulator().expand(StateBatch.from_bool(torch.from_numpy(states)))
    after, parent, joint = tree.states, tree.parent.numpy(), tree.joint.numpy()
    over = game.simulator().derive(after).terminal.numpy()
    winner = np.full(len(over), -1)
    winner[~over] = sure_winner(game, after.select(torch.from_numpy(np.flatnonzero(~over))))
    now = sure_winner(game, StateBatch.from_bool(torch.from_numpy(states)))
    found = holds(circuit.graph.with_outputs(circuit.legal), with_moves(game, states))
    avoided = 0
    for place, flags in enumerate(found):
        mine = parent == place
        role = int(np.argmax([len(np.unique(moves)) for moves in joint[mine].T]))
        begin, end = game.move_offsets[role : role + 2]
        legal, lost = joint[mine, role], winner[mine] == 1 - role
        if now[place] != role:
            kept = legal[~lost] if not lost.all() else legal
            assert sorted(kept) == np.flatnonzero(flags[begin:end]).tolist(), place
            avoided += 0 < len(kept) < len(legal)
    assert avoided > 0


def test_where_a_role_moves_twice_in_turn_wins_alone_decide() -> None:
    game = load("pentago")
    wins = _with_fewer_moves(WinningMoves(game.circuit), careful=False)
    assert decisive(game.circuit).key == wins.key
    assert avoids_losing(game.circuit)


def with_moves(game: Game, states: np.ndarray) -> np.ndarray:
    """Return values of all inputs of the circuit; nobody moves; bool ``[B, F + M]``."""
    return np.pad(states, ((0, 0), (0, game.circuit.move_count)))


@pytest.mark.parametrize("name", ["connectfour", "breakthrough6", "einstein", "tictactoe3p"])
def test_nothing_but_legal_moves_is_another(name: str) -> None:
    game = load(name)
    old, new = game.circuit, decisive(game.circuit)
    steps = random_steps(game, 32, 12, seed=1)
    inputs = np.concatenate([steps.states, steps.does], axis=1)
    before, after = holds(old.graph, inputs), holds(new.graph, inputs)
    moves = old.move_count
    np.testing.assert_array_equal(before[:, moves:], after[:, moves:])
    assert not (after[:, :moves] & ~before[:, :moves]).any()
    for begin, end in zip(old.move_offsets[:-1], old.move_offsets[1:], strict=True):
        assert after[:, begin:end].any(axis=1).all()


def test_compiled_playouts_are_those_of_plain_torch() -> None:
    """From states, too, that games of decisive moves alone never reach."""
    circuit, states = load("connectfour5").circuit, states_of("connectfour5", 70)
    found = []
    for backend in ("llvm", "torch"):
        leaves = Leaves(circuit, 70, playouts=2, playing=decisive(circuit), backend=backend)
        leaves.block.states[:70] = pack_rows(torch.from_numpy(states))
        look(leaves.rules, 70)
        play_uniform(leaves.rules, 70, 5, 1000)
        found.append(leaves.block.values[:70].copy())
    np.testing.assert_array_equal(found[0], found[1])
    assert 0.1 < found[0].mean() < 0.9


def test_moves_that_lose_are_left_out_where_they_take_too_many_gates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Game.load("tictactoe")
    both = decisive(game.circuit)
    assert avoids_losing(game.circuit)
    monkeypatch.setattr("neurogame.regress.decisive._MOST_CAREFUL", 10)
    other = Game.load("tictactoe").circuit
    wins = decisive(other)
    assert not avoids_losing(other)
    assert wins.gate_count < both.gate_count
    assert len({wins.key, both.key, game.circuit.key}) == 3
    threat = ["(cell 1 1 x)", "(cell 2 1 x)", "(cell 2 2 o)", "(cell 3 3 o)"]
    empty = [f"(cell {place} b)" for place in ("1 2", "1 3", "2 3", "3 1", "3 2")]
    for player, legal in (("xplayer", {wins: 1, both: 1}), ("oplayer", {wins: 5, both: 1})):
        fluents = game.state([*threat, *empty, f"(control {player})"]).fluents.numpy()[None]
        for circuit, count in legal.items():
            graph = circuit.graph.with_outputs(circuit.legal)
            role = game.role_index(player)
            begin, end = game.move_offsets[role : role + 2]
            assert holds(graph, with_moves(game, fluents))[0, begin:end].sum() == count


def test_a_role_without_goals_wins_by_no_move() -> None:
    game = Game.from_text(
        "(role r) (role s) (init (turn r)) (<= (next (turn s)) (true (turn r)))"
        "(<= (next (turn r)) (true (turn s))) (<= (next won) (does ?r a))"
        "(<= (next over) (does ?r ?move) (distinct ?move noop)) (<= terminal (true over))"
        "(<= (legal ?r a) (true (turn ?r))) (<= (legal ?r b) (true (turn ?r)))"
        "(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))"
        "(<= (goal s 100) (true won)) (<= (goal s 0) (not (true won)))",
        cache=False,
    )
    circuit, state = decisive(game.circuit), game.initial_state().fluents.numpy()[None]
    found = holds(circuit.graph.with_outputs(circuit.legal), with_moves(game, state))[0]
    begin, end = game.move_offsets[:2]
    assert found[begin:end].tolist() == [move != "noop" for move in game.moves[0]]


def test_games_of_simultaneous_moves_are_refused() -> None:
    with pytest.raises(
        GameError, match="several roles choose at the same time; choose playout=uniform"
    ):
        decisive(load("rockpaperscissors").circuit)


@pytest.mark.parametrize("limit", ["decisive.MOST_GATES", "winning_moves._BUDGET"])
def test_what_would_be_too_large_is_refused(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.regress.decisive._MOST_CAREFUL", 10)
    monkeypatch.setattr(f"neurogame.regress.{limit}", 10)
    with pytest.raises(LimitError, match="choose playout=uniform"):
        decisive(Game.load("tictactoe").circuit)
