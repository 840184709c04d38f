"""Facts hold in all states that play reaches, and the obvious ones are found."""

from __future__ import annotations

import gc
import weakref
from itertools import accumulate, pairwise

import numpy as np
import pytest

from neurogame.analysis.random_play import WordEvaluator
from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.graph.lanes import unpack_lanes
from neurogame.kernels.netlist.facts import Facts, Turn, facts_of, find_facts, fluent_literals
from tests.conftest import shared
from tests.kernels.netlist.checking import played_words

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
        assert held[fluent_literals(facts.base, len(circuit.fluents))][:, open_].all()
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
