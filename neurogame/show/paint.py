"""What is painted on the boards of a state: amounts by square, and which squares stand out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from neurogame.errors import GameError
from neurogame.show.board import Board, Place
from neurogame.show.board_drawing import INK, SQUARE, svg_text
from neurogame.simulate.game import State

POSITIVE, NEGATIVE = "#2b6cb0", "#c53030"
"""Colours of what is above and below 0: blue and red, which all people tell apart."""
FRAME = "#b7791f"
_NUMBERED = 0.05
"""Of the largest amount: what is smaller gets a colour, but no number."""


@final
@dataclass(frozen=True, kw_only=True)
class Paint:
    """What is painted on the squares of a state.

    Attributes:
        by_fluent: an amount for each fluent of the game, in any unit, such as
            :attr:`~neurogame.evaluators.attribution.Attribution.by_fluent`; a square has
            the sum of those of its fluents, whether or not they hold. ``F`` numbers, or none.
        framed: fluents whose squares get a frame, such as what the last move changed.
    """

    by_fluent: Sequence[float] = ()
    framed: frozenset[int] = field(default_factory=frozenset)

    def amounts(self, board: Board) -> dict[Place, float]:
        """Return what each square of a board adds; squares that add nothing are left out."""
        amounts: dict[Place, float] = {}
        if self.by_fluent:
            for fluent, (place, _) in board.squares.items():
                amounts[place] = amounts.get(place, 0.0) + self.by_fluent[fluent]
        return {place: amount for place, amount in amounts.items() if amount}

    def frames(self, board: Board) -> set[Place]:
        """Return the squares of a board that get a frame."""
        return {board.squares[fluent][0] for fluent in self.framed if fluent in board.squares}

    def check(self, state: State) -> None:
        """Refuse amounts of another game.

        Raises:
            GameError: there are more or fewer amounts than fluents.
        """
        if self.by_fluent and len(self.by_fluent) != len(state.fluents):
            raise GameError(
                f"{len(self.by_fluent)} amounts cannot be painted on a state of "
                f"{state.game.name}, which has {len(state.fluents)} fluents; give one for each"
            )


def changed(before: State, after: State) -> frozenset[int]:
    """Return the fluents in which two states differ, for :attr:`Paint.framed`."""
    return frozenset((before.fluents ^ after.fluents).nonzero().view(-1).tolist())


def painted_square(
    amount: float, most: float, x: float, y: float, *, framed: bool = False
) -> list[str]:
    """Return what is painted on a square, below the pieces.

    Args:
        amount: of the square.
        most: the largest absolute amount on any square, above 0.
        x: the middle of the square.
        y: the same.
        framed: whether it gets a frame.
    """
    half, share, parts = SQUARE / 2, abs(amount) / most, []
    box = f'<rect x="{x - half:g}" y="{y - half:g}" width="{SQUARE:g}" height="{SQUARE:g}"'
    if amount:
        colour = POSITIVE if amount > 0 else NEGATIVE
        parts.append(f'{box} fill="{colour}" fill-opacity="{0.85 * share:.2f}"/>')
    if framed:
        inner, side = half - 1.5, SQUARE - 3
        parts.append(
            f'<rect x="{x - inner:g}" y="{y - inner:g}" width="{side:g}" height="{side:g}" '
            f'fill="none" stroke="{FRAME}" stroke-width="2.5"/>'
        )
    if share >= _NUMBERED:
        ink = "#ffffff" if share > 0.6 else INK
        parts.append(svg_text(x, y + half - 2.5, f"{amount:+.2g}", size=9, ink=ink, room=SQUARE))
    return parts
