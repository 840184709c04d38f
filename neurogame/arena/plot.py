"""The results of an arena as one plot: mean goals with their intervals."""

from __future__ import annotations

from pathlib import Path

from neurogame.arena.arena_result import ArenaResult
from neurogame.errors import ConfigurationError, MissingExtraError
from neurogame.files import check_output, writing

_COLOUR = "#24527a"
_INCHES_PER_ROW = 0.34


def check_plot(path: Path) -> None:
    """Check that a plot can be made, before hours of matches.

    Args:
        path: where it will be written.

    Raises:
        ConfigurationError: the file's suffix is none of .svg, .png and .pdf.
        MissingExtraError: matplotlib is not installed.
    """
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise ConfigurationError(f"--plot {path}: the file must end in .svg, .png or .pdf")
    check_output("--plot", path)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "--plot needs matplotlib; install it with: pip install 'neurogame[notebooks]'"
        ) from None


def write_plot(result: ArenaResult, path: Path) -> None:
    """Draw the mean goal of every player in every pairing.

    A pairing of two players has one row, that of the first player; one of more has a row for
    each player.

    Args:
        result: the results.
        path: an .svg, .png or .pdf file; its folder must exist.

    Raises:
        ConfigurationError: the file's suffix is another one, or it cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    check_plot(path)
    import matplotlib
    from matplotlib.figure import Figure

    rows = _rows(result)
    with matplotlib.rc_context({"svg.hashsalt": "neurogame", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 1.2 + _INCHES_PER_ROW * len(rows)), layout="constrained")
        axis = figure.subplots()
        for place, (_, mean, interval) in enumerate(rows):
            if interval is not None:
                axis.plot(interval, (place, place), color=_COLOUR, linewidth=2)
            axis.plot([mean], [place], "o", color=_COLOUR)
        axis.set_yticks(range(len(rows)), [label for label, _, _ in rows])
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.set_xlim(-2, 102)
        axis.axvline(50, color="grey", linewidth=0.8, linestyle=":")
        axis.set_xlabel("mean goal of the first-named player, 95 % interval over seeds")
        axis.set_title(f"{result.matches} matches")
        with writing(f"--plot {path}"):
            # Without the date the same results give the same file.
            figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _rows(result: ArenaResult) -> list[tuple[str, float, tuple[float, float] | None]]:
    """Return label, mean goal and interval of each row."""
    rows = []
    for pairing in result.pairings:
        players = range(len(pairing.players))
        for player in players if len(players) > 2 else players[:1]:
            others = ", ".join(pairing.players[other] for other in players if other != player)
            who = pairing.players[player] + (f" against {others}" if others else "")
            where = " ".join(filter(None, [pairing.game, pairing.limit]))
            rows.append((f"{who}\n{where}", pairing.scores[player], pairing.score_ci95[player]))
    return rows
