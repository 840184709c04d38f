"""Short matches between uses of a heuristic and the search without it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import final

from neurogame.evaluators.base import Evaluator
from neurogame.judges.moves import MoveJudge
from neurogame.players.belief import UNTRIED, Belief, best_believed
from neurogame.players.probe import Probe, probe
from neurogame.players.race import CAPACITY, MATCHES_PER_ROUND, Race, Racer, doublings
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game

_USUAL = Limit(simulations=1000)
_FEWEST = 500, 0.01
"""Simulations and seconds per move from which matches say something of searches with more."""
_ROUNDS = 10
"""Rounds of each use that should fit the time; most drop out soon, so the others get more."""
_FEW_ROUNDS = 3
"""Rounds below which matches are not worth beginning."""
_MARGIN = 2.0
"""Where the end is fixed, the next search may take so many times as long to be made as the
last one."""
_PROBE_SHARE = 0.03
"""Share of the time after which the speed of the game is known well enough."""


@final
@dataclass(frozen=True, kw_only=True)
class Trials:
    """What matches came to.

    Attributes:
        racers: the uses that were tried.
        limit: of the searches in the matches; None if none were played.
    """

    racers: tuple[Racer, ...]
    limit: Limit | None = None

    @property
    def best(self) -> str | None:
        """The use that is believed to be the best; None if that is none of them."""
        best = best_believed(self.racers)
        return None if best is None else best.name

    def lines(self) -> list[str]:
        """Return a line for people about each use."""
        end = "" if self.limit is None else f" ({self.limit})"
        return [f"{racer}{end}" for racer in self.racers]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class TrialTerms:
    """For what searches trials are held, and how long.

    Attributes:
        seed: decides everything but what depends on time.
        seconds: for it all, at least 0; compiling comes on top.
        limit: of the searches to come; None: 1000 simulations. If it is in seconds the matches
            are played at equal time per move, otherwise at equal numbers of simulations. Where
            the time does not suffice they are played with less, but not with so little that
            it would say nothing of the searches to come: then none are.
        evaluator: of states, where the settings ask for one.
        judges: of moves, by name.
        latest: when it has to be over, as ``time.monotonic`` tells it: what would not be, judged by
            what has been measured by then, is not begun. None: whenever it is.
    """

    seed: int
    seconds: float
    limit: Limit | None = None
    evaluator: Evaluator | None = None
    judges: Mapping[str, MoveJudge] = field(default_factory=dict)
    latest: float | None = None

    def mcts(self, game: Game, settings: MctsSettings, number: int) -> Mcts:
        """Return a search for trials.

        Args:
            game: the game.
            settings: how it searches, but for what it may take.
            number: of the search; each has other random numbers.
        """
        capacity = min(settings.capacity or CAPACITY, CAPACITY)
        return Mcts(
            game,
            settings=replace(settings, capacity=capacity, threads=1),
            evaluator=self.evaluator,
            judges=self.judges,
            seed=self.seed + number,
        )


def play_trials(
    game: Game,
    plain: MctsSettings,
    uses: Mapping[str, MctsSettings],
    terms: TrialTerms,
    priors: Mapping[str, Belief],
) -> Trials:
    """Let uses of a heuristic play against the search without it.

    Args:
        game: the game.
        plain: how the search without it searches.
        uses: how those with it search, by name, the best hopes first.
        terms: how they are tried.
        priors: what is believed of them before, by name; of others, that they are untried.
    """
    begun = time.monotonic()
    untried = Trials(
        racers=tuple(Racer(name=name, prior=priors.get(name, UNTRIED)) for name in uses)
    )
    if terms.seconds <= 0:
        return untried
    baseline, latest = terms.mcts(game, plain, 0), terms.latest
    costs = probe(game, baseline, _PROBE_SHARE * terms.seconds)
    left = terms.seconds - (time.monotonic() - begun)
    count, fitting = _fitted(len(uses), costs, terms.limit or _USUAL, left)
    if fitting is None:
        return untried
    compiling = time.monotonic()
    searches: dict[str, Mcts] = {}
    for number, (name, settings) in enumerate(list(uses.items())[:count], 1):
        making = time.monotonic()
        searches[name] = terms.mcts(game, settings, number)
        made = time.monotonic()
        if latest is not None and made + _MARGIN * (made - making) > latest:
            break
    race = Race(
        game,
        baseline,
        searches,
        plies=costs.opening_plies,
        seed=terms.seed,
        priors=priors,
        doublings=doublings(fitting, terms.limit),
    )
    end = begun + terms.seconds + (time.monotonic() - compiling)
    race.run(fitting, end if latest is None else min(end, latest))
    return Trials(racers=tuple(race.racers), limit=fitting)


def _fitted(uses: int, costs: Probe, limit: Limit, seconds: float) -> tuple[int, Limit | None]:
    """Return how many uses can be tried in a time, and with which limit; None if none can."""
    if not costs.choices:
        return uses, None
    simulations, least = _FEWEST
    if limit.seconds is not None:
        fewest = Limit(seconds=min(limit.seconds, least))
    else:
        limit = Limit(simulations=limit.simulations or _USUAL.simulations)
        fewest = Limit(simulations=min(limit.simulations or 0, simulations))
    matches = MATCHES_PER_ROUND
    tries = [limit, fewest]
    if limit.seconds is not None:
        each = (seconds / (_ROUNDS * uses * matches) - costs.overhead) / costs.choices
        if least < each < limit.seconds:
            tries = [limit, Limit(seconds=each)]
    # Rather fewer uses than weaker searches: what helps these may hurt the stronger ones.
    for tried in tries:
        for count in range(uses, 1, -1):
            if _ROUNDS * count * matches * costs.match(tried) <= seconds:
                return count, tried
    fits = _FEW_ROUNDS * matches * costs.match(fewest) <= seconds
    return 1, fewest if fits else None
