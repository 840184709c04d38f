"""A search result as a view: the best move on the board, all moves, and what is expected."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from neurogame.inspect.html.elements import Element, panel, picture, stack
from neurogame.inspect.html.joint_text import line_texts
from neurogame.inspect.table import Row, Table, facts, shown
from neurogame.search.result import SearchResult
from neurogame.show.layout import find_layout
from neurogame.show.paint import Paint, changed
from neurogame.simulate.game import State

_LISTED = 10
"""Moves that are shown at once."""
_PAINTED = 1000
"""Moves whose squares are painted, at most."""


def search_html(found: SearchResult) -> str:
    """Return what a search found as HTML.

    Args:
        found: a result; one that knows no state shows moves as numbers, and no board.
    """
    state = found.state
    role = f"role {found.role}" if state is None else state.game.roles[found.role]
    board = [] if state is None else [_board(found, state)]
    note = f"{found.value[found.role]:.3f}" + _proof(found)
    return panel(f"{role}: {_name(found, found.move)}", *board, search_panel(found), note=note)


def search_panel(found: SearchResult) -> Element:
    """Return the moves of a search, what was expected, and what it took."""
    return stack(*shown([_moves(found), _facts(found)]))


def _name(found: SearchResult, move: int) -> str:
    return f"move {move}" if found.state is None else found.state.game.moves[found.role][move]


def _proof(found: SearchResult) -> str:
    if not found.proved:
        return ""
    over = f", over in {found.plies[found.move]} plies" if found.move in found.plies else ""
    return f", proved{over}"


def _board(found: SearchResult, state: State) -> Element:
    """Return the state; squares that the best move changes are framed, others painted by visits."""
    caption = "framed: what the best move changes"
    moves = sorted(found.tries, key=lambda move: -found.tries[move])[:_PAINTED]
    if state.is_terminal or not all(state.legal_moves):
        return picture(state, caption="")
    after = _states_after(found, state, [found.move, *moves])
    framed = changed(state, State(state.game, after[0]))
    if not moves:
        return picture(state, Paint(framed=framed), caption=caption)
    total = sum(found.tries.values()) or 1
    shares = torch.tensor([found.tries[move] / total for move in moves])
    by_fluent = ((after[1:] & ~state.fluents).float() * shares[:, None]).sum(dim=0)
    for board in find_layout(state.game).boards:
        by_fluent[[f for f, (_, content) in board.squares.items() if content == board.blank]] = 0.0
    paint = Paint(by_fluent=by_fluent.tolist(), framed=framed)
    return picture(state, paint, caption=f"{caption}; painted: share of the visits")


def _states_after(found: SearchResult, state: State, moves: Sequence[int]) -> torch.Tensor:
    """Return what moves lead to, if others move as expected; bool ``[A, F]``."""
    others = found.line[0] if found.line else tuple(own[0] for own in state.legal_moves)
    joints = torch.tensor([list(others)] * len(moves))
    joints[:, found.role] = torch.tensor(list(moves))
    batch = state.batch.select(torch.zeros(len(moves), dtype=torch.int64))
    return state.game.simulator().step(batch, joints).to_bool()


def _moves(found: SearchResult) -> Table:
    """Return the moves, the chosen one first, the others by visits and values."""
    ordered = sorted(
        {found.move, *found.scores, *found.tries},
        key=lambda m: (m != found.move, -found.tries.get(m, 0), -found.scores.get(m, -1.0), m),
    )
    rows: list[Row] = [
        {
            "move": _name(found, move),
            "score": found.scores.get(move),
            "value": f"{found.scores[move]:.3f}" if move in found.scores else "–",
            "tries": found.tries.get(move, 0),
        }
        for move in ordered
    ]
    columns = "move={move} | value={value}" + " | visits={tries:,}" * bool(found.tries)
    bars = {"value": ("score", 1.0), "visits": ("tries", 0.0)}
    return Table(rows, columns, bars=bars, listed=_LISTED)


def _facts(found: SearchResult) -> Table:
    """Return what was expected, and what it took."""
    pairs: dict[str, object] = {}
    if found.state is not None:
        roles = zip(found.state.game.roles, found.value, strict=True)
        pairs["values"] = ", ".join(f"{role} {value:.3f}" for role, value in roles)
        texts = line_texts(found.state, found.line)
        longer = f"; … ({len(texts)} plies)" if len(texts) > _LISTED else ""
        pairs["expected"] = "; ".join(texts[:_LISTED]) + longer
    pairs["proved"] = _proof(found).removeprefix(", ")
    if not found.tries and found.depth > 1:
        pairs["of other moves"] = "values are upper bounds: they were searched to be refuted"
    mean = f", {found.mean_depth:.1f} on average" if found.mean_depth else ""
    pairs["depth"] = f"{found.depth} plies{mean}"
    if found.simulations:
        pairs["simulations"] = f"{found.simulations:,}, {found.playouts:,} playouts"
    pairs["states"] = f"{found.nodes:,}, {found.evaluations:,} evaluated"
    split = ", ".join(f"{part} {own:.3f}" for part, own in found.split.items() if own >= 0.0005)
    pairs["seconds"] = f"{found.seconds:.3f}" + (f" ({split})" if split else "")
    return facts({name: fact for name, fact in pairs.items() if fact})
