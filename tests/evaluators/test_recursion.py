"""Positive cycles: circuit, simulator, networks and gradients have the least fixpoint."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import torch

from neurogame.circuit.cycles import find_cycles
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.graph.evaluate import holds
from neurogame.ground.ground import ground
from neurogame.regress.regress import regress
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

FRAME = """
(role r) (<= (base ?f) (possible ?f)) (<= (legal r (flip ?f)) (possible ?f))
(<= (next ?f) (true ?f) (not (does r (flip ?f))))
(<= (next ?f) (does r (flip ?f)) (not (true ?f)))
(<= terminal (goal r 100))
(<= (goal r 100) won) (<= (goal r 0) (not won))
"""

CLOSURE = (
    FRAME
    + " ".join(f"(node {n})" for n in "abcd")
    + """
(<= (possible (edge ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y))
(<= (link ?x ?y) (true (edge ?x ?y)))
(<= (reach ?x ?y) (link ?x ?y))
(<= (reach ?x ?z) (reach ?x ?y) (link ?y ?z))
(<= won (reach a d))
"""
)

CHAIN = (
    FRAME
    + " ".join(f"(succ {n} {n + 1})" for n in range(4))
    + """
(<= (at ?n) (succ ?n ?m)) (at 4)
(<= (possible (stone ?n ?c)) (at ?n) (colour ?c)) (colour black) (colour white)
(<= (adjacent ?a ?b) (succ ?a ?b)) (<= (adjacent ?a ?b) (succ ?b ?a))
(<= (occupied ?n) (true (stone ?n ?c)))
(<= (free ?n) (true (stone ?n black)) (adjacent ?n ?m) (not (occupied ?m)))
(<= (free ?n) (true (stone ?n black)) (adjacent ?n ?m) (free ?m))
(<= won (true (stone ?n black)) (not (free ?n)))
"""
)

HEXES = (
    FRAME
    + " ".join(f"(cell {x} {y})" for x in range(3) for y in range(3))
    + " ".join(f"(succ {n} {n + 1})" for n in range(2))
    + """
(<= (possible (stone ?x ?y)) (cell ?x ?y))
(<= (beside ?x ?y ?x ?z) (cell ?x ?y) (succ ?y ?z))
(<= (beside ?x ?y ?z ?y) (cell ?x ?y) (succ ?x ?z))
(<= (beside ?x ?z ?w ?y) (cell ?x ?y) (succ ?x ?w) (succ ?y ?z))
(<= (near ?a ?b ?c ?d) (beside ?a ?b ?c ?d))
(<= (near ?a ?b ?c ?d) (beside ?c ?d ?a ?b))
(<= (joined 0 ?y) (true (stone 0 ?y)))
(<= (joined ?x ?y) (true (stone ?x ?y)) (near ?x ?y ?v ?w) (joined ?v ?w))
(<= won (joined 2 ?y))
"""
)

MUTUAL = (
    FRAME
    + """
(possible start) (possible wall)
(<= seen heard) (<= heard seen) (<= seen felt) (<= felt heard)
(<= heard (true start) (not (true wall)))
(<= won seen)
"""
)


def names_of(text: str) -> tuple[str, ...]:
    return tuple(text.strip("()").split())


def closure(state: set[tuple[str, ...]]) -> bool:
    found, edges = {"a"}, {(x, y) for _, x, y in state}
    for _ in range(4):
        found |= {y for x, y in edges if x in found}
    return "d" in found - {"a"}


def chain(state: set[tuple[str, ...]]) -> bool:
    black = {int(n) for _, n, colour in state if colour == "black"}
    occupied = {int(n) for _, n, _ in state}
    free = {n for n in black if {n - 1, n + 1} & set(range(5)) - occupied}
    for _ in range(5):
        free |= {n for n in black if {n - 1, n + 1} & free}
    return bool(black - free)


def hexes(state: set[tuple[str, ...]]) -> bool:
    stones = {(int(x), int(y)) for _, x, y in state}
    joined = {(x, y) for x, y in stones if x == 0}
    for _ in range(9):
        around = {
            (x + i, y + j)
            for x, y in joined
            for i, j in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, -1), (-1, 1))
        }
        joined |= around & stones
    return any(x == 2 for x, _ in joined)


def mutual(state: set[tuple[str, ...]]) -> bool:
    return ("start",) in state and ("wall",) not in state


CASES: dict[str, tuple[str, Callable[[set[tuple[str, ...]]], bool]]] = {
    "transitive closure": (CLOSURE, closure),
    "capture chain": (CHAIN, chain),
    "connected hexagons": (HEXES, hexes),
    "mutual support": (MUTUAL, mutual),
}


@cache
def case(name: str) -> tuple[Game, np.ndarray, np.ndarray]:
    """Return the game, random states, and where it is won by the rules' definition."""
    text, won = CASES[name]
    game = Game.from_text(text, name=name, cache=False)
    random = np.random.default_rng(11)
    count = len(game.fluents)
    states = random.random((200, count)) < random.random((200, 1))
    fluents = [names_of(text) for text in game.fluents]
    truth = [won({fluents[i] for i in np.flatnonzero(state)}) for state in states]
    return game, states, np.array(truth)


@pytest.mark.parametrize("name", CASES)
def test_cycles_have_their_least_fixpoint_in_circuits_and_networks(name: str) -> None:
    game, states, won = case(name)
    assert any(len(c) > 1 for c in find_cycles(ground(game.rules)))
    assert 0 < won.sum() < len(won)
    flags = game.simulator().derive(StateBatch.from_bool(torch.from_numpy(states))).goal_flags
    assert (flags.numpy() == np.stack([won, ~won], axis=1)).all()
    # And one step ahead, where nothing is flipped: the state stays, so the goals do.
    goals = game.circuit.graph.with_outputs(game.circuit.goal_literals)
    still = np.zeros((len(states), game.circuit.move_count), np.bool_)
    ahead = holds(regress(game.circuit, goals), np.concatenate([states, still], axis=1))
    assert (ahead == np.stack([won, ~won], axis=1)).all()
    evaluator = make_evaluator(game)
    assert isinstance(evaluator, GoalNetworks)
    outputs = evaluator.networks(torch.from_numpy(states)).detach().numpy()
    assert ((outputs > 0) == np.stack([won, ~won], axis=1)).all()


@pytest.mark.parametrize("kind", ["cilp", "fuzzy", "cilp-paper"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_flow_through_unrolled_cycles(name: str, kind: str) -> None:
    game, states, _ = case(name)
    evaluator = make_evaluator(game, kind).double()
    assert isinstance(evaluator, GoalNetworks)
    random = np.random.default_rng(3)
    degrees = torch.from_numpy(0.2 + 0.6 * random.random((2, states.shape[1])))
    degrees.requires_grad_()
    assert torch.autograd.gradcheck(evaluator.networks, (degrees,), atol=1e-6)
    (flow,) = torch.autograd.grad(evaluator.networks(degrees)[:, 0].sum(), degrees)
    reads = [game.fluents[i] for i in evaluator.wiring.leaves]
    assert bool((flow[:, torch.from_numpy(evaluator.wiring.leaves)] != 0).all()), reads


def test_terms_grow_as_deep_as_a_bounded_relation_lets_them() -> None:
    game = Game.from_text(
        "(role r) (size 0) (size (s 0)) (size (s (s 0))) (init (stack 0)) (legal r push)"
        "(<= (grown ?x (s ?x)) (size ?x)) (<= (grown ?x (s ?z)) (grown ?x ?y) (below ?y ?z))"
        "(<= (below ?y ?y) (size ?y))"
        "(<= (next (stack ?y)) (true (stack ?x)) (grown ?x ?y) (distinct ?x ?y))"
        "(<= terminal (true (stack (s (s (s 0)))))) (<= (goal r 100) terminal)",
        cache=False,
    )
    assert game.fluents == (
        *("(stack (s (s (s 0))))", "(stack (s (s 0)))", "(stack (s 0))", "(stack 0)"),
    )
