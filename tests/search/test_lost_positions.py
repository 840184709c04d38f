"""Who has lost plays what loses latest, and who has won what wins soonest."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from neurogame.evaluators.build import make_evaluator
from neurogame.native.entries import entry
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.mcts.compiled.reading import choose
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.mcts.tree import MctsTree
from neurogame.search.packing import state_words
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State
from tests.library import load as _game
from tests.search.random_tree import FREE, OPPOSED, Position, RandomTree, margin, packed, searcher
from tests.search.twin_reading import is_exact, node_values

LOST = """
13423171143315726332172642 67 12
17126271213213662541456625 5 4
333665665247316377173 4 18
3712116553755755623131 1 4
714541175374255613213767624 5 4
644666112672657731172754 7 14
612326225775323163141 123567 18
6125651356316577331256211 4 4
144717753267523574237665464321412 2 4
6111146167364564453772314337726 5 4
44162143773262737336 27 16
2313555162111666412727455 3 16
31561474615331151555324376663 4 10
517225712625573637156 2 6
2261175765432545625756 7 18
147465554475673226576257 7 6
21566724643412365712 4 6
1637523516336535111316 5 6
612227732116563564512 2 4
451475523776516641341 5 18
"""
"""Columns so far, the columns that lose latest, and the plies that are left then: the first of
experiments/lost_positions.py, by a solver that is independent of the package."""


def _played(game: Game, moves: list[tuple[int, str]]) -> State:
    """The state after moves of one role at a time, the other one passing."""
    state = game.initial_state()
    for role, move in moves:
        texts = ["noop", "noop"]
        texts[role] = move
        joint = [game.move_index(one, text) for one, text in zip(game.roles, texts, strict=True)]
        state = state.next(joint)
    return state


def _dropped(columns: str) -> State:
    moves = [(number % 2, f"(drop {column})") for number, column in enumerate(columns)]
    return _played(_game("connectfour"), moves)


def _marked(squares: str) -> State:
    moves = [(n % 2, f"(mark {square[0]} {square[1]})") for n, square in enumerate(squares.split())]
    return _played(_game("tictactoe"), moves)


def _searched(
    state: State, role: int, seed: int, simulations: int, settings: MctsSettings | None = None
) -> SearchResult:
    needed = settings is not None and settings.needs_evaluator
    evaluator = make_evaluator(state.game) if needed else None
    search = Mcts(state.game, settings=settings, evaluator=evaluator, seed=seed)
    return search.search(state, role, Limit(simulations=simulations))


def test_nearly_always_the_move_that_loses_latest() -> None:
    game, good, told = _game("connectfour"), 0, 0
    for line in LOST.split("\n")[1:-1]:
        columns, latest, plies = line.split()
        role = len(columns) % 2
        found = _searched(_dropped(columns), role, 0, 5000)
        chosen = game.moves[role][found.move]
        good += chosen[len("(drop ")] in latest
        told += found.proved and found.plies[found.move] == int(plies)
    assert good >= 18
    assert told >= 11


@pytest.mark.parametrize("seed", range(10))
def test_a_double_threat_is_blocked_on_one_side(seed: int) -> None:
    # x at the corners 1 1, 3 3 and 1 3, o in the middle and at 3 1, which x has had to block.
    state = _marked("11 22 33 31 13")
    game = state.game
    found = _searched(state, 1, seed, 2000)
    assert found.proved
    assert found.value == (1, 0)
    assert game.moves[1][found.move] in ("(mark 1 2)", "(mark 2 3)")
    assert {game.moves[1][move]: plies for move, plies in found.plies.items()} == {
        "(mark 1 2)": 2,
        "(mark 2 3)": 2,
        "(mark 2 1)": 2,
        "(mark 3 2)": 2,
    }


@pytest.mark.parametrize(
    "settings",
    [
        MctsSettings(lanes=64),
        MctsSettings(threads=2),
        MctsSettings(graph=False, tree="grave", playout="mast"),
        MctsSettings(capacity=400),
    ],
    ids=str,
)
def test_a_loss_is_delayed_with_any_settings(settings: MctsSettings) -> None:
    game = _game("connectfour")
    for columns, latest, plies in (
        ("17126271213213662541456625", 5, 4),
        ("517225712625573637156", 2, 6),
    ):
        role = len(columns) % 2
        found = _searched(_dropped(columns), role, 1, 20_000, settings)
        assert game.moves[role][found.move] == f"(drop {latest})"
        assert found.plies[found.move] == max(found.plies.values()) == plies


def test_a_kept_tree_has_room_and_sees_the_losses_that_a_new_one_sees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A match with three seconds a move in which the others' time is used too, two hundred times
    # smaller: moving a node costs as much of the time, and the tree has as much room.
    capacity, simulations, seconds = 6_000, 3_000, 0.015
    dropped: list[int] = []
    made_room = MctsTree._make_room

    def noted(self: MctsTree, lanes: int, deadline: int) -> None:
        dropped.append(self.size)
        made_room(self, lanes, deadline)

    monkeypatch.setattr(MctsTree, "_make_room", noted)
    seen, settings = {"kept": 0, "new": 0}, MctsSettings(capacity=capacity)
    kept, new = (Mcts(_game("connectfour"), settings=settings)._trees[0] for _ in range(2))
    for line in LOST.split("\n")[1:-1]:
        columns = line.split()[0]
        kept.forget()
        new.forget()
        for plies in range(len(columns) - 6, len(columns) + 1):
            state = _dropped(columns[:plies])
            waits = (len(columns) - plies) % 2 == 0
            for tree in (kept, new) if plies == len(columns) else (kept,):
                words = state_words(state.fluents.numpy())
                tree.set_root(words, seconds=seconds, idle=not waits)
                more = tree.totals.simulations + simulations
                tree.run(16, simulations=more, nodes=None, until=0, deadline=0)
        for name, tree in (("kept", kept), ("new", new)):
            values = node_values(tree.tree, tree.tree.root)
            if is_exact(tree.tree, tree.tree.root):
                seen[name] += 1
                assert values is not None
                assert values[len(columns) % 2] == 0
    # Full within a search, it would have to drop what is needed, or go on without new nodes.
    assert not dropped
    assert seen["kept"] >= seen["new"] >= 12


def test_a_search_ends_once_the_moves_that_lose_latest_are_known() -> None:
    found = _searched(_dropped("17126271213213662541456625"), 0, 1, 20_000)
    assert found.simulations < 2000


@pytest.mark.parametrize(
    "settings", [MctsSettings(), MctsSettings(cutoff=0)], ids=["playouts", "values"]
)
def test_a_win_is_taken_as_soon_as_there_is_one(settings: MctsSettings) -> None:
    """Also where ends are foreseen, and plies to them are one more."""
    assert settings.foresees == (settings.cutoff is not None)
    for line in LOST.split("\n")[1:-1]:
        columns, latest, plies = line.split()
        if int(plies) > 8:
            continue
        # Once the lost role has played, the other one has won.
        state, role, left = _dropped(columns + latest[0]), 1 - len(columns) % 2, int(plies) - 1
        for seed in range(3):
            found = _searched(state, role, seed, 5000, settings)
            assert found.value[role] == 1
            assert found.plies[found.move] == left
            others = [own[0] for own in state.legal_moves]
            after = state.next([found.move if i == role else m for i, m in enumerate(others)])
            assert after.is_terminal == (left == 1)


@pytest.mark.parametrize(
    ("values", "plies", "before", "chosen"),
    [
        pytest.param([0, 0, 0], [3, 7, 5], [0.9, 0.1, 0.5], 1, id="the latest loss"),
        pytest.param([0, 0, 0], [3, 7, 7], [0.9, 0.1, 0.5], 2, id="ties by the value before"),
        pytest.param([1, 1, 1], [4, 2, 6], [0.9, 0.1, 0.5], 1, id="the soonest win"),
        pytest.param([1, 1, 1], [-1, 8, 6], [0.9, 0.1, 0.5], 2, id="plies that are not known"),
        pytest.param([0.5, 0.5, 0], [4, 2, 9], [0.1, 0.3, 0.9], 1, id="draws by the value before"),
        pytest.param([0, 0.2, 0], [9, 3, 9], [0.9, 0.1, 0.9], 1, id="the value comes first"),
        pytest.param([0, None, 0], [9, -1, 9], [0.9, 0.5, 0.9], 1, id="what is not proved"),
    ],
)
def test_which_of_the_proved_moves_is_played(
    values: list[float | None], plies: list[int], before: list[float], chosen: int
) -> None:
    reading = Mcts(_game("tictactoe"), settings=MctsSettings(capacity=100))._trees[0].reading
    moves, count = reading.root, len(values)
    moves.count, moves.visits[:count], moves.plies[:count] = count, 10, plies
    moves.known[:count] = [value is not None for value in values]
    moves.means[:count] = [0.4 if value is None else value for value in values]
    moves.before[:count] = before
    entry(choose)(reading)
    assert moves.chosen == chosen


class _CutTree(RandomTree):
    """A tree whose searches are out of time once so many states have been valued."""

    def __init__(self, seed: int, *, roles: int, simultaneous: bool, zero_sum: bool) -> None:
        super().__init__(
            seed,
            roles=roles,
            plies=4,
            width=30,
            simultaneous=simultaneous,
            zero_sum=zero_sum,
            ends=0.0,
        )
        self.search: Any = None
        self.left, self.block = 0, 1

    def look(self, state: int) -> tuple[list[int], bool, list[float]]:
        if self.search is not None and self.expanded == 0:
            self.search.slow = self.block
        return super().look(state)

    def value(self, state: int) -> list[float]:
        self.left -= 1
        if self.left <= 0:
            self.search.deadline = 0
        return super().value(state)


def _searched_tree(
    tree: _CutTree, role: int, *, free: bool, valued: int, block: int
) -> SearchResult:
    """Return what a search finds that has time for some states, in blocks of a size."""
    settings = SearchSettings(think_when_forced=True, opponents="maxn" if free else "paranoid")
    search = searcher(tree, FREE if free else OPPOSED, settings=settings, seed=valued)
    tree.search, tree.expanded = search._memory(role).search, 0
    tree.left, tree.block = valued, block
    return search.search(packed(0), role, Limit(depth=3))


def _known(tree: _CutTree, role: int, count: int) -> dict[int, dict[tuple[int, ...], Position]]:
    """Return the first children by own move and the others' answer, of moves that are complete."""
    position = tree.positions[0]
    others = [other for other in range(tree.role_count) if other != role]
    found: dict[int, dict[tuple[int, ...], Position]] = {}
    ranges = [range(position.counts[other]) for other in (role, *others)]
    for own, *answers in list(product(*ranges))[:count]:
        joint = dict(zip((role, *others), (own, *answers), strict=True))
        child = position.children[tuple(joint[r] for r in range(tree.role_count))]
        found.setdefault(own, {})[tuple(answers)] = tree.positions[child]
    complete = 1
    for choices in ranges[1:]:
        complete *= len(choices)
    return {own: answers for own, answers in found.items() if len(answers) == complete}


