"""Forecasts of fresh games by thirds: a slow twin, what is not told, files of before, a run."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.arena import forecasts as module
from neurogame.arena.forecasts import Forecasts, forecasts
from neurogame.arena.positions import PlayedPositions, played_positions
from neurogame.arena.release_strength import ReleaseStrength, StrengthMeter, strength_of_run
from neurogame.arena.run_head import strength_words
from neurogame.arena.strength_table import strength_sentence, strength_table
from neurogame.evaluators.base import Evaluator
from neurogame.learn.recipe import GameLengths
from neurogame.simulate.game import Game
from neurogame.view.curves import curves
from tests.arena.test_yardstick import Left, is_idle
from tests.learn.test_trainer import long_game
from tests.library import Patch, load
from tests.processes import wait_until

FOUND = Forecasts(games=80, blind=math.log(2), loss=(0.61, 0.52, 0.314), error=(0.05, 0.03, 0.01))
LENGTHS = GameLengths(mean=9.0, longest=12)


@final
class Plain(Evaluator):
    """A value for each state, no two of which are the same."""

    def __init__(self, game: Game) -> None:
        super().__init__(len(game.fluents), len(game.roles), {"kind": "plain"})
        random = torch.Generator().manual_seed(1)
        self._weights = torch.randn(self.fluent_count, self.role_count, generator=random)

    def forward(self, fluents: Tensor) -> Tensor:
        return torch.sigmoid(fluents.float() @ self._weights)


def by_hand(
    game: Game, evaluator: Evaluator, played: PlayedPositions, drawn: list[int]
) -> tuple[set[int], list[float], list[float]]:
    """Return which games count, and losses and errors of their thirds, value by value."""
    values, games = evaluator(played.states.to_bool()).tolist(), played.games.tolist()
    counted: set[int] = set()
    said: list[list[tuple[float, float]]] = [[], [], []]
    for row, number in enumerate(games):
        ply, length = int(played.plies[row]), games.count(number)
        if ply >= drawn[number]:
            counted.add(number)
            for role, name in enumerate(game.roles):
                if name != "random":
                    third = sum(ply >= k * length / 3 for k in (1, 2))
                    said[third].append((values[row][role], float(played.outcomes[row, role])))
    losses, errors = [], []
    for pairs in said:
        sure = [(min(max(value, 1e-6), 1 - 1e-6), came) for value, came in pairs]
        losses.append(-sum(o * math.log(v) + (1 - o) * math.log(1 - v) for v, o in sure))
        gaps = [0.0] * 10
        for value, came in pairs:
            gaps[min(int(10 * value), 9)] += value - came
        losses[-1] /= len(pairs)
        errors.append(sum(map(abs, gaps)) / len(pairs))
    return counted, losses, errors


@pytest.mark.parametrize("name", ["tictactoe", "tictactoe3p", "pig", "connectfour_simultaneous"])
def test_the_same_as_a_slow_twin(name: str, monkeypatch: Patch) -> None:
    """Two and three roles, in turn and at once, and chance, which forecasts nothing."""
    game, seen = load(name), []
    evaluator = Plain(game)

    def watched(*own: Any, **more: Any) -> PlayedPositions:
        seen.append((played_positions(*own, **more), more["drawn"].tolist()))
        return seen[-1][0]

    monkeypatch.setattr(module, "played_positions", watched)
    monkeypatch.setattr(module, "_GAMES", 24)
    found = forecasts(game, evaluator, 5, lengths=LENGTHS)
    assert found is not None
    [(played, drawn)] = seen
    assert set(drawn) == {2, 3}
    counted, losses, errors = by_hand(game, evaluator, played, drawn)
    assert found.games == len(counted) > 19
    assert found.loss == pytest.approx(losses)
    assert found.error == pytest.approx(errors)
    share = 1 / len(game.players)
    blind = -share * math.log(share) - (1 - share) * math.log(1 - share)
    assert found.blind == pytest.approx(blind)
    # Learned or not, the same seed plays the same games.
    assert found == forecasts(game, evaluator, 5, lengths=LENGTHS)
    assert found != forecasts(game, evaluator, 6, lengths=LENGTHS)


def test_after_random_moves_play_follows_the_values(tictactoe: Game) -> None:
    drawn = np.arange(100) % 4
    played = played_positions(
        tictactoe, Plain(tictactoe), matches=100, seed=3, epsilon=0.0, drawn=drawn
    )
    states = [row.tobytes() for row in played.states.to_bool().numpy()]
    is_random = played.plies < drawn[played.games]
    successors: dict[bool, dict[bytes, set[bytes]]] = {False: {}, True: {}}
    for row in np.flatnonzero(played.to_end > 1).tolist():
        own = successors[bool(is_random[row])].setdefault(states[row], set())
        own.add(states[row + 1])
    assert max(map(len, successors[True].values())) > 5
    assert max(map(len, successors[False].values())) == 1


def test_nothing_is_told_without_time_thirds_or_opponents(tictactoe: Game) -> None:
    for game in (Game.from_text(long_game(2)), load("lightsout")):
        assert forecasts(game, Plain(game), 1, lengths=LENGTHS) is None
    evaluator = Plain(tictactoe)
    # Four plies are played, and the games that have not ended are stopped.
    assert forecasts(tictactoe, evaluator, 1, lengths=LENGTHS, left=Left(4)) is None
    assert forecasts(tictactoe, evaluator, 1, lengths=LENGTHS, left=Left(40)) is not None
    # Nine moves in a million plies are too many states.
    endless = GameLengths(mean=1e6, longest=1000)
    assert forecasts(tictactoe, evaluator, 1, lengths=endless) is None


def test_games_that_are_stopped_are_left_out(tictactoe: Game) -> None:
    plies = iter(range(100))
    played = played_positions(tictactoe, None, matches=40, seed=2, stop=lambda: next(plies) == 7)
    assert 0 < played.cut < 40
    assert len(set(played.games.tolist())) == 40 - played.cut
    # They keep the numbers that they were planned with, and those of seven plies or less end.
    assert int(played.games[-1]) > 40 - played.cut
    assert int(played.plies.max() + 1) <= 7


def test_rows_are_read_again_and_old_ones_too(tmp_path: Path) -> None:
    one = ReleaseStrength(seconds=9.0, untrained=None, mcts=None, exact=None, forecasts=FOUND)
    rows = [one.to_json(), {n: v for n, v in one.to_json().items() if n != "forecasts"}]
    (tmp_path / "strength.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    new, old = strength_of_run(tmp_path)
    assert new == one
    assert old.forecasts is None
    assert [strength_words(row) for row in rows] == ["0.61/0.52/0.31 nats", ""]
    lines = strength_table([new, old]).splitlines()
    assert [line.split() for line in lines] == [
        ["seconds", "forecasts:", "nats", "(off", "by)"],
        ["9", "0.61/0.52/0.31", "(3", "%)"],
        ["9", "–"],
    ]
    assert strength_sentence([new]) == (
        "the release after 9 s forecasts the beginning, middle and end of games with "
        "0.61/0.52/0.31 nats (a blind guess: 0.69), off by 3 %"
    )
    drawn = curves(tmp_path)["forecasts"]
    assert [line["points"] for line in drawn] == [
        [[9.0, value]] for value in (0.61, 0.52, 0.314, math.log(2))
    ]


def test_games_of_three_are_measured_by_forecasts_alone(monkeypatch: Patch) -> None:
    monkeypatch.setattr(module, "_GAMES", 40)
    game = load("tictactoe3p")
    meter = StrengthMeter(game, Plain(game), seed=1, matches=2)
    meter.measure(Plain(game), 0.0)
    wait_until(partial(is_idle, meter))
    (found,) = meter.close()
    assert [found.untrained, found.mcts, found.exact] == [None, None, None]
    assert found.forecasts is not None
    assert found.forecasts.blind > 0
