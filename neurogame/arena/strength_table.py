"""The strength of a run's releases as a table, and whether it still rises, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurogame.arena.exact_positions import ValueKept
from neurogame.arena.release_strength import ReleaseStrength
from neurogame.arena.yardstick import MCTS
from neurogame.learn.comparison import Comparison

NOTHING_RELEASED = "nothing learned has beaten the untrained networks: these are saved, and play"
_TELLING = 20
"""Matches of which a share says something."""


def strength_table(releases: Sequence[ReleaseStrength]) -> str:
    """Return releases and their strength as lines of text; exact values where some are known."""
    exact = any(one.exact for one in releases)
    names = ["against untrained", f"against {MCTS}", *(["keeps the exact value"] if exact else [])]
    lines = [f"{'seconds':>8}  " + "  ".join(f"{name:<26}" for name in names).rstrip()]
    for one in releases:
        cells = ["(untrained)" if one.untrained is None else _cell(one.untrained), _cell(one.mcts)]
        if exact:
            cells.append(_exact(one.exact))
        row = "  ".join(f"{cell:<26}" for cell in cells)
        lines.append(f"{one.seconds:>8.0f}  {row.rstrip()}")
    return "\n".join(lines)


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
    if last.mcts.matches >= _TELLING:
        said.append(f"takes {100 * last.mcts.score:.0f} of 100 points from {MCTS}")
    if last.exact is not None:
        share = 100 * last.exact.share
        said.append(f"gets {share:.0f} of 100 moves that matter right, one ply ahead")
    return f"the release after {last.seconds:.0f} s {' and '.join(said)}" if said else ""


def _cell(comparison: Comparison) -> str:
    if not comparison.matches:
        return "no match was finished"
    return _share(comparison.score, comparison.low, comparison.high, comparison.matches)


def _exact(kept: ValueKept | None) -> str:
    return "(unknown)" if kept is None else _share(kept.share, *kept.interval, kept.positions)


def _share(share: float, low: float, high: float, count: int) -> str:
    return f"{100 * share:5.1f} % [{100 * low:3.0f}, {100 * high:3.0f}] of {count}"
