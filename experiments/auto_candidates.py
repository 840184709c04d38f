"""Whether `auto` takes the best of its candidates: in each start, all of them play.

Every cell is one start of a new `auto` player, as in ``auto_starts.py``, with clocks of one
processor core. Then plain search as it was chosen there, and both searches with what was learned in
that start, play the same two matches against `mcts` at equal time, one in each role, from an
opening of an exact length. What `auto` comes to is what the one that it has chosen does::

    NUMBA_CACHE_DIR=runs/code python experiments/auto_candidates.py GAMES --out runs/candidates
    python experiments/auto_candidates.py --report --out runs/candidates
    python experiments/auto_candidates.py GAMES --start 12 --no-matches --out runs/chosen

So `auto` and every candidate have the same starts, openings and weights, and differences between
them are those of the choice alone.
"""

from __future__ import annotations

import argparse
from typing import Any

from auto_starts import PLIES, add_arguments, count_processor_seconds, finished
from cells import Cells, progress

from neurogame.intervals import paired_interval
from neurogame.players.auto import choice
from neurogame.players.auto.auto_player import AutoPlayer
from neurogame.players.auto.candidate import Candidate
from neurogame.players.auto.facts import SEARCHES
from neurogame.players.auto.offers import _ADVANTAGES, Offers
from neurogame.players.match import play_match
from neurogame.players.match_settings import CLOCK_SHARE, MatchSettings
from neurogame.players.players import make_player
from neurogame.players.spec import PlayerSpec
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.openings import Openings
from neurogame.simulate.game import Game

_PLAIN = "plain"


def _kind(name: str) -> str:
    """Return the kind of candidate that a player string tells."""
    return name.partition(":")[0] if "refine=" in name else _PLAIN


def cell(game: Game, start: float, seconds: float, seed: int, *, matches: bool) -> dict[str, Any]:
    """Return one start, and two matches of each candidate.

    Args:
        game: of two roles.
        start: clock, in seconds.
        seconds: for a move of every player.
        seed: of the start and the opening.
        matches: whether they play; else only the choice is told.
    """
    made: list[Offers] = []

    def recorded(*args: Any, **options: Any) -> Offers:
        made.append(Offers(*args, **options))
        return made[-1]

    vars(choice)["Offers"] = recorded
    auto, limit = AutoPlayer(PlayerSpec.parse("auto")), Limit(seconds=seconds)
    auto.start(MatchStart(game, game.players[0], seed, CLOCK_SHARE * start, limit))
    auto.stop()
    offers, chosen = made[0], auto.choice
    assert chosen is not None
    use = next(use for use, lost in _ADVANTAGES.items() if lost == offers.advantage)
    candidates: list[Candidate] = [offers.plain(use), *offers.taught(chosen.facts.searches)]
    opening, settings = Openings(game, PLIES, seed)[0], MatchSettings(limit=limit)
    points: dict[str, list[float]] = {}
    for candidate in candidates if matches else ():
        progress(f"  {candidate.name}")
        # Against itself it has half, whatever few matches come to.
        won = [0.5, 0.5] if candidate.name == "mcts" else []
        for place, role in enumerate(game.players if not won else ()):
            players = [make_player("mcts"), make_player("mcts")]
            players[place] = candidate.player
            record = play_match(game, players, seed=seed, settings=settings, opening=opening)
            won.append(0.5 + (record.goals[role] - record.goals[game.players[1 - place]]) / 200)
        points[_kind(candidate.name)] = won
    report = auto.report.splitlines()
    return {
        "game": game.name,
        "start": start,
        "seconds": seconds,
        "plain": candidates[0].name,
        "chosen": _kind(chosen.name),
        "report": report,
        "learned": auto.learned,
        "points": points,
    }


def report(cells: Cells) -> str:
    """Return the table of all finished cells."""
    groups: dict[tuple[str, float, float], list[dict[str, Any]]] = {}
    chosen: dict[tuple[float, float], list[str]] = {}
    for one in cells.all():
        chosen.setdefault((one["start"], one["seconds"]), []).append(one["chosen"])
        if one["points"]:
            groups.setdefault((one["game"], one["start"], one["seconds"]), []).append(one)
    kinds = (_PLAIN, *SEARCHES)
    lines = [
        "| game | start, move | starts | learned | `auto` | "
        + " | ".join(f"{kind} (chosen)" for kind in kinds)
        + " | `auto` less the best |",
        "|---|---|--:|--:|" + "--:|" * (len(kinds) + 2),
    ]
    for (name, start, seconds), rows in sorted(groups.items()):
        scores = {
            kind: [one["points"][kind] for one in rows if kind in one["points"]] for kind in kinds
        }
        scores = {kind: won for kind, won in scores.items() if len(won) == len(rows)}
        means = {kind: sum(map(sum, won)) / 2 / len(won) for kind, won in scores.items()}
        best = max(means, key=lambda kind: means[kind])
        auto = [one["points"][one["chosen"]] for one in rows]
        less = [
            [0.5 + (a - b) / 2 for a, b in zip(mine, one["points"][best], strict=True)]
            for mine, one in zip(auto, rows, strict=True)
        ]
        low, high = (100 * bound for bound in paired_interval(auto))
        worst, least = (100 * (2 * bound - 1) for bound in paired_interval(less))
        columns = [
            f"{100 * means[kind]:.0f} ({sum(one['chosen'] == kind for one in rows)})"
            if kind in means
            else "–"
            for kind in kinds
        ]
        mean = sum(map(sum, auto)) / 2 / len(auto)
        lines.append(
            f"| {name} | {start:g}, {seconds:g} | {len(rows)} | "
            f"{sum(one['learned'] for one in rows) / len(rows):.0f} s | "
            f"{100 * mean:.0f} [{low:.0f}, {high:.0f}] | "
            + " | ".join(columns)
            + f" | {100 * (mean - means[best]):+.0f} [{worst:+.0f}, {least:+.0f}] |"
        )
    for (start, seconds), names in sorted(chosen.items()):
        tally = ", ".join(f"{kind} {names.count(kind)}" for kind in kinds)
        lines.append(f"{len(names)} starts of {start:g} s, {seconds:g} s a move: {tally}")
    return "\n".join(lines)


def main() -> None:
    """Play what is missing and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_arguments(parser, seconds=0.4)
    parser.add_argument("--no-matches", action="store_true", help="only choose")
    options = parser.parse_args()
    if not options.report:
        count_processor_seconds()

    def make(game: Game, seed: int) -> dict[str, Any]:
        return cell(game, options.start, options.seconds, seed, matches=not options.no_matches)

    print(report(finished(options, make)))


if __name__ == "__main__":
    main()
