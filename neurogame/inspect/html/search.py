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


def search_html(search: SearchResult) -> str:
    """Return what a search found as HTML.

    Args:
        search: a result; one that knows no state shows moves as numbers, and no board.
    """
    state = search.state
    role = f"role {search.role}" if state is None else state.game.roles[search.role]
    board = [] if state is None else [_board(search, state)]
    note = f"{search.value[search.role]:.3f}" + _proof(search)
    return panel(f"{role}: {_name(search, search.move)}", *board, search_panel(search), note=note)


def search_panel(search: SearchResult) -> Element:
    """Return the moves of a search, what was expected, and what it took."""
    return stack(*shown([_moves(search), search_facts(search)]))


def _name(search: SearchResult, move: int) -> str:
    return f"move {move}" if search.state is None else search.state.game.moves[search.role][move]


def _proof(search: SearchResult) -> str:
    if not search.proved:
        return ""
    over = f", over in {search.plies[search.move]} plies" if search.move in search.plies else ""
    return f", proved{over}"


def _board(search: SearchResult, state: State) -> Element:
    """Return the state; squares that the best move changes are framed, others painted by visits."""
    caption = "framed: what the best move changes"
    moves = sorted(search.tries, key=lambda move: -search.tries[move])[:_PAINTED]
    if not all(state.legal_moves):
        return picture(state, caption="")
    after = _states_after(search, state, [search.move, *moves])
    framed = changed(state, State(state.game, after[0]))
    if not moves:
        return picture(state, Paint(framed=framed), caption=caption)
    total = sum(search.tries.values()) or 1
    shares = torch.tensor([search.tries[move] / total for move in moves])
    by_fluent = ((after[1:] & ~state.fluents).float() * shares[:, None]).sum(dim=0)
    for board in find_layout(state.game).boards:
        by_fluent[[f for f, (_, content) in board.squares.items() if content == board.blank]] = 0.0
    paint = Paint(by_fluent=by_fluent.tolist(), framed=framed)
    return picture(state, paint, caption=f"{caption}; painted: share of the visits")


def _states_after(search: SearchResult, state: State, moves: Sequence[int]) -> torch.Tensor:
    """Return what moves lead to, if others move as expected; bool ``[A, F]``."""
    others = search.line[0] if search.line else tuple(legal[0] for legal in state.legal_moves)
    joints = torch.tensor([list(others)] * len(moves))
    joints[:, search.role] = torch.tensor(list(moves))
    batch = state.batch.select(torch.zeros(len(moves), dtype=torch.int64))
    return state.game.simulator().step(batch, joints).to_bool()


def _moves(search: SearchResult) -> Table:
    """Return the moves, the chosen one first, the others by visits and values."""
    ordered = sorted(
        {search.move, *search.scores, *search.tries},
        key=lambda m: (m != search.move, -search.tries.get(m, 0), -search.scores.get(m, -1.0), m),
    )
    rows: list[Row] = [
        {
            "move": _name(search, move),
            "score": search.scores.get(move),
            "value": f"{search.scores[move]:.3f}" if move in search.scores else "–",
            "tries": search.tries.get(move, 0),
        }
        for move in ordered
    ]
    columns = "move={move} | value={value}" + " | visits={tries:,}" * bool(search.tries)
    bars = {"value": ("score", 1.0), "visits": ("tries", 0.0)}
    return Table(rows, columns, bars=bars, listed=_LISTED)


def search_facts(search: SearchResult) -> Table:
    """Return what was expected, and what it took."""
    pairs: dict[str, object] = {}
    if search.state is not None:
        roles = zip(search.state.game.roles, search.value, strict=True)
        pairs["values"] = ", ".join(f"{role} {value:.3f}" for role, value in roles)
        texts = line_texts(search.state, search.line)
        longer = f"; … ({len(texts)} plies)" if len(texts) > _LISTED else ""
        pairs["expected"] = "; ".join(texts[:_LISTED]) + longer
    pairs["proved"] = _proof(search).removeprefix(", ")
    if not search.tries and search.depth > 1:
        pairs["of other moves"] = "values are upper bounds: they were searched to be refuted"
    mean = f", {search.mean_depth:.1f} on average" if search.mean_depth else ""
    pairs["depth"] = f"{search.depth} plies{mean}"
    if search.simulations:
        pairs["simulations"] = f"{search.simulations:,}, {search.playouts:,} playouts"
    pairs["states"] = f"{search.nodes:,}, {search.evaluations:,} evaluated"
    split = ", ".join(
        f"{part} {seconds:.3f}" for part, seconds in search.split.items() if seconds >= 0.0005
    )
    pairs["seconds"] = f"{search.seconds:.3f}" + (f" ({split})" if split else "")
    return facts({name: fact for name, fact in pairs.items() if fact})
