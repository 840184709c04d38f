"""The crosstable of an arena: which matches are played, and how every pairing stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, final

from neurogame.arena.arena_result import ArenaResult
from neurogame.arena.rating import PairedComparison, RatingList, rating_list
from neurogame.arena.schedule import Slot, pairings, slots
from neurogame.arena.settings import ArenaSettings
from neurogame.arena.tally import PairingTally
from neurogame.players.record import MatchRecord

_SHORT = 20

Key: TypeAlias = tuple[int, int, tuple[int, ...], int, int]
"""Game, limit, lineup, block and number of a match."""


def slot_key(slot: Slot) -> Key:
    """Return what names a match within an arena."""
    return slot.game, slot.limit, slot.lineup, slot.block, slot.number


@final
class Crosstable:
    """All pairings of an arena, with the matches played so far."""

    def __init__(
        self,
        settings: ArenaSettings,
        names: Sequence[str],
        roles: Sequence[int],
        best: Sequence[float] | None = None,
    ) -> None:
        """Start with no match.

        Args:
            settings: what is measured.
            names: name of each game.
            roles: number of roles of each game.
            best: highest goal of each game; None: 100.
        """
        self._settings = settings
        self._names = tuple(names)
        self._roles = tuple(roles)
        self._played: set[Key] = set()
        self._tallies = {
            (game, limit): [
                PairingTally(
                    pairing,
                    count,
                    settings.matches,
                    settings.sprt,
                    best=100 if best is None else best[game],
                )
                for pairing in pairings(len(settings.players), count)
            ]
            for game, count in enumerate(self._roles)
            for limit in range(len(settings.limits))
        }

    def add(self, slot: Slot, record: MatchRecord) -> list[PairingTally]:
        """Add a match; one that was added before is ignored.

        Args:
            slot: its place in the plan.
            record: what happened.

        Returns:
            The pairings that it concerns.
        """
        if slot_key(slot) in self._played:
            return []
        self._played.add(slot_key(slot))
        concerned = self._concerned(slot)
        for tally in concerned:
            tally.add(slot, record)
        return concerned

    def open_slots(self) -> Iterator[Slot]:
        """Yield the matches that are neither played nor needless, game after game.

        Whether a match is needless, because tests have decided all pairings that it concerns,
        is asked when its turn has come.
        """
        for slot in self.all_slots():
            decided = all(tally.decided for tally in self._concerned(slot))
            if not decided and slot_key(slot) not in self._played:
                yield slot

    def all_slots(self) -> Iterator[Slot]:
        """Yield all matches of the plan."""
        chosen = self._settings
        for game, limit in self._tallies:
            yield from slots(
                len(chosen.players),
                self._roles[game],
                chosen.matches,
                chosen.seed,
                game=game,
                limit=limit,
            )

    def title(self, slot: Slot) -> str:
        """Return the game and limit of a match as text."""
        limit = str(self._settings.limits[slot.limit])
        return " ".join(filter(None, [self._names[slot.game], limit]))

    def standing(self, slot: Slot) -> str:
        """Return how the first pairing that a match concerns stands, as a short text."""
        tally = self._concerned(slot)[0]
        if len(self._tallies[slot.game, slot.limit]) == 1:
            return tally.progress()
        labels = self._settings.labels
        names = " : ".join(labels[player][:_SHORT] for player in tally.players)
        return f"{names} {tally.progress()}"

    def result(self, opening_note: Callable[[int, int, int], str] = lambda *_: "") -> ArenaResult:
        """Add everything up.

        Args:
            opening_note: what to say about the openings, by number of the game, their plies and
                how many were wanted.
        """
        chosen, labels = self._settings, self._settings.labels
        pairings = [
            tally.result(
                self._names[game],
                str(chosen.limits[limit]),
                [labels[player] for player in tally.players],
                chosen.seed,
                opening_note=opening_note(game, self._plies(game), tally.blocks),
            )
            for (game, limit), tallies in self._tallies.items()
            for tally in tallies
        ]
        return ArenaResult(
            games=self._names,
            limits=tuple(map(str, chosen.limits)),
            labels=labels,
            seed=chosen.seed,
            opening_plies=tuple(map(self._plies, range(len(self._roles)))),
            pairings=tuple(pairings),
            ratings=tuple(self._ratings()),
            interrupted=any(result.interrupted for result in pairings),
        )

    def _plies(self, game: int) -> int:
        """Return the random plies at the start of the matches of a game."""
        chosen = self._settings
        return chosen.match_settings(chosen.limits[0], self._roles[game]).opening_plies

    def _ratings(self) -> Iterator[RatingList]:
        """Yield a rating list per game and limit, and of all games; for three players and more."""
        labels, limits = self._settings.labels, self._settings.limits
        if len(labels) < 3:
            return
        everything: dict[int, list[PairedComparison]] = {
            number: [] for number in range(len(limits))
        }
        for (game, limit), tallies in self._tallies.items():
            comparisons = [
                PairedComparison((game, entry.cluster), entry.first, entry.second, entry.points)
                for tally in tallies
                for entry in tally.comparisons()
            ]
            everything[limit] += comparisons
            if comparisons:
                yield rating_list(
                    labels, comparisons, game=self._names[game], limit=str(limits[limit])
                )
        for limit, comparisons in everything.items():
            if comparisons and len(self._names) > 1:
                yield rating_list(labels, comparisons, limit=str(limits[limit]))

    def _concerned(self, slot: Slot) -> list[PairingTally]:
        """Return the pairings that a match concerns."""
        tallies = self._tallies[slot.game, slot.limit]
        return [tally for tally in tallies if set(slot.lineup) <= set(tally.players)]
