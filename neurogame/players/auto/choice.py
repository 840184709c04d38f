"""The choice of a player for a game: by its properties, and by short matches while there is time.

A plain tree search plays any game, so it is what others must beat; a trained checkpoint of the
game, where there is one, takes its place. Then those that suit the game are made, one by one, as
long as that takes no more than half of the time, and play short matches against it, all roles in
turn. One that wins by more than chance explains is taken; otherwise it stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from neurogame.players.auto.candidate import Candidate
from neurogame.players.auto.facts import GameFacts, game_facts
from neurogame.players.auto.offers import Offers
from neurogame.players.auto.pace import FEWEST, LONGEST, TrialPace
from neurogame.players.auto.school import School
from neurogame.players.auto.trial_memory import TrialMemory
from neurogame.players.player import Player
from neurogame.players.probe import probe
from neurogame.players.race import Race, Racer
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from neurogame.waiting import during

_PROBE_SHARE = 0.03
"""Share of the time for the speed of the game."""
_MAKING_SHARE = 0.6
"""Share of the time after which no further candidate is made."""
_SLOW_TO_MAKE = 2.0
"""A further candidate may take this many times as long to make as the first one."""
_SURE = 1.28
"""Standard errors by which a candidate must be ahead, in enough rounds: with what is
expected of it, two rounds' worth, one that is worse passes once in twenty to thirty times."""
_LOST = 2.0
"""Standard errors by which a candidate must have been behind not to be tried again."""
_HOPELESS = 3
"""Rounds after which a candidate that is behind may be dropped."""
_PROBED = 0.015
"""Seconds per move by which the speed of the game is measured."""


@final
@dataclass(frozen=True, kw_only=True)
class PlayerChoice:
    """Which player was chosen, and why.

    Attributes:
        name: the player string that comes closest.
        player: the player, not started.
        facts: what the game is like.
        first: the player string of the one to beat.
        racers: how the others did against the first choice.
        move_time: seconds per move in these matches; 0 if none were played.
        school: what learns on in the match; None if nothing is learned.
        notes: what else happened, one line each.
        seconds: that the choice took.
    """

    name: str
    player: Player
    facts: GameFacts
    first: str
    racers: tuple[Racer, ...]
    move_time: float
    school: School | None = None
    notes: tuple[str, ...] = field(default=())
    seconds: float

    @property
    def headline(self) -> str:
        """One line for people: what was chosen and why."""
        return f"plays {self.name} ({self._reason}; {self.seconds:.1f} s)"

    def __str__(self) -> str:
        """Return a few lines for people."""
        lines = [self.headline, str(self.facts)]
        lines += self.notes
        lines += [
            f"{racer.name} against {self.first}: {100 * racer.mean:.0f} % in "
            f"{len(racer.rounds)} rounds ({1000 * self.move_time:.0f} ms per move)"
            for racer in self.racers
        ]
        return "\n".join(lines)

    @property
    def _reason(self) -> str:
        if self.name != self.first:
            return f"it beat {self.first} in trials"
        if any(racer.rounds for racer in self.racers):
            return "nothing beat it in trials by more than chance"
        return "no time for trials" if self.first == "mcts" else "trained; no time for trials"


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
        checkpoints: of this game; what the first one holds is what others must beat.
        threads: trees that a tree search grows side by side in the match; in trials it has one.
        self_play: whether to learn by self-play, where there is time for it.
        move_time: seconds per move in the match, above 0, beyond which no search of a trial
            goes; None: nobody knows.
    """
    begun = time.monotonic()
    deadline = begun + seconds
    offers = Offers(game, seed=seed, deadline=deadline, threads=threads, self_play=self_play)
    plain = offers.plain()
    making = _SLOW_TO_MAKE * (time.monotonic() - begun)
    costs = probe(game, plain.searcher, _PROBE_SHARE * seconds, Limit(seconds=_PROBED))
    facts = game_facts(game, costs)
    trained = [offer for path in checkpoints for offer in offers.trained(path)]
    held = offers.make(trained[0]) if trained else None
    first, others = (plain, []) if held is None else (held, [plain])
    # Under the name of a checkpoint there may be another one by the next match.
    memory = TrialMemory(game) if held is None else None
    former = {} if memory is None else memory.rounds
    pace = TrialPace(costs=costs, deadline=deadline, longest=min(LONGEST, move_time or LONGEST))
    for offer in (*trained[1:], *offers.fresh(facts)):
        if time.monotonic() + making > begun + _MAKING_SHARE * seconds:
            break
        if not pace.suits(len(others) + 1):
            break
        known = Racer(name=offer.name, rounds=list(former.get(offer.name, ())))
        if known.is_behind(_SURE, FEWEST):
            offers.notes.append(f"{offer.name}: lost the trials of earlier matches")
            continue
        made = offers.make(offer)
        others += [] if made is None else [made]
    racers, trial_time = _trials(game, pace, first, others, former, seed=seed)
    if memory is not None:
        memory.keep(racers)
    better = [racer for racer in racers if racer.is_ahead(_SURE, FEWEST)]
    best = max(better, key=lambda racer: racer.bounds(_SURE)[0], default=None)
    winner = first
    if best is not None:
        winner = next(other for other in others if other.name == best.name)
    return PlayerChoice(
        name=winner.name,
        player=winner.player,
        facts=facts,
        first=first.name,
        racers=tuple(racers),
        move_time=trial_time,
        school=_school(game, offers, facts, winner, racers, plies=costs.opening_plies, seed=seed),
        notes=tuple(offers.notes),
        seconds=time.monotonic() - begun,
    )


def _school(
    game: Game,
    offers: Offers,
    facts: GameFacts,
    winner: Candidate,
    racers: list[Racer],
    *,
    plies: int,
    seed: int,
) -> School | None:
    """Return what learns on, with the search that suits what is learned; None if nothing is."""
    if offers.teaching is None:
        return None
    taught = [racer for racer in racers if racer.name in offers.taught]
    best = max(taught, key=lambda racer: racer.mean, default=None)
    search = "mcts" if best is None else best.name.partition(":")[0]

    def made() -> Candidate | None:
        learned = list(offers.learned(facts))
        same = (offer for offer in learned if offer.name.startswith(search))
        return offers.make(next(same, learned[0]))

    return School(
        game,
        offers.teaching,
        made,
        playing=winner,
        is_learned=winner.name in offers.taught,
        plies=plies,
        seed=seed,
    )


def _trials(
    game: Game,
    pace: TrialPace,
    first: Candidate,
    others: list[Candidate],
    former: Mapping[str, Sequence[float]],
    *,
    seed: int,
) -> tuple[list[Racer], float]:
    """Let the others play against the first choice; return how they did, and the move time."""
    # Making them may have taken longer than expected.
    while others and not pace.fits(len(others)):
        others.pop()
    if not others:
        return [], 0.0
    move_time = pace.move_time(len(others))
    race = Race(
        game,
        first.searcher,
        {other.name: other.searcher for other in others},
        plies=pace.costs.opening_plies,
        seed=seed,
        fewest=_HOPELESS,
        former=former,
        expected={other.name: 0.5 + other.expected - first.expected for other in others},
    )
    what = f"{game.name}: trials of {len(others)} against {first.name}"
    with during(what, max(pace.deadline - time.monotonic(), 0.0)):
        race.run(Limit(seconds=move_time), pace.deadline)
    return race.racers, move_time
