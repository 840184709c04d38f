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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

from neurogame.evaluators.base import Evaluator
from neurogame.kernels.leaves.move_scores import MoveJudge
from neurogame.play.gate.evidence import Evidence, measure_evidence
from neurogame.play.gate.race import Race, Racer
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
_MATCHES_PER_ROUND = 2
_PLIES_PER_RANDOM, _MOST_RANDOM = 15, 4
"""Matches begin with a random ply for so many of their length, and with at most so many: in a
short game a few random plies may decide."""
_PROBE = 256
"""Simulations by which the speed of the game is measured."""
_SLOWER = 1.5
"""How much longer matches take than with the plain search on both sides, roughly."""


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
    evidence: Evidence | None
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
) -> GateReport:
    """Decide how to use the action heuristic where the settings say ``gated``.

    Args:
        game: the game.
        settings: ``playout``, ``tree`` or both are ``gated``.
        judges: holds ``action`` if there is such a heuristic for the game.
        seed: decides everything but what depends on time.
        seconds: time to decide, at least 0; compiling comes on top at the first use.
        limit: of the searches to come; None: 1000 simulations. If it is in seconds the matches
            are played at equal time per move, otherwise at equal numbers of simulations. Where
            the time does not suffice they are played with less, but not with so little that
            it would say nothing of the searches to come: then the search stays plain.
        evaluator: of states, where the settings ask for one.
    """
    begun = time.monotonic()
    open_ones = (name for name in _PLAIN if getattr(settings, name) == GATED)
    plain = replace(settings, **{name: _PLAIN[name] for name in open_ones})
    judge = judges.get("action")
    if judge is None or seconds <= 0:
        return GateReport(
            settings=plain, chosen="off", evidence=None, limit=None, racers=(), seconds=0.0
        )
    evidence = measure_evidence(game, judge, seed=seed)
    racers = [] if evidence.is_against else _racers(settings, plain)
    if racers:
        probe = _probe(game, plain, evaluator, seconds, seed)
        own = _USUAL if limit is None else limit
        racers, fitting = _fitted(racers, probe, own, seconds - (time.monotonic() - begun))
    else:
        fitting = None
    if fitting is not None:
        plies = min(int(probe.plies / _PLIES_PER_RANDOM), _MOST_RANDOM)
        race = Race(game, plain, racers, judges, plies=plies, evaluator=evaluator, seed=seed)
        race.run(fitting, begun + seconds + race.seconds)
    best = max(racers, key=lambda racer: racer.bounds(_SURE)[0], default=None)
    if best is not None and best.bounds(_SURE)[0] <= 0.5:
        best = None
    return GateReport(
        settings=plain if best is None else best.settings,
        chosen="off" if best is None else best.name,
        evidence=evidence,
        limit=fitting,
        racers=tuple(racers),
        seconds=time.monotonic() - begun,
    )


def _racers(settings: MctsSettings, plain: MctsSettings) -> list[Racer]:
    """Return all uses that the settings leave open."""
    left = {name for name in _PLAIN if getattr(settings, name) == GATED}
    return [
        Racer(name=name, settings=replace(plain, **use))
        for name, use in _USES.items()
        if left >= use.keys() & _PLAIN.keys()
    ]


@final
@dataclass(frozen=True, kw_only=True)
class _Probe:
    """What a match takes: plies, choices, seconds beside searches, seconds per simulation."""

    plies: float
    choices: float
    overhead: float
    simulation: float

    def match(self, limit: Limit) -> float:
        """Return the seconds of a match."""
        if limit.seconds is not None:
            return self.overhead + self.choices * limit.seconds
        return self.overhead + self.choices * (limit.simulations or 0) * self.simulation * _SLOWER


def _probe(
    game: Game, plain: MctsSettings, evaluator: Evaluator | None, seconds: float, seed: int
) -> _Probe:
    """Play the plain search against itself for a while and measure."""
    small = replace(plain, capacity=1 << 12, threads=1)
    search = Mcts(game, settings=small, evaluator=evaluator, seed=seed)
    state, plies, choices, spent = game.initial_state(), 0, 0, 0.0
    begun = time.monotonic()
    while not state.is_terminal and all(state.legal_moves):
        joint = []
        for role, own in enumerate(state.legal_moves):
            if len(own) > 1:
                found = search.search(state, role, Limit(simulations=_PROBE))
                choices, spent = choices + 1, spent + found.seconds
                joint.append(found.move)
            else:
                joint.append(own[0])
        state, plies = state.next(joint), plies + 1
        if time.monotonic() - begun > 0.1 * seconds:
            break
    overhead = time.monotonic() - begun - spent
    # Of a long match only the beginning was played.
    usual = float(play_out(game.simulator(), 64, seed).lengths.double().mean())
    more = max(usual / max(plies, 1), 1.0)
    return _Probe(
        plies=max(usual, plies),
        choices=choices * more,
        overhead=overhead * more,
        simulation=spent / max(choices * _PROBE, 1),
    )


def _fitted(
    racers: Sequence[Racer], probe: _Probe, limit: Limit, seconds: float
) -> tuple[list[Racer], Limit | None]:
    """Return which uses can be tried in a time, and with which limit; None if none can."""
    if not probe.choices:
        return list(racers), None
    simulations, least = _FEWEST
    if limit.seconds is not None:
        fewest = Limit(seconds=min(limit.seconds, least))
    else:
        limit = Limit(simulations=limit.simulations or _USUAL.simulations)
        fewest = Limit(simulations=min(limit.simulations or 0, simulations))
    matches = _MATCHES_PER_ROUND
    # Rather fewer uses than weaker searches: what helps these may hurt the stronger ones.
    for tried in (limit, fewest):
        for count in range(len(racers), 1, -1):
            if _ROUNDS * count * matches * probe.match(tried) <= seconds:
                return list(racers[:count]), tried
    fits = _FEW_ROUNDS * matches * probe.match(fewest) <= seconds
    return list(racers[:1]), fewest if fits else None
