"""Facts hold in all states that play reaches, and the obvious ones are found."""

from __future__ import annotations

import gc
import weakref
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.random_play import WordEvaluator
from neurogame.analysis.state_space import enumerate_states
from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.graph.lanes import pack_lanes, unpack_lanes
from neurogame.kernels.netlist.build import build_play
from neurogame.kernels.netlist.facts import Facts, Turn, facts_of, find_facts, fluent_literals
from neurogame.kernels.netlist.ply import Section
from tests.conftest import shared
from tests.kernels.netlist.checking import check_form, check_play, played_words
from tests.kernels.netlist.small_circuits import named_circuit

LIBRARY = [
    "bidding_tictactoe",
    "breakthrough6",
    "checkers6",
    "minichess5",
    "pursuit",
    "tictactoe3p",
]
SHARED = ["battle", "blocker", "ghostMaze2p", "pacman3p", "sheepAndWolf", "ticTacHeaven"]


def _condition(held: Bools, turn: Turn) -> Bools:
    """Return in which lanes a turn's condition holds."""
    holds: Bools = np.logical_and.reduce(held[list(turn.literals)], axis=0, initial=True)
    return ~holds if turn.complement else holds


def check_facts(circuit: Circuit, facts: Facts) -> None:
    """Compare all facts with random games."""
    evaluator = WordEvaluator(circuit)
    ends = list(accumulate(map(len, circuit.moves), initial=0))
    for state, _ in played_words(circuit, seed=3, words=1, plies=40):
        legal, terminal, _ = evaluator.look(state)
        flags = unpack_lanes(state, 64)
        open_ = ~unpack_lanes(terminal[None], 64)[0]
        moves = unpack_lanes(legal, 64) & open_
        held = np.stack([flags, ~flags], axis=1).reshape(-1, 64)
        assert not flags[facts.never].any()
        assert flags[facts.always].all()
        for group in facts.groups:
            counts = flags[group.fluents].sum(axis=0)
            assert (counts == 1).all() if group.exactly else (counts <= 1).all()
        if facts.implied is not None:
            for move in np.flatnonzero(moves.any(axis=1))[:40]:
                literals = fluent_literals(facts.implied[move], len(circuit.fluents))
                assert held[literals][:, moves[move]].all()
        able = np.ones(64, np.bool_)
        choosing = np.zeros((len(circuit.roles), 64), np.bool_)
        for role, (begin, end) in enumerate(pairwise(ends)):
            own, forced = moves[begin:end], facts.forced[begin:end]
            assert (own.sum(axis=0)[own[forced].any(axis=0)] == 1).all()
            choosing[role] = own[~forced].any(axis=0)
            able &= own.any(axis=0)
            assert _condition(held, facts.turn[role])[choosing[role]].all()
        for roles, sure in zip(facts.shared, facts.always_some, strict=True):
            assert (choosing[list(roles)].sum(axis=0) <= 1).all()
            for role in roles:
                assert facts.streams[role] == roles[0]
                condition = _condition(held, facts.turn[role])
                others = [other for other in roles if other != role]
                assert not (condition & choosing[others].any(axis=0)).any()
            if sure:
                assert np.logical_or.reduce(choosing[list(roles)], axis=0)[able].all()


@pytest.mark.parametrize("name", LIBRARY)
def test_facts_hold_in_library_games(name: str) -> None:
    circuit = compile_rules(load_rules(name))
    check_facts(circuit, find_facts(circuit))


@pytest.mark.parametrize("name", SHARED)
def test_facts_hold_in_shared_games(name: str) -> None:
    circuit = compile_rules(load_rules(str(shared("games", f"{name}.kif"))))
    check_facts(circuit, find_facts(circuit))


@pytest.mark.parametrize(
    ("name", "forced", "shared_choices"),
    [("breakthrough6", 2, ((0, 1),)), ("tictactoe3p", 3, ((0, 1, 2),)), ("pentago", 2, ((0, 1),))],
)
def test_roles_that_take_turns_share_a_choice(
    name: str, forced: int, shared_choices: tuple[tuple[int, ...], ...]
) -> None:
    facts = find_facts(compile_rules(load_rules(name)))
    assert facts.forced.sum() == forced
    assert facts.shared == shared_choices
    assert facts.always_some == (True,)


