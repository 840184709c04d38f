"""What is played where time is up before the first ply is complete: the best of what is known."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.result import SearchResult
from tests.search.random_tree import (
    FREE,
    OPPOSED,
    Position,
    RandomTree,
    margin,
    packed,
    searcher,
)


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


def _searched(tree: _CutTree, role: int, *, free: bool, valued: int, block: int) -> SearchResult:
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
            found = _searched(tree, role, free=False, valued=valued, block=1 + seed % 3)
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
            found = _searched(tree, role, free=True, valued=valued, block=1 + seed % 3)
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
