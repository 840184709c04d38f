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

from neurogame.kernels.leaves.move_scores import MoveJudge
from neurogame.play.gate.evidence import Evidence, measure_evidence
from neurogame.play.gate.race import Race, Racer
from neurogame.search.limit import Limit
from neurogame.search.mcts import Mcts
from neurogame.search.mcts_settings import MctsSettings
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out

GATED = "gated"

_PLAYOUTS: dict[str, dict[str, Any]] = {
    "action": {"playout": "action"},
    "action with MAST": {"playout": "action", "blend": 0.5, "tau": 5.0},
}
_TREES: dict[str, dict[str, Any]] = {"action": {"tree": "action"}}
_PLAIN: dict[str, Any] = {"playout": "uniform", "tree": "uct"}
_SURE = 1.96
"""Standard errors by which a use must be ahead."""
_SIMULATIONS = 200, 24
"""Simulations per move of the matches: wanted, and fewest."""
_ROUNDS = 16
"""Rounds of each use that should fit the time."""
_PROBE = 16
"""Simulations by which the speed of the game is measured."""


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
    timed: bool = False,
) -> GateReport:
    """Decide how to use the action heuristic where the settings say ``gated``.

    Args:
        game: the game.
        settings: ``playout``, ``tree`` or both are ``gated``.
        judges: holds ``action`` if there is such a heuristic for the game.
        seed: decides everything but what depends on time.
        seconds: time to decide, at least 0; compiling comes on top at the first use.
        timed: whether matches are to be played at equal time per move, as where searches are
            limited by seconds; otherwise at equal numbers of simulations.
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
    limit = None
    if racers:
        race = Race(game, plain, racers, judges, seed=seed, z=_SURE)
        limit = _limit(game, plain, seconds, len(racers), timed, seed)
        race.run(limit, time.monotonic() + seconds)
    best = max(racers, key=lambda racer: racer.bounds(_SURE)[0], default=None)
    if best is not None and best.bounds(_SURE)[0] <= 0.5:
        best = None
    return GateReport(
        settings=plain if best is None else best.settings,
        chosen="off" if best is None else best.name,
        evidence=evidence,
        limit=limit,
        racers=tuple(racers),
        seconds=time.monotonic() - begun,
    )


def _racers(settings: MctsSettings, plain: MctsSettings) -> list[Racer]:
    """Return all uses that the settings leave open, but for none."""
    trees: dict[str, dict[str, Any]] = {"": {}, **(_TREES if settings.tree == GATED else {})}
    playouts: dict[str, dict[str, Any]] = {
        "": {},
        **(_PLAYOUTS if settings.playout == GATED else {}),
    }
    found = []
    for tree, of_tree in trees.items():
        for playout, of_playout in playouts.items():
            if tree or playout:
                parts = [f"tree {tree}" if tree else "", f"playouts {playout}" if playout else ""]
                name = " and ".join(part for part in parts if part)
                found.append(Racer(name=name, settings=replace(plain, **of_tree, **of_playout)))
    return found


def _limit(
    game: Game, plain: MctsSettings, seconds: float, racers: int, timed: bool, seed: int
) -> Limit:
    """Return a limit of searches with which enough rounds fit the time."""
    search = Mcts(game, settings=replace(plain, capacity=1 << 12, threads=1), seed=seed)
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
        if time.monotonic() - begun > 0.1 * seconds + 0.1:
            break
    overhead = time.monotonic() - begun - spent
    # Of a long match only the beginning was played.
    usual = float(play_out(game.simulator(), 64, seed).lengths.double().mean())
    matches = _ROUNDS * racers * len(game.roles) * max(usual / max(plies, 1), 1.0)
    each = max(seconds / matches - overhead, 0.0) / max(choices, 1)
    if timed:
        return Limit(seconds=min(max(each, 1e-3), 0.05))
    wanted, fewest = _SIMULATIONS
    return Limit(
        simulations=int(min(max(each * _PROBE * choices / max(spent, 1e-9), fewest), wanted))
    )
