"""The strength of a run's releases as a table and a plot, and whether it still rises, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurogame.arena.release_strength import ReleaseStrength
from neurogame.arena.yardstick import MCTS
from neurogame.learn.comparison import Comparison


def strength_table(releases: Sequence[ReleaseStrength]) -> str:
    """Return releases and their strength as lines of text, with a bar for each."""
    lines = [
        f"{'seconds':>8}  {'against untrained':<26}  {'against ' + MCTS:<26}",
    ]
    for one in releases:
        untrained = _cell(one.untrained) if one.untrained is not None else "(untrained)"
        bar = "#" * round(20 * one.mcts.score) if one.mcts.matches else ""
        lines.append(f"{one.seconds:>8.0f}  {untrained:<26}  {_cell(one.mcts):<26}  |{bar:<20}|")
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
        return "no match of the last weights was finished in time: train for longer"
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


def _cell(comparison: Comparison) -> str:
    if not comparison.matches:
        return "no match was finished"
    return (
        f"{100 * comparison.score:5.1f} % "
        f"[{100 * comparison.low:3.0f}, {100 * comparison.high:3.0f}] of {comparison.matches}"
    )


_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 320, 60, 30


def strength_svg(title: str, releases: Sequence[ReleaseStrength]) -> str:
    """Return a plot of the releases' strength over the seconds of learning, as SVG."""
    longest = max([one.seconds for one in releases] or [1.0]) or 1.0

    def place(seconds: float, score: float) -> tuple[float, float]:
        return _LEFT + seconds / longest * _WIDTH, _TOP + (1 - score) * _HEIGHT

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH + 2 * _LEFT + 120}" '
        f'height="{_HEIGHT + 2 * _TOP + 30}" font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="18" font-weight="bold">{title}</text>',
    ]
    for percent in (0, 25, 50, 75, 100):
        x, y = place(0, percent / 100)
        parts.append(
            f'<line x1="{x}" y1="{y}" x2="{x + _WIDTH}" y2="{y}" stroke="#ddd"/>'
            f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{percent} %</text>'
        )
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = place(share * longest, 0)
        parts.append(
            f'<text x="{x}" y="{y + 20}" text-anchor="middle">{share * longest:.0f} s</text>'
        )
    curves: tuple[tuple[str, str, list[tuple[float, Comparison | None]]], ...] = (
        ("against untrained", "#1f77b4", [(one.seconds, one.untrained) for one in releases]),
        (f"against {MCTS}", "#d62728", [(one.seconds, one.mcts) for one in releases]),
    )
    for row, (name, colour, measured) in enumerate(curves):
        known = [(at, one) for at, one in measured if one is not None and one.matches]
        path = " ".join("{:.1f},{:.1f}".format(*place(s, one.score)) for s, one in known)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for seconds, one in known:
            (x, low), (_, high) = place(seconds, one.low), place(seconds, one.high)
            parts.append(
                f'<line x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}" '
                f'stroke="{colour}"/>'
            )
        parts.append(
            f'<text x="{_LEFT + _WIDTH + 10}" y="{_TOP + 20 + 20 * row}" '
            f'fill="{colour}">{name}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"
