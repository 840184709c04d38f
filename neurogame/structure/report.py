"""The relations of a game in words and as a JSON object, by their names and argument numbers."""

from __future__ import annotations

from typing import Any

from neurogame.analysis.report import some, verdict_record
from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.structure.boards import GameBoard
from neurogame.structure.coordinates import OrderedArgument
from neurogame.structure.pieces import Marker
from neurogame.structure.relations import Relations

_SHOWN = 8
_STATIC = Verdict(True, Evidence.PROVED)


def relation_lines(relations: Relations) -> list[str]:
    """Return what the relations of a game are for, one kind per line; arguments count from 1."""
    rows = [
        f"{s.text} ({', '.join(f'{chain[0]} .. {chain[-1]}' for chain in s.chains[:3])}"
        f"{', ...' if len(s.chains) > 3 else ''})"
        for s in relations.successors
    ]
    ordered = [f"{argument_text(o)} by {o.successor.text}" for o in relations.ordered]
    counters = [
        f"{argument_text(c.argument)} {'up' if c.upwards else 'down'} "
        f"{c.argument.successor.text} ({c.verdict.reason})"
        for c in relations.counters
    ]
    quantities = [f"{argument_text(q.argument)} ({q.verdict.reason})" for q in relations.quantities]
    lines = [
        f"successor relations: {some(rows, _SHOWN)}{' (from static facts)' * bool(rows)}",
        f"ordered arguments: {some(ordered, _SHOWN)}{' (from the rules)' * bool(ordered)}",
        f"step counters: {some(counters, _SHOWN)}",
        f"quantities: {some(quantities, _SHOWN)}",
        f"boards: {'none' if not relations.boards else len(relations.boards)}",
    ]
    for board in relations.boards:
        markers = [marker for marker in relations.markers if marker.board is board]
        lines.append(f"  {_board_text(board)}")
        if board.content:
            lines.append(f"    markers: {some([_name(marker) for marker in markers], _SHOWN)}")
            lines.append(f"    of these pieces: {_pieces(markers)}")
    return lines


def relation_record(relations: Relations) -> dict[str, Any]:
    """Return what the relations of a game are for as a JSON object; arguments count from 1."""
    return {
        "successors": [
            {"relation": s.text, "chains": [list(chain) for chain in s.chains]}
            | verdict_record(_STATIC)
            for s in relations.successors
        ],
        "ordered": [
            _argument_record(o)
            | {"by": o.successor.text, "values": [o.relation.domains[o.place][i] for i in o.order]}
            | verdict_record(_STATIC)
            for o in relations.ordered
        ],
        "counters": [
            _argument_record(c.argument) | {"up": c.upwards} | verdict_record(c.verdict)
            for c in relations.counters
        ],
        "quantities": [
            _argument_record(q.argument) | verdict_record(q.verdict) for q in relations.quantities
        ],
        "boards": [
            {
                "relation": board.relation.name,
                "axes": [place + 1 for place in board.axes],
                "index": [place + 1 for place in board.index],
                "content": [place + 1 for place in board.content],
                "boards": board.board_count,
                "blank": None if board.blank is None else list(board.contents[board.blank]),
                "one_content": verdict_record(board.exclusive),
                "markers": [
                    {"content": list(marker.name), "piece": verdict_record(marker.piece)}
                    for marker in relations.markers
                    if marker.board is board
                ],
            }
            for board in relations.boards
        ],
    }


def argument_text(argument: OrderedArgument) -> str:
    """Return the relation, with the number of the argument where it has several."""
    name = argument.relation.name
    return name if argument.relation.arity == 1 else f"{name} {argument.place + 1}"


def _board_text(board: GameBoard) -> str:
    sizes = [len(domain) for domain in board.relation.domains]
    shape = " x ".join(str(sizes[place]) for place in board.axes)
    many = f"{board.board_count} boards of " if board.index else ""
    parts = [f"axes {_numbers(board.axes)}"]
    if board.index:
        parts.append(f"board index {_numbers(board.index)}")
    parts.append(f"content {_numbers(board.content)}" if board.content else "no content argument")
    if board.blank is not None:
        parts.append(f"blank {' '.join(board.contents[board.blank])}")
    one = f"one content per square: {'yes' if board.exclusive.holds else 'not always'}"
    if board.content:
        parts.append(f"{one} ({board.exclusive.reason})")
    return f"{board.relation.name}: {many}{shape} ({', '.join(parts)})"


def _pieces(markers: list[Marker]) -> str:
    """Return the pieces among some markers, those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for marker in markers:
        if marker.piece.holds:
            by_reason.setdefault(marker.piece.reason, []).append(_name(marker))
    return "; ".join(f"{some(names, _SHOWN)} ({why})" for why, names in by_reason.items()) or "none"


def _numbers(places: tuple[int, ...]) -> str:
    return " ".join(str(place + 1) for place in places)


def _name(marker: Marker) -> str:
    return " ".join(marker.name)


def _argument_record(argument: OrderedArgument) -> dict[str, Any]:
    return {"relation": argument.relation.name, "argument": argument.place + 1}
