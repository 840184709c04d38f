"""What holds if all others join forces is no fact: with three or four roles, and with two."""

from __future__ import annotations

import itertools
import json
import math
import random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.gdl.parse import parse_term
from neurogame.gdl.terms import Compound
from neurogame.gdl.write import term_text
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.opposition import Opposition
from neurogame.simulate.game import Game, State
from tests.conftest import shared
from tests.search.random_tree import (
    FREE,
    Position,
    RandomTree,
    margin,
    numbered,
    packed,
    plain_maxn,
    plain_paranoid,
    searcher,
)
from tests.search.test_real_games import Blind

SEEDS = st.integers(0, 2**32 - 1)
END = Limit(depth=99)
SHARED = Opposition(constant_sum=True, competitive=True)


def guaranteed(tree: RandomTree, state: int, role: int) -> dict[int, float]:
    """Return what each of a role's moves is worth if all others join forces."""
    worst: dict[int, float] = {}
    for joint, child in tree.positions[state].children.items():
        value = plain_paranoid(tree, child, role, 99)
        worst[joint[role]] = min(value, worst.get(joint[role], 2.0))
    return worst


def selfish(tree: RandomTree, state: int, role: int) -> dict[int, tuple[float, float]]:
    """Return a role's value and margin after each move if everybody plays for themselves."""
    position = tree.positions[state]
    found = {}
    for move in range(position.counts[role]):
        left = {joint: child for joint, child in position.children.items() if joint[role] == move}
        counts = tuple(1 if r == role else n for r, n in enumerate(position.counts))
        only = {tuple(0 if r == role else m for r, m in enumerate(j)): c for j, c in left.items()}
        tree.positions.append(Position(counts, only, position.values))
        values = plain_maxn(tree, len(tree.positions) - 1, role, 99)
        tree.positions.pop()
        found[move] = (values[role], margin(values, role))
    return found


@given(
    seed=SEEDS,
    roles=st.integers(2, 4),
    simultaneous=st.booleans(),
    constant_sum=st.booleans(),
    transpositions=st.booleans(),
)
def test_only_facts_are_proved_and_lost_moves_are_told_apart(
    seed: int, roles: int, simultaneous: bool, constant_sum: bool, transpositions: bool
) -> None:
    shared = constant_sum and roles > 2
    tree = RandomTree(
        seed, roles=roles, plies=4, width=4, simultaneous=simultaneous, zero_sum=shared
    )
    role = seed % roles
    options = SearchSettings(
        opponents="paranoid", transpositions=transpositions, think_when_forced=True
    )
    search = searcher(tree, SHARED if shared else FREE, settings=options, seed=seed)
    found = search.search(packed(0), role, END)
    sure = guaranteed(tree, 0, role)
    assert found.value[role] == max(sure.values())
    assert sure[found.move] == max(sure.values())
    # Nobody can keep a role from the best there is: that alone is a fact.
    assert found.proved == (max(sure.values()) == 1)
    if not found.proved:
        worth = selfish(tree, 0, role)
        equal = [move for move, value in sure.items() if value == max(sure.values())]
        assert worth[found.move] == max(worth[move] for move in equal)
    for key, values in found.proved_states.items():
        assert plain_paranoid(tree, numbered(key), role, 99) == values[role] == 1
        others = values[:role] + values[role + 1 :]
        assert all(v == 0 if shared else math.isnan(v) for v in others)


def _three_roles(*ends: tuple[float, ...]) -> RandomTree:
    """Return a game: role 0 picks one of some moves, then role 1 one of two ends."""
    tree = RandomTree(0, roles=3, plies=1, width=1, simultaneous=False, zero_sum=False)
    moves = len(ends) // 2
    half = (0.5,) * 3
    tree.positions = [
        Position((moves, 1, 1), {(m, 0, 0): 1 + m for m in range(moves)}, half),
        *(
            Position((1, 2, 1), {(0, a, 0): 1 + moves + 2 * m + a for a in range(2)}, half)
            for m in range(moves)
        ),
        *(Position((0, 0, 0), {}, values) for values in ends),
    ]
    return tree


