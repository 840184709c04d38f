"""What a feature counts, as a picture: the squares of the boards that it reads, by their weight.

Blue squares add to it, red ones take away from it, each with its number; one board for each thing
that may stand there. Where a feature looks up what stands together, such as lines, a square has the
number of look-ups that read it, in green.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from neurogame.features.feature import Feature
from neurogame.inspect.attribution.of_actions import input_names
from neurogame.show.board import Board, Place
from neurogame.show.board_drawing import (
    GAP,
    LINE,
    PADDING,
    BoardDrawing,
    svg_document,
    svg_text,
)
from neurogame.show.layout import find_layout
from neurogame.show.paint import Mark
from neurogame.show.state_svg import Squares
from neurogame.show.state_text import wrapped
from neurogame.simulate.game import Game

_LOOKED_UP = "#2f855a"
_WIDEST, _CHARACTERS, _WIDE_LETTER = 900.0, 60, 8.5
_LISTED = 12
"""Fluents on no board, and moves, that are named."""


def feature_svg(feature: Feature, game: Game) -> str:
    """Return what a feature counts as one SVG element.

    Args:
        feature: of the game.
        game: the game.
    """
    weights = {f: float(feature.fluents[f]) for f in np.flatnonzero(feature.fluents).tolist()}
    looked_up: dict[int, float] = {}
    if feature.lookups is not None:
        numbers, counts = np.unique(feature.lookups.fluent, return_counts=True)
        looked_up = dict(zip(numbers.tolist(), counts.astype(float).tolist(), strict=True))
    layout = find_layout(game)
    shown = {fluent for board in layout.boards for fluent in board.squares}
    parts: list[str] = []
    width, top, left, tallest = 0.0, PADDING, PADDING, 0.0
    lines = wrapped(feature.text, _CHARACTERS)
    for line in lines:
        parts.append(svg_text(PADDING, top + 13, line, size=14, anchor="start", bold=True))
        top += LINE
    for drawing, label, marks in _panels(layout.boards, weights, looked_up):
        if left > PADDING and left + drawing.width > _WIDEST:
            left, top, tallest = PADDING, top + tallest + GAP, 0.0
        parts.append(svg_text(left, top + 13, label, size=12, anchor="start"))
        parts += drawing.draw(left, top + LINE, Squares(drawing.board, marks))
        left += drawing.width + 2 * GAP
        width, tallest = max(width, left - 2 * GAP), max(tallest, drawing.height + LINE)
    top += tallest
    others = list(_others(feature, game, shown, weights))
    for line in others:
        parts.append(svg_text(PADDING, top + 13, line, size=12, anchor="start"))
        top += LINE
    widest = max(width, *(_WIDE_LETTER * len(line) for line in (*lines, *others)))
    return svg_document(feature.text, widest + 2 * PADDING, top + PADDING, parts)


def _panels(
    boards: tuple[Board, ...], weights: Mapping[int, float], looked_up: Mapping[int, float]
) -> Iterator[tuple[BoardDrawing, str, dict[Place, Mark]]]:
    """Yield a board for each thing that counts on it: what it is, and its squares."""
    for board in boards:
        for content, words in enumerate(board.contents):
            for numbers, colour, about in (
                (weights, None, "each counts"),
                (looked_up, _LOOKED_UP, "look-ups that read it"),
            ):
                counts = {
                    place: numbers[fluent]
                    for fluent, (place, held) in board.squares.items()
                    if held == content and fluent in numbers
                }
                most = max(map(abs, counts.values()), default=0.0)
                marks = {
                    place: Mark(share=number / most, text=f"{number:.3g}", colour=colour)
                    for place, number in counts.items()
                }
                if marks:
                    name = " ".join(words) or board.name
                    yield BoardDrawing(board), f"{name}: {about}", marks


def _others(
    feature: Feature, game: Game, shown: set[int], weights: Mapping[int, float]
) -> Iterator[str]:
    """Yield lines about what counts and is on no board."""
    facts = [
        f"{game.fluents[fluent]} {number:+.3g}"
        for fluent, number in weights.items()
        if fluent not in shown
    ]
    names = input_names(game)[len(game.fluents) :]
    moves = [f"{names[m]} {feature.moves[m]:+.3g}" for m in np.flatnonzero(feature.moves).tolist()]
    goals = [
        f"goal of {game.roles[r]} {feature.goals[r]:+.3g}"
        for r in np.flatnonzero(feature.goals).tolist()
    ]
    for title, texts in (("facts", facts), ("legal moves", moves), ("", goals)):
        if texts:
            more = f", ... {len(texts)} in all" if len(texts) > _LISTED else ""
            line = f"{title}: {', '.join(texts[:_LISTED])}{more}".removeprefix(": ")
            yield from wrapped(line, _CHARACTERS)
