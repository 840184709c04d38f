"""The results of an arena as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neurogame.arena.arena_result import ArenaResult
from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.rating import RatingList
from neurogame.errors import ConfigurationError
from neurogame.padded import padded

_COLUMNS = (
    *("game", "limit", "player", "against", "matches", "distinct", "mean goal", "others' goal"),
    *("won-drawn-lost", "win rate % [95 %]", "Elo [95 %]", "LOS %"),
    *("s/move (slowest)", "per second"),
)
_LEFT = 4


def markdown(result: ArenaResult) -> str:
    """Return the results as a Markdown table, and with many players the ratings as another.

    A pairing of two players has one line, one of more has a line for each player.

    Args:
        result: the results.
    """
    rows = [row for pairing in result.pairings for row in _rows(pairing)]
    # A column that says nothing only makes lines long.
    kept = [
        place
        for place, name in enumerate(_COLUMNS)
        if name == "game" or any(row[place] not in ("", "-") for row in rows)
    ]
    columns = [_COLUMNS[place] for place in kept]
    body = [[row[place] for place in kept] for row in rows]
    left = sum(place < _LEFT for place in kept)
    parts = [_table(columns, body, left)]
    if result.ratings:
        parts.append(_ratings(result.ratings))
    notes = list(_notes(result))
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(parts) + "\n"


def leaderboard(result: ArenaResult, command: str) -> str:
    """Return a page with a row for each game, or game and limit, and a column for each player.

    Args:
        result: of three players or more.
        command: what measured it, with ``GAME`` for the game.

    Raises:
        ConfigurationError: there are no ratings.
    """
    if not result.ratings:
        raise ConfigurationError("a leaderboard needs three players or more, and finished matches")
    missing = "; interrupted, so some are missing" if result.interrupted else ""
    # The last list is that of all games, where there are several.
    players = result.ratings[-1].players
    rows = []
    for entry in result.ratings:
        place = {player: number for number, player in enumerate(entry.players)}
        cells = [_elo(entry.elo[place[one]], entry.elo_ci95[place[one]]) for one in players]
        rows.append([f"{entry.game or 'all games'} {entry.limit}".rstrip(), *cells])
    return (
        "# Leaderboard\n\nElo ratings with their 95 % intervals, mean 0 in each row, after "
        f"{result.matches:,} matches{missing}.\n\n{_table(['game', *players], rows, 1)}\n\n"
        f"A row again:\n\n```\n{command}\n```\n"
    )


def _rows(pairing: PairingResult) -> Iterator[list[str]]:
    """Return the lines of a pairing."""
    players = range(len(pairing.players))
    for player in players if len(players) > 2 else players[:1]:
        others = [other for other in players if other != player]
        low, high = pairing.win_rates_ci95[player]
        likely = pairing.superiority[player]
        yield [
            pairing.game,
            pairing.limit or "-",
            pairing.players[player],
            ", ".join(pairing.players[other] for other in others) or "-",
            str(pairing.matches),
            str(pairing.distinct_games),
            _with_interval(pairing.scores[player], pairing.score_ci95[player]),
            ", ".join(f"{pairing.scores[other]:.1f}" for other in others) or "-",
            f"{pairing.wins[player]}-{pairing.draws[player]}-{pairing.losses[player]}",
            _with_interval(100 * pairing.win_rates[player], (100 * low, 100 * high)),
            _elo(pairing.elo[player], pairing.elo_ci95[player]),
            "-" if likely is None else f"{100 * likely:.1f}",
            f"{_seconds(pairing.seconds_per_move[player])} "
            f"({_seconds(pairing.slowest_seconds[player])})",
            pairing.pace(player),
        ]


def _with_interval(value: float, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return f"{value:.1f}"
    return f"{value:.1f} [{interval[0]:.1f}, {interval[1]:.1f}]"


def _elo(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None or interval is None:
        return "-"
    return f"{value:+.0f} [{interval[0]:+.0f}, {interval[1]:+.0f}]"


def _seconds(value: float) -> str:
    return f"{value:.3f}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """Return a Markdown table, readable as it is; all but the first columns to the right."""
    lines = [[cell.replace("|", "\\|") for cell in row] for row in (columns, *rows)]
    widths = [max(3, *(len(line[place]) for line in lines)) for place in range(len(columns))]
    rule = [
        "-" * width if place < left else "-" * (width - 1) + ":"
        for place, width in enumerate(widths)
    ]
    lines.insert(1, rule)
    return "\n".join(f"| {' | '.join(line)} |" for line in padded(lines, left))


def _ratings(ratings: Sequence[RatingList]) -> str:
    """Return all rating lists as one table."""
    rows = [
        [
            entry.game or "all games",
            entry.limit or "-",
            str(place + 1),
            player,
            _elo(entry.elo[place], entry.elo_ci95[place]),
            str(entry.comparisons[place]),
        ]
        for entry in ratings
        for place, player in enumerate(entry.players)
    ]
    columns = ["game", "limit", "place", "player", "rating [95 %]", "comparisons"]
    if all(entry.limit == "" for entry in ratings):
        rows = [row[:1] + row[2:] for row in rows]
        columns.remove("limit")
    return _table(columns, rows, len(columns) - 2)


def _notes(result: ArenaResult) -> Iterator[str]:
    """Return what readers must know to trust the numbers."""
    for pairing in result.pairings:
        where = f"{pairing.game}{' ' if pairing.limit else ''}{pairing.limit}"
        title = f"{where}, {' against '.join(pairing.players)}"
        for name, what in (
            ("illegal_moves", "illegal moves, replaced"),
            ("timeouts", "moves after the play clock, replaced"),
            ("start_timeouts", "starts after the start clock"),
        ):
            for player, count in zip(pairing.players, getattr(pairing, name), strict=True):
                if count:
                    yield f"{title}: {count} {what}, by {player}"
        if pairing.unfinished:
            yield f"{title}: {pairing.unfinished} matches ended at the step limit or stuck"
        if pairing.sprt is not None:
            yield f"{title}: {pairing.sprt}"
        if pairing.matches and not pairing.balanced:
            yield f"{title}: roles were not swapped evenly, a block is incomplete"
        if pairing.distinct_games < 0.9 * pairing.matches:
            yield (
                f"{title}: {pairing.matches - pairing.distinct_games} of {pairing.matches} "
                "matches repeat another one, which the intervals of win rate and Elo reckon with; "
                "more --opening-plies help"
            )
    openings = {pairing.game: pairing.opening_note for pairing in result.pairings}
    for game, note in openings.items():
        if note:
            yield f"{game}: {note}"