WINS_0, WINS_1, WINS_2 = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@pytest.mark.parametrize("seed", range(6))
def test_help_that_costs_the_helper_is_not_expected(seed: int) -> None:
    # Role 1 can always give the game to role 2; only after move 1 it would lose by that.
    tree = _three_roles(WINS_2, WINS_2, (0.5, 0.5, 0.0), WINS_2, WINS_1, WINS_2)
    found = searcher(tree, SHARED, seed=seed).search(packed(0), 0, END)
    assert (found.move, found.value[0], found.proved) == (1, 0.0, False)
    assert found.line[0] == (1, 0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_of_equal_moves_the_one_with_the_better_margin_is_played(seed: int) -> None:
    tree = _three_roles(WINS_2, WINS_2, WINS_1, WINS_1, (0.0, 0.5, 0.5), (0.0, 0.5, 0.5))
    for opponents in ("paranoid", "maxn"):
        options = SearchSettings(opponents=opponents)
        found = searcher(tree, SHARED, settings=options, seed=seed).search(packed(0), 0, END)
        assert found.move == 2


def test_the_most_that_a_role_can_get_is_a_fact() -> None:
    tree = _three_roles((0.5, 0.5, 0.0), (0.5, 0.0, 0.5), WINS_1, WINS_2)
    found = searcher(tree, SHARED).search(packed(0), 0, END)
    assert (found.move, found.value[0], found.proved) == (0, 0.5, False)
    goals = [(0.0, 0.5)] * 3
    found = searcher(tree, SHARED, goals=goals).search(packed(0), 0, END)
    assert (found.move, found.value[0], found.proved) == (0, 0.5, True)


def test_limits_hold_for_both_searches_together() -> None:
    for seed in range(10):
        tree = RandomTree(seed, roles=3, plies=9, width=30, simultaneous=False, zero_sum=True)
        for nodes in (20, 60, 200):
            options = SearchSettings(batch=1, think_when_forced=True)
            found = searcher(tree, SHARED, settings=options).search(
                packed(0), 0, Limit(nodes=nodes)
            )
            assert found.nodes <= nodes
        calls = tree.expanded
        searcher(tree, SHARED).search(packed(0), 0, Limit(depth=1))
        assert tree.expanded - calls <= 3 * len(tree.positions[0].children)


def test_pondering_goes_on_where_only_a_coalition_has_decided() -> None:
    tree = _three_roles(WINS_2, WINS_2, (0.5, 0.5, 0.0), WINS_2)
    search = searcher(tree, SHARED)
    search.ponder(packed(0), 0, lambda: False)
    found = search.search(packed(0), 0, END)
    assert (found.move, found.nodes) == (1, 0)


def _tree_of(state: State, most: int) -> RandomTree | None:
    """Return what follows a state of a real game, None if that is more than so many states."""
    roles = len(state.game.roles)
    tree = RandomTree(0, roles=roles, plies=1, width=1, simultaneous=True, zero_sum=False)
    tree.positions = []
    waiting = [state]
    for one in waiting:
        goals = tuple((goal or 0) / 100 for goal in one.goals) if one.is_terminal else ()
        counts = tuple(0 if one.is_terminal else len(moves) for moves in one.legal_moves)
        children = {}
        for joint in itertools.product(*map(range, counts)) if not one.is_terminal else ():
            children[joint] = len(waiting)
            moves = [legal[m] for legal, m in zip(one.legal_moves, joint, strict=True)]
            waiting.append(one.next(moves))
        if len(waiting) > most:
            return None
        tree.positions.append(Position(counts, children, goals or (0.5,) * len(counts)))
    return tree


def test_a_game_of_the_library() -> None:
    game, draw, seen, told_apart = Game.load("tictactoe3p"), random.Random(1), 0, 0
    search = AlphaBeta(game, Blind(game))
    for _ in range(40):
        state = game.initial_state()
        for _ in range(22):
            state = state.next([draw.choice(moves) for moves in state.legal_moves])
            if state.is_terminal:
                break
        tree = None if state.is_terminal else _tree_of(state, 3000)
        if tree is None:
            continue
        for role, moves in enumerate(state.legal_moves):
            if len(moves) == 1:
                continue
            found = search.search(state, role, END)
            sure = guaranteed(tree, 0, role)
            best, own = max(sure.values()), moves.index(found.move)
            assert found.value[role] == sure[own] == best
            assert found.proved == (best == 1)
            worth = selfish(tree, 0, role)
            equal = [worth[move] for move, value in sure.items() if value == best]
            if best < 1:
                assert worth[own] == max(equal)
                told_apart += min(equal) < max(equal)
            seen += 1
    assert seen > 10
    assert told_apart > 3


def _state(game: Game, text: str) -> State:
    listed = parse_term(f"(state {text.strip()[1:-1]})")
    assert isinstance(listed, Compound)
    fluents = torch.zeros(len(game.fluents), dtype=torch.bool)
    for term in listed.arguments:
        fluents[game.fluent_index(term_text(term))] = True
    return State(game, fluents)


@pytest.mark.parametrize("number", range(18))
def test_a_good_move_is_found(number: int) -> None:
    lines = shared("positions.jsonl").read_text(encoding="utf-8").splitlines()
    position: dict[str, Any] = json.loads(lines[number])
    game = Game.load(shared("games", f"{position['game']}.kif"))
    role = int(position["role_index"])
    state = _state(game, position["state"])
    found = AlphaBeta(game, Blind(game)).search(state, role, Limit(nodes=100_000, depth=6))
    good = {game.move_index(game.roles[role], move) for move in position["good_moves"]}
    assert found.move in good
