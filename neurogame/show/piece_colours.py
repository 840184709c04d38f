"""The colour and the letter of each piece of a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from neurogame.show.board import Board
from neurogame.show.piece_labels import piece_labels

_WHITE, _DARK = "#ffffff", "#1b1b1b"
PALETTE = (
    ("#0072b2", _WHITE),
    ("#e69f00", _DARK),
    ("#009e73", _WHITE),
    ("#cc79a7", _DARK),
    ("#f0e442", _DARK),
    ("#56b4e9", _DARK),
    ("#d55e00", _WHITE),
    ("#1b1b1b", _WHITE),
)
"""Fill and letter colours that people with any colour vision tell apart.

*Reference:* Okabe and Ito, "Color Universal Design" (2008), figure 16, in another order.
"""
NEUTRAL = ("#5b6675", _WHITE)


@final
@dataclass(frozen=True)
class Piece:
    """A disc: its fill, the colour of its letter, and the letter, which may be empty."""

    fill: str
    ink: str
    letter: str


def pieces(board: Board, roles: Sequence[str]) -> list[Piece]:
    """Return how each content of a board looks.

    The owner, if contents name one, gives the colour and the rest gives the letter. More
    different owners than colours, or numbers, are grey discs told apart by their text.

    Args:
        board: the board.
        roles: the roles of the game, which are the likely owners.
    """
    owner = _owner_part(board, roles)
    if owner is None:
        return [Piece(*PALETTE[0], "") for _ in board.contents]
    colours = _colours(board, owner)
    return [
        Piece(*colours[content[owner]], letter)
        for content, letter in zip(board.contents, _letters(board, owner), strict=True)
    ]


def key_entries(board: Board, roles: Sequence[str]) -> list[tuple[Piece, str]]:
    """Return what has to be explained: a sample piece and its name each.

    A piece that shows its whole name explains itself.
    """
    owner = _owner_part(board, roles)
    if owner is None:
        return []
    looks = pieces(board, roles)
    if len(board.contents[0]) == 1:
        shown = [(looks[c], board.contents[c][0]) for c in board.shown_contents]
        return [(piece, name) for piece, name in shown if piece.letter != name]
    colours = _colours(board, owner)
    owners = {board.contents[c][owner]: None for c in board.shown_contents}
    rest: dict[str, str] = {}
    for content in board.shown_contents:
        names = [part for i, part in enumerate(board.contents[content]) if i != owner]
        rest[looks[content].letter] = " ".join(names)
    return [
        *((Piece(*colours[name], ""), name) for name in owners),
        *((Piece(_WHITE, _DARK, letter), name) for letter, name in rest.items() if name != letter),
    ]


def _owner_part(board: Board, roles: Sequence[str]) -> int | None:
    """Return which part of the contents is coloured: the one that names roles, or few things."""
    if not board.contents[0]:
        return None
    known = {role.lower() for role in roles}
    domains = [{content[i].lower() for content in board.contents} for i in range(_arity(board))]
    return min(range(_arity(board)), key=lambda i: (-len(domains[i] & known), len(domains[i])))


def _colours(board: Board, owner: int) -> dict[str, tuple[str, str]]:
    names = list(dict.fromkeys(board.contents[c][owner] for c in board.shown_contents))
    if len(names) > len(PALETTE) or all(name.isdecimal() for name in names):
        return {content[owner]: NEUTRAL for content in board.contents}
    colours = dict(zip(names, PALETTE, strict=False))
    return {content[owner]: colours.get(content[owner], NEUTRAL) for content in board.contents}


def _letters(board: Board, owner: int) -> list[str]:
    if _arity(board) == 1:
        return list(board.labels)
    rest = [tuple(p for i, p in enumerate(c) if i != owner) for c in board.contents]
    different = list(dict.fromkeys(rest))
    labels = dict(zip(different, piece_labels(different), strict=True))
    return [labels[names] for names in rest]


def _arity(board: Board) -> int:
    return len(board.contents[0])