def _reply(answers: dict[tuple[int, ...], Position], role: int, roles: int) -> tuple[float, ...]:
    """Return the values that follow where all others choose for themselves, one after another."""
    left = dict(answers)
    for place, chooser in reversed(list(enumerate(r for r in range(roles) if r != role))):
        kept: dict[tuple[int, ...], Position] = {}
        for answer, position in left.items():
            key, values = answer[:place], position.values
            if key not in kept or (values[chooser], -values[role]) > (
                kept[key].values[chooser],
                -kept[key].values[role],
            ):
                kept[key] = position
        left = kept
    (position,) = left.values()
    return position.values


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("roles", [1, 2, 3])
def test_the_best_of_the_moves_whose_answers_are_known(roles: int, simultaneous: bool) -> None:
    partial = 0
    for seed in range(12):
        tree = _CutTree(seed, roles=roles, simultaneous=simultaneous, zero_sum=roles == 2)
        whole = len(tree.positions[0].children)
        for role, valued in product(range(roles), range(1, whole)):
            found = _searched_tree(tree, role, free=False, valued=valued, block=1 + seed % 3)
            known = _known(tree, role, tree.expanded)
            if tree.expanded >= whole:
                continue
            assert found.depth == 0
            assert not found.proved
            worst = {
                own: min(position.values[role] for position in answers.values())
                for own, answers in known.items()
            }
            assert dict(found.scores) == worst
            if known:
                partial += 1
                assert worst[found.move] == found.value[role] == max(worst.values())
                assert len(found.line) == 1
                assert found.line[0][role] == found.move
                child = tree.positions[0].children[found.line[0]]
                assert tree.positions[child].values == found.value
    assert partial > (0 if simultaneous or roles == 1 else 3)


@pytest.mark.parametrize("roles", [2, 3])
def test_the_best_reply_where_everybody_plays_for_themselves(roles: int) -> None:
    partial = 0
    for seed in range(12):
        tree = _CutTree(seed, roles=roles, simultaneous=True, zero_sum=False)
        whole = len(tree.positions[0].children)
        for role, valued in product(range(roles), range(1, whole)):
            found = _searched_tree(tree, role, free=True, valued=valued, block=1 + seed % 3)
            known = _known(tree, role, tree.expanded)
            if tree.expanded >= whole or not known:
                continue
            partial += 1
            replies = {own: _reply(answers, role, roles) for own, answers in known.items()}
            best = max((values[role], margin(values, role)) for values in replies.values())
            played = replies[found.move]
            assert found.value == played
            assert (played[role], margin(played, role)) == best
            assert set(found.scores) == set(known)
    assert partial > 10
