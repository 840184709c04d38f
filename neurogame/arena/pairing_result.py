"""What became of the matches between given players."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, final

from neurogame.arena.sprt import SprtState

_FIRST = {
    "wins": "wins",
    "draws": "draws",
    "losses": "losses",
    "win_rates": "win_rate",
    "win_rates_ci95": "ci95",
    "elo": "elo",
    "elo_ci95": "elo_ci95",
    "superiority": "superiority",
}


@final
@dataclass(frozen=True, kw_only=True)
class PairingResult:
    """Who won how often. Per-player entries are in the order in which the players were named.

    A player wins if its goal is the only highest one, draws if it shares the highest, and loses
    otherwise. In games with one role the goals of all players at the same seed are compared; a
    player alone wins by a goal of 100 and loses otherwise.

    Attributes:
        game: name of the game.
        limit: text of the common limit.
        players: player strings.
        seed: seed of all matches.
        matches: matches of each player.
        scores: mean goal of each player, 0..100.
        score_ci95: 95 % interval of each mean goal, by Student's t over blocks of matches with
            a common seed; None for fewer than two complete blocks, or if all are alike.
        score_normal_ci95: the same as papers give it, mean and 1.96 standard errors of single
            matches; None for fewer than two.
        wins: matches won, per player.
        draws: matches drawn, per player.
        losses: matches lost, per player.
        win_rates: (wins + draws / 2) / matches, per player, 0..1.
        win_rates_ci95: 95 % interval of each win rate, 0..1, over blocks, see
            :func:`neurogame.intervals.paired_interval`; blocks that repeat others do not count.
        elo: Elo difference of each player to the others, as in
            :func:`neurogame.arena.strength.strength`; against several others a match brings
            the mean of the points against each. None for a player alone or without matches.
        elo_ci95: its 95 % interval, over blocks.
        superiority: likelihood that each player is stronger than the others, 0..1, over blocks.
        role_scores: mean goal of each player in each role it played, ``[player][role]``; None
            where it never did.
        illegal_moves: per player.
        timeouts: per player.
        start_timeouts: per player.
        distinct_games: number of different matches: by who sat where and all joint moves.
        openings: number of different openings.
        opening_note: what readers must know about the openings; empty if that is nothing.
        mean_length: joint moves per match.
        unfinished: matches that ended at the step limit or stuck.
        balanced: whether every player played every role equally often.
        seconds_per_move: mean thinking time of each player for a move that it was asked for.
        slowest_seconds: the longest time each player thought about a move.
        seconds_per_match: mean thinking time of each player in a match.
        work: what each player's searches did in all matches; see
            :attr:`neurogame.search.result.SearchResult.work`. Empty for who does not search.
        sprt: how the sequential test ended, or None without one.
        interrupted: whether it ended before its time.
    """

    game: str
    limit: str
    players: tuple[str, ...]
    seed: int
    matches: int
    scores: tuple[float, ...]
    score_ci95: tuple[tuple[float, float] | None, ...]
    score_normal_ci95: tuple[tuple[float, float] | None, ...]
    wins: tuple[int, ...]
    draws: tuple[int, ...]
    losses: tuple[int, ...]
    win_rates: tuple[float, ...]
    win_rates_ci95: tuple[tuple[float, float], ...]
    elo: tuple[float | None, ...]
    elo_ci95: tuple[tuple[float, float] | None, ...]
    superiority: tuple[float | None, ...]
    role_scores: tuple[tuple[float | None, ...], ...]
    illegal_moves: tuple[int, ...]
    timeouts: tuple[int, ...]
    start_timeouts: tuple[int, ...]
    distinct_games: int
    openings: int
    opening_note: str
    mean_length: float
    unfinished: int
    balanced: bool
    seconds_per_move: tuple[float, ...]
    slowest_seconds: tuple[float, ...]
    seconds_per_match: tuple[float, ...]
    work: tuple[dict[str, float], ...]
    sprt: SprtState | None
    interrupted: bool

    def pace(self, player: int) -> str:
        """Return how fast a player searched, as text; empty where it did not.

        Args:
            player: which one.

        Returns:
            Simulations a second, or nodes where there are none, how many times those of the
            others, and what judges of moves took: share of the time, and moves a second.
        """
        work = self.work[player]
        unit = next((unit for unit in ("simulations", "nodes") if work.get(unit)), None)
        if unit is None:
            return ""
        speed = [one.get(unit, 0.0) / one["search_seconds"] if one else 0.0 for one in self.work]
        others = [other for number, other in enumerate(speed) if number != player and other]
        text = f"{speed[player]:,.0f} {unit}"
        if others:
            text += f" ({speed[player] * len(others) / sum(others):.2f} ×)"
        if work.get("moves_judged"):
            seconds, share = work["search_seconds"], work["judge_seconds"]
            judged = work["moves_judged"] / seconds
            text += f", {judged:,.0f} moves judged ({100 * share / seconds:.0f} % of the time)"
        return text

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able values.

        ``wins``, ``draws``, ``losses``, ``win_rate``, ``ci95`` (the interval of the win
        rate, 0..1), ``elo``, ``elo_ci95`` and ``superiority`` are those of the first player;
        ``per_player`` has them for everybody.
        """
        values = asdict(self)
        everybody = {name: values.pop(name) for name in _FIRST}
        values |= {short: everybody[name][0] for name, short in _FIRST.items()}
        values["per_player"] = everybody
        return values

    def __str__(self) -> str:
        """Return a summary for people."""
        if not self.matches:
            return "no match was finished"
        begun = f", from {self.openings} openings" if self.openings > 1 else ""
        lines = [f"{self.game}: {self.matches} matches, {self.distinct_games} distinct{begun}"]
        width = max(len(name) for name in self.players)
        for index, name in enumerate(self.players):
            low, high = self.win_rates_ci95[index]
            lines.append(
                f"  {name:{width}s}  mean goal {self.scores[index]:6.2f}   "
                f"{self.wins[index]} won, {self.draws[index]} drawn, {self.losses[index]} lost   "
                f"win rate {100 * self.win_rates[index]:.1f} % "
                f"(95 %: {100 * low:.1f} to {100 * high:.1f})"
            )
        elo, bounds, likely = self.elo[0], self.elo_ci95[0], self.superiority[0]
        if elo is not None and bounds is not None and likely is not None:
            lines.append(
                f"  {self.players[0]} against the rest: Elo {elo:+.0f} (95 %: {bounds[0]:+.0f} to "
                f"{bounds[1]:+.0f}), likelihood of superiority {100 * likely:.1f} %"
            )
        for index, name in enumerate(self.players):
            if pace := self.pace(index):
                lines.append(f"  {name:{width}s}  per second: {pace}")
        faults = {
            "illegal moves": sum(self.illegal_moves),
            "timeouts": sum(self.timeouts),
            "late starts": sum(self.start_timeouts),
            "unfinished": self.unfinished,
        }
        for what, count in faults.items():
            if count:
                lines.append(f"  {what}: {count}")
        if self.opening_note:
            lines.append(f"  {self.opening_note}")
        if not self.balanced:
            lines.append("  roles were not swapped evenly: a block is incomplete")
        return "\n".join(lines)