def test_roles_that_move_at_once_do_not() -> None:
    facts = find_facts(compile_rules(load_rules("rockpaperscissors")))
    assert facts.shared == ((0,), (1,))
    assert facts.streams == (0, 1)
    assert not facts.forced.any()


def test_facts_are_found_once_and_go_with_the_circuit() -> None:
    circuit = compile_rules(load_rules("tictactoe"))
    assert facts_of(circuit) is facts_of(circuit)
    known = weakref.ref(facts_of(circuit))
    del circuit
    gc.collect()
    assert known() is None


PLAYED = [
    *("bidding_tictactoe", "checkers6", "connectfour_simultaneous", "eightpuzzle", "nim"),
    *("rockpaperscissors", "tictactoe4p", "pursuit", "painters", "arrows4"),
]
PLAYED_TOO = [
    *("blocker", "breakthroughSmall", "chineseCheckers2", "ghostMaze2p", "pentago"),
    *("sheepAndWolf", "tictactoe_3player", "pacman3p"),
]


def check_game(circuit: Circuit, *, moves: bool, samples: int = 5) -> None:
    """Compare the play netlist of a game with its circuit in random games."""
    facts = find_facts(circuit)
    ply = build_play(circuit, facts, moves=moves)
    check_form(ply)
    random = np.random.default_rng(5)
    states = [state for state, _ in played_words(circuit, seed=2, words=2, plies=60)]
    for state in states[:: max(len(states) // samples, 1)]:
        check_play(circuit, facts, ply, state, random)


@pytest.mark.parametrize("name", PLAYED)
def test_library_games(name: str) -> None:
    check_game(compile_rules(load_rules(name)), moves=True)


@pytest.mark.parametrize("name", PLAYED_TOO)
def test_shared_games(name: str) -> None:
    path = shared("games", f"{name}.kif")
    check_game(compile_rules(load_rules(str(path))), moves=False)


@given(st.integers(0, 2**32), st.integers(0, 60), st.booleans())
def test_all_reachable_states_of_random_circuits(seed: int, gates: int, moves: bool) -> None:
    circuit = named_circuit(seed, gates)
    space = enumerate_states(WordEvaluator(circuit), states=1 << 10, steps=1 << 20, work=1 << 30)
    assert space is not None
    facts = find_facts(circuit)
    ply = build_play(circuit, facts, moves=moves)
    check_form(ply)
    random = np.random.default_rng(seed)
    # Padding lanes repeat the last state: a reachable one.
    count = -(-len(space.states) // 64) * 64
    states = space.states[np.minimum(np.arange(count), len(space.states) - 1)]
    for _ in range(3):
        check_play(circuit, facts, ply, pack_lanes(states.T), random)


def test_all_reachable_states_of_tic_tac_toe() -> None:
    """Every state with every rank that can be drawn in it."""
    circuit = compile_rules(load_rules("tictactoe"))
    space = enumerate_states(WordEvaluator(circuit), states=10_000, steps=100_000, work=1 << 30)
    assert space is not None
    assert len(space.states) == 5478
    facts = find_facts(circuit)
    ply = build_play(circuit, facts, moves=True)
    assert [choice.roles for choice in ply.choices] == [(0, 1)]
    number = np.concatenate([np.arange(len(space.states)), np.zeros(26, np.int64)])
    states = pack_lanes(space.states[number].T)
    for rank in range(9):
        check_play(circuit, facts, ply, states, _Fixed((rank + 0.5) / 9))


class _Fixed(np.random.Generator):
    """Draws the same number in every lane."""

    def __init__(self, value: float) -> None:
        super().__init__(np.random.PCG64(0))
        self.value = value

    def random(self, size: object = None, **_: object) -> np.ndarray:  # type: ignore[override]
        return np.full(size, self.value)  # type: ignore[call-overload,no-any-return]


def test_sections_of_a_turn_taking_game() -> None:
    """Two roles that take turns share one choice, and the gates stay few."""
    circuit = compile_rules(load_rules("tictactoe"))
    ply = build_play(circuit, find_facts(circuit))
    assert ply.netlist.gate_count <= 185
    assert len(ply.gates(Section.DESCEND)) > 0
    assert len(ply.legal) == len(ply.does) == 0
