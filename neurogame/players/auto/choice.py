"""The choice of a player for a game: by what is expected of it, and by short matches on top.

A plain tree search plays any game. What was learned, by a run of training or in the time that
there is now, is expected to play better, unless learning itself says that it was in vain; so
matches are evidence only, which end when they have decided, and what time they leave goes into
learning. See :mod:`neurogame.players.belief`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from neurogame.players.auto.candidate import Candidate
from neurogame.players.auto.facts import GameFacts, game_facts
from neurogame.players.auto.offers import Offers
from neurogame.players.auto.school import School
from neurogame.players.belief import NOTHING_LEARNED, best_believed
from neurogame.players.gate.uses import ALL_MOVES_USE, DECISIVE_USE
from neurogame.players.player import Player
from neurogame.players.probe import Probe, probe
from neurogame.players.race import MATCHES_PER_ROUND, Race, Racer, doublings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from neurogame.waiting import during

_PROBE_SHARE = 0.015
"""Share of the time for the speed of the game."""
_PROBED = 0.015
"""Seconds per move by which that is measured."""
_MOST_MOVES = 40
"""Legal moves at a choice, on average, beyond which playouts should not decide: with 38 and fewer
they won more matches in nine games and as many in six, with 48 (qubic) 23 % of them."""
_FEW = 1000
"""Simulations for each of more first moves than that, below which what moves come to anywhere in
playouts tells more: with 70 to 400 that took 56 to 94 % of the matches of four games, with 1,000 to
6,000 34 to 50 %; with fewer first moves 40 % in chess, which had 100."""
_LEARNING_SHARE = 0.9
"""Share of the time left that goes into learning and then into trials."""
_TRIAL_SHARE, _MOST_TRIAL_SHARE = 0.1, 0.2
"""Share of all the time that trials may take, and the most where matches are so long that otherwise
there would be no round: one that is lost is enough to leave what was learned."""
_ROUNDS, _MOST_ROUNDS = 3, 12
"""Rounds that should fit that time, but for such matches, and beyond which there are none: the
doubt that is left is about the time per move."""
_LONGER = 1.2
"""How much longer a match may take than the one that was measured."""
_SHORTEST, _LONGEST = 0.004, 0.25
"""Seconds per move in trials."""
_VISITS = 30
"""Simulations for each legal move that plain search has in a trial, at least, at three of four
choices: with three to eight in hex and amazons it lost most rounds to values against which it won
all matches at 0.4 s."""
_USUAL_MOVE = 1.0
"""Seconds per move in a match of which nobody knows them."""


@final
@dataclass(frozen=True, kw_only=True)
class PlayerChoice:
    """Which player was chosen, and why.

    Attributes:
        name: the player string that comes closest.
        player: who was chosen, not started.
        facts: what the game is like.
        racers: what was expected of the others than plain search, what trials showed, and what is
            believed of them.
        move_time: seconds per move in trials; 0 if there were none.
        school: what learns on; None if nothing is learned.
        notes: what else happened, one line each.
        seconds: that the choice took.
    """

    name: str
    player: Player
    facts: GameFacts
    racers: tuple[Racer, ...]
    move_time: float
    school: School | None
    notes: tuple[str, ...]
    seconds: float

    @property
    def headline(self) -> str:
        """One line for people: what was chosen and why."""
        why = [str(racer) for racer in self.racers] or ["nothing was learned"]
        return f"plays {self.name} ({'; '.join(why)}; {self.seconds:.1f} s)"

    def __str__(self) -> str:
        """Return a few lines for people."""
        trials = f"trials at {1000 * self.move_time:.0f} ms per move"
        return "\n".join(
            [self.headline, str(self.facts), *self.notes, *([trials] if self.move_time else [])]
        )


def choose_player(
    game: Game,
    *,
    seconds: float,
    seed: int,
    checkpoints: Sequence[Path] = (),
    threads: int = 1,
    self_play: bool = True,
    move_time: float | None = None,
) -> PlayerChoice:
    """Choose a player for a game.

    Args:
        game: the game.
        seconds: time for it, above 0; a plain tree search is made even if that takes longer.
        seed: decides everything but what depends on time.
        checkpoints: of this game; where one can be used nothing is learned.
        threads: trees that a tree search grows side by side in the match; in trials it has one.
        self_play: whether to learn by self-play, where there is time for it.
        move_time: seconds per move in the match, above 0; None: nobody knows.
    """
    begun = time.monotonic()
    deadline = begun + seconds
    offers = Offers(game, seed=seed, threads=threads)
    use = offers.affordable(seconds, DECISIVE_USE)
    plain = offers.plain(use)
    costs = probe(game, plain.searcher, _PROBE_SHARE * seconds, Limit(seconds=_PROBED))
    move_time = move_time or _USUAL_MOVE
    first_moves = max(map(len, game.initial_state().legal_moves))
    better = "" if costs.branching > _MOST_MOVES else use
    if first_moves > _MOST_MOVES and move_time < _FEW * first_moves * costs.simulation:
        better = offers.affordable(seconds, ALL_MOVES_USE)
    if better != use:
        plain = offers.plain(better)
        costs = probe(game, plain.searcher, _PROBE_SHARE * seconds, Limit(seconds=_PROBED))
    facts = game_facts(game, costs)
    kinds = facts.searches
    candidates = offers.trained(checkpoints, kinds)
    least = min(max(_SHORTEST, _VISITS * costs.visit), move_time)
    least_round = _LONGER * MATCHES_PER_ROUND * costs.match(Limit(seconds=least))
    trial_time = max(_TRIAL_SHARE * seconds, least_round)
    if trial_time > _MOST_TRIAL_SHARE * seconds:
        trial_time = 0.0
    if self_play and not candidates:
        offers.learn(_LEARNING_SHARE * (deadline - time.monotonic()) - trial_time)
    making = time.monotonic()
    candidates = candidates or offers.taught(kinds)
    making = time.monotonic() - making
    racers, tried = _trials(
        game,
        plain,
        candidates,
        costs,
        until=min(time.monotonic() + trial_time, deadline),
        least=least,
        seed=seed,
        move_time=move_time,
    )
    best = best_believed(racers)
    winner = next((one for one in candidates if best and one.name == best.name), plain)
    school = None
    if offers.begun is not None:
        learned = best or max(racers, key=lambda racer: racer.belief.mean, default=None)
        kind = kinds[0] if learned is None else learned.name.partition(":")[0]
        doubted = NOTHING_LEARNED if learned is None else learned.belief
        school = School(
            game,
            lambda: offers.teaching,
            lambda: offers.taught([kind])[0],
            playing=winner,
            learned=None if best is not None else doubted,
            making=making / max(len(candidates), 1),
            plies=costs.opening_plies,
            move_time=move_time,
            seed=seed,
        )
    return PlayerChoice(
        name=winner.name,
        player=winner.player,
        facts=facts,
        racers=tuple(racers),
        move_time=tried,
        school=school,
        notes=tuple(offers.notes),
        seconds=time.monotonic() - begun,
    )


def _trials(
    game: Game,
    plain: Candidate,
    candidates: Sequence[Candidate],
    costs: Probe,
    *,
    until: float,
    least: float,
    seed: int,
    move_time: float,
) -> tuple[list[Racer], float]:
    """Let candidates play against plain search; return how they did, and the seconds per move.

    Args:
        game: the game.
        plain: the search to beat.
        candidates: those who run.
        costs: of a match.
        until: when to end, as ``time.monotonic`` tells it.
        least: seconds per move below which trials say nothing.
        seed: decides the openings.
        move_time: seconds per move in the match.
    """
    left = until - time.monotonic()
    for rounds in (_ROUNDS + len(candidates) - 1, _ROUNDS, 1) if candidates else ():
        fitting = (left / (MATCHES_PER_ROUND * rounds) - costs.overhead) / max(costs.choices, 1)
        seconds = min(fitting, least if rounds == 1 else min(_LONGEST, move_time))
        if seconds >= least:
            break
    else:
        return [Racer(name=one.name, prior=one.belief) for one in candidates], 0.0
    limit = Limit(seconds=seconds)
    race = Race(
        game,
        plain.searcher,
        {one.name: one.searcher for one in candidates},
        plies=costs.opening_plies,
        seed=seed,
        priors={one.name: one.belief for one in candidates},
        doublings=doublings(limit, Limit(seconds=move_time)),
    )
    with during(f"{game.name}: trials against mcts", max(left, 0.0)):
        race.run(limit, until, _MOST_ROUNDS)
    return race.racers, seconds
