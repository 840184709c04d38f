"""Matches in pieces: the same as all at once, whoever plays them, and cut off on a stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.learn import lockstep_pieces
from neurogame.learn.comparison import compare
from neurogame.learn.lockstep_pieces import play_pieces
from neurogame.search.lockstep.lockstep import LockstepMatch, MatchPlan, play_lockstep
from neurogame.simulate.game import Game
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import InlineExecutor, Workplace, open_workplace
from tests.evaluators.rules_networks import SMALL, network_of


def _players(game: Game) -> list[Evaluator]:
    return [network_of(game, SMALL, random=True), make_evaluator(game).requires_grad_(False)]


def _plan(game: Game, matches: int) -> MatchPlan:
    roles = len(game.roles)
    seats = (np.arange(matches)[:, None] + np.arange(roles)) % 2
    return MatchPlan(evaluators=_players(game), seats=seats, seeds=np.arange(matches) + 7)


def _same(one: list[LockstepMatch], two: list[LockstepMatch]) -> bool:
    return len(one) == len(two) and all(
        np.array_equal(a.moves, b.moves) and np.array_equal(a.goals, b.goals, equal_nan=True)
        for a, b in zip(one, two, strict=True)
    )


@pytest.fixture(scope="module")
def two() -> Iterator[Workplace]:
    with open_workplace(WorkerSettings(workers=2)) as place:
        yield place


@pytest.mark.parametrize("name", ["tictactoe", "connectfour_simultaneous"])
def test_pieces_are_the_same_whoever_plays_them(
    name: str, two: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Game.load(name)
    plan = _plan(game, 40)
    alone = play_pieces(game, plan, Workplace(InlineExecutor()))
    assert all(match.finished for match in alone)
    assert _same(alone, play_lockstep(game, plan))
    monkeypatch.setattr(lockstep_pieces, "_WORTH", 0.0)
    assert _same(alone, play_pieces(game, plan, two))
    # Other weights of the same evaluators arrive, too.
    changed = _players(game)
    changed[0] = network_of(game, SMALL, random=True, seed=5)
    other = replace(plan, evaluators=changed)
    assert _same(play_lockstep(game, other), play_pieces(game, other, two))


def test_a_comparison_is_the_same(two: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockstep_pieces, "_WORTH", 0.0)
    game = Game.load("tictactoe")
    first, second = _players(game)
    results = [
        compare(game, first, second, matches=30, seed=3, opening_plies=2, workplace=place)
        for place in (None, two)
    ]
    assert results[0] == results[1]
    assert results[0].matches == 30


def test_matches_are_cut_off_when_they_are_to_stop(
    two: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lockstep_pieces, "_WORTH", 0.0)
    game = Game.load("connectfour5")
    played = play_pieces(game, _plan(game, 32), two, stop=lambda: True)
    assert len(played) == 32
    assert not any(match.finished for match in played[:2])
    assert not all(match.finished for match in played)


def test_where_matches_take_long_some_are_over_before_all_are_to_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lockstep_pieces, "_WORTH", 0.0)
    monkeypatch.setattr(lockstep_pieces, "_PIECES", 8)
    game = Game.load("tictactoe")
    plies = iter(range(1000))
    played = play_pieces(game, _plan(game, 32), stop=lambda: next(plies) > 24)
    finished = [match.finished for match in played]
    assert len(played) == 32
    # Of at most nine plies each, pieces of four: two pieces at least, and by no means all.
    assert all(finished[:8])
    assert not any(finished[24:])
