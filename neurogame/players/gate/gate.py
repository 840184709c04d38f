"""Gating: action heuristics where they help in this game, plain search where they do not.

A heuristic made from the rules helps in some games and misleads in others, most of all in
playouts. So before a match begins its use is put to the test, in the game that is to be played:

1. Rank correlation. The judge's scores of all moves of random states are compared with random
   playouts of these moves. A judge that surely ranks them the wrong way round, or never
   distinguishes any, is switched off at once.
2. Short matches. The remaining uses (in the tree, in playouts at full strength or blended with
   MAST, and both) play against the plain search from random openings in all roles; those that
   are surely worse are dropped as soon as that shows, so the others get the time.

A use is taken only if it is better than the plain search by more than chance explains, and of
several the one whose strength is the surest. So where nothing helps, or time is too short to tell,
the search stays plain.

*Reference:* the question is left open by Trutman and Schiffel, "Creating Action Heuristics for
General Game Playing Agents", section "Conclusion" ("prone to be misleading").
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

from neurogame.evaluators.base import Evaluator
from neurogame.kernels.leaves.move_scores import MoveJudge
from neurogame.players.gate.evidence import MOST_PLAYOUTS, ScoreEvidence, measure_evidence
from neurogame.players.probe import Probe, probe
from neurogame.players.race import CAPACITY, MATCHES_PER_ROUND, Race, Racer
from neurogame.search.limit import Limit
from neurogame.search.mcts import Mcts
from neurogame.search.mcts_settings import GATED, MctsSettings
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out

_TREE: dict[str, Any] = {"tree": "action"}
_PLAYOUT: dict[str, Any] = {"playout": "action"}
_BLENDED: dict[str, Any] = {**_PLAYOUT, "blend": 0.5, "tau": 5.0}
_USES: dict[str, dict[str, Any]] = {
    "tree and playouts": {**_TREE, **_PLAYOUT},
    "tree": _TREE,
    "playouts": _PLAYOUT,
    "tree and playouts, blended with MAST": {**_TREE, **_BLENDED},
    "playouts, blended with MAST": _BLENDED,
}
"""Uses of the heuristic; where time is short the first ones are tried only."""
_PLAIN: dict[str, Any] = {"playout": "uniform", "tree": "uct"}
_SURE = 1.96
"""Standard errors by which a use must be ahead."""
_USUAL = Limit(simulations=1000)
_FEWEST = 500, 0.01
"""Simulations and seconds per move from which matches say something of searches with more."""
_ROUNDS = 5
"""Rounds of each use that should fit the time; most drop out soon, so the others get more."""
_FEW_ROUNDS = 3
"""Rounds below which matches are not worth beginning."""
_RANKING, _TRIAL, _FEWEST_PLAYOUTS = 0.2, 64, 2048
"""Where the end is fixed: the share of the time for the playouts that rank moves, the playouts by
which their speed is measured, and how many there must be to say anything."""
_MARGIN = 2.0
"""Then the next search may take so many times as long to be made as the last one."""
_PROBE_SHARE = 0.03
"""Share of the time after which the speed of the game is known well enough."""


@final
@dataclass(frozen=True, kw_only=True)
class GateReport:
    """What gating decided, and on what grounds.

    Attributes:
        settings: how to search, without anything gated.
        chosen: what was switched on; ``off`` for nothing.
        evidence: rank correlation with random playouts; None if it was not measured.
        limit: of the searches in the matches; None if none were played.
        racers: the uses that were tried, with what their matches came to.
        seconds: time spent.
    """

    settings: MctsSettings
    chosen: str
    evidence: ScoreEvidence | None
    limit: Limit | None
    racers: tuple[Racer, ...]
    seconds: float

    def __str__(self) -> str:
        """Return a few lines for people."""
        lines = [f"heuristic: {self.chosen} ({self.seconds:.1f} s)"]
        if self.evidence is not None:
            lines.append(
                f"rank correlation with playouts {self.evidence.correlation:+.2f} in "
                f"{self.evidence.states} choices, best move's gain {self.evidence.gain:+.3f}"
            )
        lines += [
            f"{racer.name}: {100 * racer.mean:.0f} % in {len(racer.rounds)} rounds ({self.limit})"
            for racer in self.racers
        ]
        return "\n".join(lines)


def open_gate(
    game: Game,
    settings: MctsSettings,
    judges: Mapping[str, MoveJudge],
    *,
    seed: int,
    seconds: float,
    limit: Limit | None = None,
    evaluator: Evaluator | None = None,
    latest: float | None = None,
) -> GateReport:
    """Decide how to use the action heuristic where the settings say ``gated``.

    Args:
        game: the game.
        settings: ``playout``, ``tree`` or both are ``gated``.
        judges: holds ``action`` if there is such a heuristic for the game.
        seed: decides everything but what depends on time.
        seconds: time to decide, at least 0; compiling comes on top at the first use, and so do
            the playouts by which moves are ranked, where these are slow.
        limit: of the searches to come; None: 1000 simulations. If it is in seconds the matches
            are played at equal time per move, otherwise at equal numbers of simulations. Where
            the time does not suffice they are played with less, but not with so little that
            it would say nothing of the searches to come: then the search stays plain.
        evaluator: of states, where the settings ask for one.
        latest: when all of that has to be over, as ``time.monotonic`` tells it: what would not be,
            judged by what has been measured by then, is not begun, and what is undecided stays
            plain. None: whenever it is.
    """
    begun = time.monotonic()
    plain = ungated(settings)
    judge = judges.get("action")
    most = MOST_PLAYOUTS
    if judge is not None and seconds > 0 and latest is not None:
        most = _affordable(game, seconds, seed)
    if judge is None or seconds <= 0 or most < _FEWEST_PLAYOUTS:
        return GateReport(
            settings=plain, chosen="off", evidence=None, limit=None, racers=(), seconds=0.0
        )
    evidence = measure_evidence(game, judge, seed=seed, most=most)
    late = latest is not None and time.monotonic() > latest
    uses = {} if late or evidence.is_against else _open_uses(settings, plain)
    racers: list[Racer] = []
    fitting = None
    if uses:
        small = replace(plain, capacity=min(plain.capacity, CAPACITY), threads=1)
        baseline = Mcts(game, settings=small, evaluator=evaluator, judges=judges, seed=seed)
        costs = probe(game, baseline, _PROBE_SHARE * seconds)
        own = _USUAL if limit is None else limit
        count, fitting = _fitted(len(uses), costs, own, seconds - (time.monotonic() - begun))
        uses = dict(list(uses.items())[:count])
    if fitting is not None:
        compiling = time.monotonic()
        searches: dict[str, Mcts] = {}
        for number, (name, own_settings) in enumerate(uses.items(), 1):
            making = time.monotonic()
            searches[name] = Mcts(
                game,
                settings=replace(own_settings, capacity=small.capacity, threads=1),
                evaluator=evaluator,
                judges=judges,
                seed=seed + number,
            )
            made = time.monotonic()
            if latest is not None and made + _MARGIN * (made - making) > latest:
                break
        race = Race(game, baseline, searches, plies=costs.opening_plies, seed=seed)
        racers = race.racers
        end = begun + seconds + (time.monotonic() - compiling)
        race.run(fitting, end if latest is None else min(end, latest))
    best = max(racers, key=lambda racer: racer.bounds(_SURE)[0], default=None)
    if best is not None and best.bounds(_SURE)[0] <= 0.5:
        best = None
    return GateReport(
        settings=plain if best is None else uses[best.name],
        chosen="off" if best is None else best.name,
        evidence=evidence,
        limit=fitting,
        racers=tuple(racers),
        seconds=time.monotonic() - begun,
    )


def ungated(settings: MctsSettings) -> MctsSettings:
    """Return how to search if nothing that is gated is switched on."""
    open_ones = (name for name in _PLAIN if getattr(settings, name) == GATED)
    return replace(settings, **{name: _PLAIN[name] for name in open_ones})


def _affordable(game: Game, seconds: float, seed: int) -> int:
    """Return how many playouts for each role take no more than a part of the time."""
    simulator = game.simulator()
    play_out(simulator, 1, seed)
    begun = time.monotonic()
    play_out(simulator, _TRIAL, seed)
    share = _RANKING * seconds / len(game.roles)
    return min(int(_TRIAL * share / (time.monotonic() - begun)), MOST_PLAYOUTS)


def _open_uses(settings: MctsSettings, plain: MctsSettings) -> dict[str, MctsSettings]:
    """Return all uses that the settings leave open, by name."""
    left = {name for name in _PLAIN if getattr(settings, name) == GATED}
    return {
        name: replace(plain, **use)
        for name, use in _USES.items()
        if left >= use.keys() & _PLAIN.keys()
    }


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
    # Rather fewer uses than weaker searches: what helps these may hurt the stronger ones.
    for tried in (limit, fewest):
        for count in range(uses, 1, -1):
            if _ROUNDS * count * matches * costs.match(tried) <= seconds:
                return count, tried
    fits = _FEW_ROUNDS * matches * costs.match(fewest) <= seconds
    return 1, fewest if fits else None
