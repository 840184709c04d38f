"""The strength of a run's releases as a table, and whether it still rises, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurogame.arena.exact_positions import ValueKept
from neurogame.arena.forecasts import Forecasts
from neurogame.arena.release_strength import ReleaseStrength
from neurogame.arena.run_head import thirds
from neurogame.arena.yardstick import MCTS
from neurogame.learn.comparison import Comparison

NOTHING_RELEASED = "nothing learned has beaten the untrained networks: these are saved, and play"
_TELLING = 20
"""Matches of which a share says something."""


def strength_table(releases: Sequence[ReleaseStrength]) -> str:
    """Return releases and their strength as lines of text, a column for what is known of any."""
    columns = {
        "against untrained": [
            _cell(one.untrained) or "(untrained)" * (one.mcts is not None) for one in releases
        ],
        f"against {MCTS}": [_cell(one.mcts) for one in releases],
        "keeps the exact value": [_exact(one.exact) for one in releases],
        "forecasts: nats (off by)": [_foreseen(one.forecasts) for one in releases],
    }
    seconds = ["seconds", *(f"{one.seconds:.0f}" for one in releases)]
    known = [[name, *cells] for name, cells in columns.items() if any(cells)]
    rows = zip(*([f"{cell or '–':<26}" for cell in cells] for cells in known), strict=True)
    return "\n".join(
        f"{second:>8}  {'  '.join(row).rstrip()}" for second, row in zip(seconds, rows, strict=True)
    )


def still_rises(candidates: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence that says whether learning still gains anything; none without a candidate.

    A gain is a candidate that has beaten the last release beyond the 95 % interval of its matches.

    Args:
        candidates: rows of ``evaluations.jsonl``, in order.
    """
    if not candidates:
        return ""
    last, gains = candidates[-1], [row for row in candidates if row["low"] > 0.5]
    if not last["matches"]:
        why = "; released for how they predict outcomes" if last.get("released") else ""
        return f"no match of the last weights was finished in time{why}: train for longer"
    score = f"{100 * last['score']:.0f} % [{100 * last['low']:.0f}, {100 * last['high']:.0f}]"
    if gains and gains[-1] is last:
        return (
            f"still rising: the weights after {last['seconds']:.0f} s take {score} from those "
            f"after {last['against']:.0f} s"
        )
    since = f"flat since {gains[-1]['seconds']:.0f} s" if gains else "no gain is certain"
    return (
        f"{since}: the last weights take {score} of {last['matches']} matches from those after "
        f"{last['against']:.0f} s"
    )


def strength_sentence(releases: Sequence[ReleaseStrength]) -> str:
    """Return in words what the last release that was measured is worth; empty if nothing is known.

    The untrained networks, of second 0, are no release.
    """
    if not releases or releases[-1].seconds == 0:
        return ""
    said, last = [], releases[-1]
    if last.mcts is not None and last.mcts.matches >= _TELLING:
        said.append(f"takes {100 * last.mcts.score:.0f} of 100 points from {MCTS}")
    if last.exact is not None:
        share = 100 * last.exact.share
        said.append(f"gets {share:.0f} of 100 moves that matter right, one ply ahead")
    if last.forecasts is not None:
        found = last.forecasts
        said.append(
            f"forecasts the beginning, middle and end of games with {thirds(found.loss)} nats (a "
            f"blind guess: {found.blind:.2f}), off by {100 * found.off:.0f} %"
        )
    return f"the release after {last.seconds:.0f} s {' and '.join(said)}" if said else ""


def _cell(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    if not comparison.matches:
        return "no match was finished"
    return _share(comparison.score, comparison.low, comparison.high, comparison.matches)


def _exact(kept: ValueKept | None) -> str:
    return "" if kept is None else _share(kept.share, *kept.interval, kept.positions)


def _foreseen(found: Forecasts | None) -> str:
    return "" if found is None else f"{thirds(found.loss)} ({100 * found.off:.0f} %)"


def _share(share: float, low: float, high: float, count: int) -> str:
    return f"{100 * share:5.1f} % [{100 * low:3.0f}, {100 * high:3.0f}] of {count}"
