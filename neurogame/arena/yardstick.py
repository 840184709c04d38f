"""The yardstick of learning: who an evaluator is measured against, always in the same way.

Its opponents are what it was before it learned, a former checkpoint, and Monte-Carlo tree search
with 1000 simulations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from neurogame.arena.series import play_series
from neurogame.evaluators.base import Evaluator
from neurogame.learn.comparison import Comparison
from neurogame.players.alphabeta_player import AlphaBetaPlayer
from neurogame.players.hurried import HurriedPlayer
from neurogame.players.match_settings import MatchSettings
from neurogame.players.player import Player
from neurogame.players.players import make_player
from neurogame.players.search_player import Outfit
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

MCTS = "mcts:sims=1000"
"""The tree search that evaluators are measured against."""


@final
@dataclass(frozen=True, kw_only=True)
class Yardstick:
    """The conditions under which evaluators of a game are measured.

    Attributes:
        game: the game.
        matches: how many, best a multiple of the number of roles.
        seed: decides openings and everything else.
        opening_plies: random joint moves at the start of every match.
        limit: of the alpha-beta search of the measured evaluator, and of another evaluator.
        settings: of these searches.
    """

    game: Game
    matches: int = 400
    seed: int = 0
    opening_plies: int = 4
    limit: Limit = field(default_factory=lambda: Limit(depth=2))
    settings: SearchSettings | None = None

    def measure(
        self,
        evaluator: Evaluator,
        opponent: Evaluator | str = MCTS,
        *,
        progress: bool = False,
        left: Callable[[], float] = lambda: math.inf,
    ) -> Comparison:
        """Let an evaluator play an opponent, each opening in every order of roles.

        Args:
            evaluator: what is measured.
            opponent: another evaluator, such as the untrained one or that of a former checkpoint;
                or a player string, whose own limit counts.
            progress: whether to show a progress bar on standard error.
            left: returns the seconds that are left, asked before and after every move; once there
                are none no further match is begun, and the one under way does not count.

        Raises:
            PlayerError: the player string is malformed.
            GameError: the game has not two roles.
        """
        other: Player
        if isinstance(opponent, str):
            other = make_player(opponent, self.game, self.seed)
        else:
            other = self._player(opponent, "other")
        players = (self._player(evaluator, "measured"), other)
        series = play_series(
            self.game,
            [HurriedPlayer(player, left) for player in players],
            self.matches,
            self.seed,
            settings=MatchSettings(opening_plies=self.opening_plies),
            progress=progress,
        )
        low, high = series.win_rates_ci95[0]
        return Comparison(
            matches=series.matches,
            wins=series.wins[0],
            draws=series.draws[0],
            losses=series.losses[0],
            score=series.win_rates[0] if series.matches else math.nan,
            low=low,
            high=high,
            mean_goal=series.scores[0] if series.matches else math.nan,
            distinct=series.distinct_games,
            openings=series.openings,
            opening_plies=self.opening_plies,
            unfinished=series.unfinished,
        )

    def _player(self, evaluator: Evaluator, name: str) -> AlphaBetaPlayer:
        outfit = Outfit(name=name, limit=self.limit, source=lambda _game, _seed: evaluator)
        return AlphaBetaPlayer(outfit, settings=self.settings)
