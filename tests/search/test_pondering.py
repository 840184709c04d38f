"""Pondering: what is thought meanwhile is there afterwards, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from neurogame.errors import GameError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.native.compiled import compiled
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.search.mcts.compiled.pace import choose_pace, note_pace
from neurogame.search.mcts.compiled.search import PACES, Pace, new_pace
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.packing import root_words
from neurogame.simulate.game import State
from tests.library import load as game


def never() -> bool:
    return False


def after(search: Mcts, simulations: int) -> Callable[[], bool]:
    """Return what stops a search once it has made so many simulations from now."""
    made = sum(tree.totals.simulations for tree in search._trees)
    return lambda: sum(tree.totals.simulations for tree in search._trees) >= made + simulations


def alphabeta(name: str) -> AlphaBeta:
    return AlphaBeta(game(name), make_evaluator(game(name), EvaluatorConfig(kind="fuzzy"), 0))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_finds_what_was_pondered(threads: int) -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(threads=threads, solver=False))
    state = rules.initial_state()
    before = search._trees[0].totals.simulations
    search.ponder(state, 0, after(search, 2000))
    pondered = sum(tree.totals.simulations for tree in search._trees) - before
    assert pondered >= 2000
    found = search.search(state, 0, Limit(simulations=10))
    assert found.simulations == 10
    assert sum(found.tries.values()) == pondered + 10
    # The other role's turn: what is below a move is kept, too.
    joint = [found.move, state.legal_moves[1][0]]
    after_it = search.search(state.next(joint), 1, Limit(simulations=10))
    assert sum(after_it.tries.values()) > 0.5 * found.tries[found.move]


def test_a_role_without_a_choice_ponders_on() -> None:
    rules = game("connectfour")
    search, state = Mcts(rules), rules.initial_state()
    assert len(state.legal_moves[1]) == 1
    search.ponder(state, 1, after(search, 500))
    found = search.search(state, 0, Limit(simulations=1))
    assert sum(found.tries.values()) >= 500


def test_a_stop_is_obeyed_at_once_and_asked_for_often() -> None:
    rules = game("connectfour")
    asked = []

    def third() -> bool:
        asked.append(0)
        return len(asked) >= 3

    for search in (Mcts(rules), alphabeta("connectfour")):
        asked.clear()
        search.ponder(rules.initial_state(), 0, third)
        assert len(asked) == 3
    search = Mcts(rules)
    search.ponder(rules.initial_state(), 0, lambda: True)
    assert search._trees[0].totals.simulations == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_solved_positions_end_it(threads: int) -> None:
    rules = game("tictactoe")
    state = rules.initial_state()
    search = Mcts(rules, settings=MctsSettings(threads=threads))
    search.ponder(state, 0, never)
    found = search.search(state, 0, Limit(simulations=1))
    assert found.proved
    assert found.value == (0.5, 0.5)
    deep = alphabeta("tictactoe")
    deep.ponder(state, 1, never)
    deep.ponder(state, 0, never)
    assert deep.search(state, 0, Limit(depth=1)).value == (0.5, 0.5)
    assert len(deep.proved_states) > 10


def test_a_root_with_visits_enough_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.search.mcts.drive._ENOUGH", 3000)
    rules = game("connectfour")
    state, search = rules.initial_state(), Mcts(rules)
    search.ponder(state, 0, never)
    assert search._trees[0].root_visits >= 3000
    before = search._trees[0].root_visits
    search.ponder(state, 0, never)
    assert search._trees[0].root_visits == before
    # What follows has its own visits.
    follow = state.next([state.legal_moves[0][0], state.legal_moves[1][0]])
    search.ponder(follow, 1, never)
    assert search._trees[0].root_visits >= 3000


def test_without_memory_there_is_nothing_to_ponder_for() -> None:
    rules = game("tictactoe")
    search = Mcts(rules, settings=MctsSettings(reuse=False))
    search.ponder(rules.initial_state(), 0, never)
    assert search._trees[0].totals.simulations == 0


def test_all_of_the_room_is_used_and_made_again() -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(capacity=600))
    state = rules.initial_state()
    search.ponder(state, 0, after(search, 20_000))
    tree = search._trees[0]
    assert tree.totals.created > 2000
    assert tree.size <= 600
    found = search.search(state, 0, Limit(simulations=100))
    assert sum(found.tries.values()) >= 20_100
    # If it is more than half full room is made first, and none of the root's visits is lost.
    asked = iter((False, True))
    search.ponder(state, 0, lambda: next(asked))
    again = search.search(state, 0, Limit(simulations=1))
    assert sum(again.tries.values()) > sum(found.tries.values())


def test_what_was_learned_of_moves_does_not_fade() -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(playout="mast", decay=0.5))
    state = rules.initial_state()
    search.search(state, 0, Limit(simulations=50))
    policy = search._trees[0]._policy
    assert policy is not None
    before = float(policy.policy.visits.sum())
    for _ in range(3):
        asked = iter((False, False, True))
        search.ponder(state, 0, lambda answers=asked: next(answers))  # type: ignore[misc]
        visits = float(policy.policy.visits.sum())
        assert visits > before
        before = visits


def test_alpha_beta_looks_deeper_after_pondering() -> None:
    rules = game("connectfour")
    state, limit = rules.initial_state(), Limit(nodes=300)
    plain = alphabeta("connectfour").search(state, 0, limit)
    search = alphabeta("connectfour")
    memory = search._search._memory(0)
    search.ponder(state, 0, lambda: memory.search.nodes >= 8_000)
    history = memory.search.choices.history.copy()
    assert history.any()
    found = search.search(state, 0, limit)
    assert found.nodes <= 300
    assert found.depth > plain.depth
    # Also from the positions that follow, and in its own time: the first role has no choice there.
    follow = state.next([found.move, state.legal_moves[1][0]])
    plain = alphabeta("connectfour").search(follow, 1, limit)
    search = alphabeta("connectfour")
    memory = search._search._memory(1)
    assert len(state.legal_moves[1]) == 1
    search.ponder(state, 1, lambda: memory.search.nodes >= 16_000)
    assert search.search(follow, 1, limit).depth > plain.depth


def test_alpha_beta_keeps_its_preferences_while_it_ponders() -> None:
    search = alphabeta("connectfour")
    state = game("connectfour").initial_state()
    search.search(state, 0, Limit(depth=4))
    choices = search._search._memory(0).search.choices
    before = choices.history.copy()
    assert before.any()
    asked = iter((False, True))
    search.ponder(state, 0, lambda: next(asked))
    assert np.all(choices.history >= before)


def test_a_rehearsal_changes_nothing_but_the_pace() -> None:
    rules = game("connectfour")
    state, settings = rules.initial_state(), MctsSettings(playout="mast", tree="rave")
    fresh, rehearsed = (Mcts(rules, settings=settings, seed=5) for _ in range(2))
    rehearsed.rehearse(state, 0, 0.05)
    limit = Limit(simulations=300)
    assert dict(rehearsed.search(state, 0, limit).tries) == dict(
        fresh.search(state, 0, limit).tries
    )
    assert not fresh._trees[0].pace.times.any()
    assert rehearsed._trees[0].pace.times.any()
    assert len(rehearsed.proved_states) == len(fresh.proved_states)
    one, other = alphabeta("connectfour"), alphabeta("connectfour")
    other.rehearse(state, 0, 0.05)
    limit = Limit(nodes=400)
    assert one.search(state, 0, limit).scores == other.search(state, 0, limit).scores
    assert other._search._last_pace["last_time"] > 0


@pytest.mark.parametrize(
    ("settings", "first"),
    [({}, 6), ({"lanes": 8}, 3), ({"playout": "decisive"}, 6), ({"playout": "mast"}, 0)],
    ids=str,
)
def test_where_rules_take_all_the_time_the_first_block_is_a_whole_word(
    settings: dict[str, Any], first: int
) -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(**settings))
    (tree,) = search._trees
    tree.set_root(root_words(rules, rules.initial_state(), 0))
    tree.run(64, simulations=1 << first, nodes=None, until=0, deadline=LONG)
    assert (tree.totals.blocks, tree.totals.simulations) == (1, 1 << first)
    assert np.flatnonzero(tree.pace.times).tolist() == [first]


def test_states_that_cannot_be_searched_are_refused() -> None:
    rules = game("tictactoe")
    ended: State = rules.initial_state()
    while not ended.is_terminal:
        ended = ended.next([moves[0] for moves in ended.legal_moves])
    for search in (Mcts(rules), alphabeta("tictactoe")):
        with pytest.raises(GameError, match="terminal"):
            search.ponder(ended, 0, never)
        with pytest.raises(GameError, match="role 2"):
            search.ponder(rules.initial_state(), 2, never)


MILLISECOND = 1_000_000
LONG = 1 << 60


@compiled
def choose(pace: Pace, count: int, left: int) -> int:
    """Stands in for a search."""
    return choose_pace(pace, count, left)


@compiled
def note(pace: Pace, chosen: int, time: int) -> None:
    """Stands in for a search."""
    note_pace(pace, chosen, time)


def played(
    cost: Callable[[int], float], milliseconds: float, lanes: int = 64, known: Pace | None = None
) -> tuple[list[int], float, Pace]:
    """Return the sizes of a search's blocks, the time it took, and what it has noted.

    Args:
        cost: milliseconds of a block of a size.
        milliseconds: limit of the search.
        lanes: most simulations of a block.
        known: what was noted before.
    """
    known = new_pace(lanes) if known is None else known
    left, sizes = int(milliseconds * MILLISECOND), list[int]()
    while left > 0:
        pace = choose(known, lanes, left)
        if pace < 0:
            break
        sizes.append(min(1 << pace, lanes))
        spent = int(cost(sizes[-1]) * MILLISECOND)
        note(known, pace, spent)
        left -= spent
    return sizes, milliseconds - left / MILLISECOND, known


@pytest.mark.parametrize("lanes", [1, 3, 48, 64, 512])
@pytest.mark.parametrize("whole", [0.02, 1.0, 37.0])
def test_blocks_are_full_where_lanes_cost_nothing(lanes: int, whole: float) -> None:
    sizes, _, _ = played(lambda size: whole, 20 * whole, lanes)
    growth = sizes[: PACES + 1]
    assert growth == [min(1 << n, lanes) for n in range(len(growth))]
    assert set(sizes[PACES:]) == {lanes}


def test_blocks_stay_short_where_every_lane_costs() -> None:
    sizes, _, _ = played(lambda size: 0.7 * size, 2000)
    # Below 2 ms they may grow; beyond they do not, but for a trial now and then.
    assert max(sizes) <= 4
    assert np.mean([size <= 2 for size in sizes]) > 0.9
    sizes, _, _ = played(lambda size: 30.0 * size, 3000)
    assert np.mean([size == 1 for size in sizes]) > 0.9


def test_blocks_are_as_large_as_it_pays() -> None:
    sizes, _, _ = played(lambda size: 10 + 0.5 * size, 5000)
    assert np.median(sizes) == 32


@pytest.mark.parametrize("cost", [lambda n: 37.0, lambda n: 0.1 * n, lambda n: 5 + n])
def test_none_ends_too_late_once_it_is_known(cost: Callable[[int], float]) -> None:
    known = played(cost, 1000)[2]
    for limit in (500.0, 50.0, 123.4):
        _, took, known = played(cost, limit, known=known)
        assert took <= limit
        # Nor is more left over than a block of the smallest size, or of half the usual one.
        assert limit - took <= max(cost(1), cost(64) / 2)
    assert played(cost, 0.01, known=known)[0] == []


def test_a_hiccup_is_forgotten() -> None:
    blocks = iter(range(10**6))
    sizes, _, _ = played(lambda size: 40.0 if next(blocks) in (1, 3, 40) else 0.05, 1000)
    assert sizes[-1] == 64
    assert np.mean([size == 64 for size in sizes]) > 0.9


def test_only_what_was_measured_counts() -> None:
    pace = new_pace(64)
    pace.usual = 6
    assert choose(pace, 64, 1) == 6
    note(pace, 6, 7 * MILLISECOND)
    # How long fewer take is not known.
    assert choose(pace, 64, 6 * MILLISECOND) == -1
    pace = new_pace(64)
    assert choose(pace, 64, 1) == 0
    note(pace, 0, 7 * MILLISECOND)
    # A block of two is not begun where it may be late.
    assert choose(pace, 64, 13 * MILLISECOND) == 0
    assert choose(pace, 64, 6 * MILLISECOND) == -1
    assert choose(pace, 64, 14 * MILLISECOND) == 1
    assert pace.usual == 1
    note(pace, 1, 8 * MILLISECOND)
    note(pace, 1, 4 * MILLISECOND)
    assert pace.times[1] == 7 * MILLISECOND
    assert choose(pace, 1, LONG) == 1


@pytest.mark.parametrize(("whole", "most"), [(0.1, 64), (0.4, 64), (0.6, 512), (7.0, 512)])
def test_beyond_some_blocks_grow_only_where_they_take_long(whole: float, most: int) -> None:
    known = new_pace(64)
    sizes, _, _ = played(lambda size: whole, 60 * whole, 512, known)
    assert max(sizes) == most
    assert set(sizes[PACES:]) == {most}
