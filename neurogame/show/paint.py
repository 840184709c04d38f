"""What is painted on the boards of a state: amounts by square, and which squares stand out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

from neurogame.errors import GameError
from neurogame.show.board import Board, Place
from neurogame.show.board_drawing import INK, SQUARE, svg_text

if TYPE_CHECKING:
    from neurogame.simulate.game import State

POSITIVE, NEGATIVE = "#2b6cb0", "#c53030"
"""Colours of what is above and below 0: blue and red, which all people tell apart."""
FRAME = "#b7791f"
_NUMBERED = 0.05
"""Of the largest amount: what is smaller gets a colour, but no number."""


@final
@dataclass(frozen=True, kw_only=True)
class Mark:
    """What is painted on a square.

    Attributes:
        share: how strong its colour is, -1..1.
        text: a number on it; below the pieces, if there are any.
        is_framed: whether it has a frame.
        colour: None: blue above 0, red below.
    """

    share: float = 0.0
    text: str = ""
    is_framed: bool = False
    colour: str | None = None

    def draw(self, x: float, y: float, *, has_piece: bool) -> list[str]:
        """Return the elements of a square with its middle there, below its pieces."""
        half, strength, parts = SQUARE / 2, 0.85 * abs(self.share), []
        box = f'<rect x="{x - half:g}" y="{y - half:g}" width="{SQUARE:g}" height="{SQUARE:g}"'
        if self.share:
            colour = self.colour or (POSITIVE if self.share > 0 else NEGATIVE)
            parts.append(f'{box} fill="{colour}" fill-opacity="{strength:.2f}"/>')
        if self.is_framed:
            inner, side = half - 1.5, SQUARE - 3
            parts.append(
                f'<rect x="{x - inner:g}" y="{y - inner:g}" width="{side:g}" height="{side:g}" '
                f'fill="none" stroke="{FRAME}" stroke-width="2.5"/>'
            )
        if self.text:
            ink = "#ffffff" if strength > 0.5 else INK
            low, size = (half - 2.5, 9) if has_piece else (4.5, 13)
            parts.append(svg_text(x, y + low, self.text, size=size, ink=ink, room=0.9 * SQUARE))
        return parts


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

    def marks(self, boards: Sequence[Board]) -> list[dict[Place, Mark]]:
        """Return what is painted on the squares of each board."""
        amounts = [self._amounts(board) for board in boards]
        most = (
            max((abs(amount) for by_place in amounts for amount in by_place.values()), default=0.0)
            or 1.0
        )
        marks = []
        for board, by_place in zip(boards, amounts, strict=True):
            frames = {board.squares[f][0] for f in self.framed if f in board.squares}
            marks.append(
                {
                    place: Mark(
                        share=by_place.get(place, 0.0) / most,
                        text=f"{by_place[place]:+.2g}"
                        if abs(by_place.get(place, 0.0)) >= _NUMBERED * most
                        else "",
                        is_framed=place in frames,
                    )
                    for place in by_place.keys() | frames
                }
            )
        return marks

    def _amounts(self, board: Board) -> dict[Place, float]:
        """Return what each square of a board adds; squares that add nothing are left out."""
        amounts: dict[Place, float] = {}
        if self.by_fluent:
            for fluent, (place, _) in board.squares.items():
                amounts[place] = amounts.get(place, 0.0) + self.by_fluent[fluent]
        return {place: amount for place, amount in amounts.items() if amount}

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
