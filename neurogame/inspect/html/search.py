"""A search result as a view: the best move on the board, all moves, and what is expected."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from neurogame.inspect.html.elements import (
    Content,
    Html,
    bar,
    count,
    facts,
    more,
    panel,
    stack,
    strong,
    table,
)
from neurogame.inspect.html.joint_text import line_texts
from neurogame.inspect.html.picture import picture
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
    best, value = _name(found, found.move), found.value[found.role]
    note = f"{value:.3f}, proved" if found.proved else f"{value:.3f}"
    if found.proved and found.move in found.plies:
        note += f", over in {found.plies[found.move]} plies"
    parts: list[Content] = [] if state is None else [_board(found, state)]
    parts.append(stack(_moves(found), _facts(found)))
    return panel(f"{role}: {best}", *parts, note=note)


def _name(found: SearchResult, move: int) -> str:
    return f"move {move}" if found.state is None else found.state.game.moves[found.role][move]


def _board(found: SearchResult, state: State) -> Html:
    """Return the state; squares that the best move changes are framed, others painted by visits."""
    moves = sorted(found.tries, key=lambda move: -found.tries[move])[:_PAINTED]
    joints = _joints(found, state, [found.move, *moves])
    if joints is None:
        return picture(state)
    after = (
        state.game.simulator()
        .step(state.batch.select(torch.zeros(len(joints), dtype=torch.int64)), joints)
        .to_bool()
    )
    framed = changed(state, State(state.game, after[0]))
    caption = "framed: what the best move changes"
    if not moves:
        return picture(state, Paint(framed=framed), caption=caption)
    total = sum(found.tries.values()) or 1
    shares = torch.tensor([found.tries[move] / total for move in moves])
    by_fluent = ((after[1:] & ~state.fluents).float() * shares[:, None]).sum(dim=0)
    by_fluent[~_pieces(state)] = 0.0
    paint = Paint(by_fluent=by_fluent.tolist(), framed=framed)
    return picture(state, paint, caption=f"{caption}; painted: share of the visits")


def _joints(found: SearchResult, state: State, moves: Sequence[int]) -> torch.Tensor | None:
    """Return moves of the role with the expected ones of the others; int64 ``[A, R]``."""
    if state.is_terminal or not all(state.legal_moves):
        return None
    others = found.line[0] if found.line else tuple(own[0] for own in state.legal_moves)
    joints = torch.tensor([list(others)] * len(moves))
    joints[:, found.role] = torch.tensor(list(moves))
    return joints


def _pieces(state: State) -> torch.Tensor:
    """Return which fluents put a piece on a square; bool ``[F]``."""
    found = torch.zeros(len(state.fluents), dtype=torch.bool)
    for board in find_layout(state.game).boards:
        for fluent, (_, content) in board.squares.items():
            found[fluent] = content != board.blank
    return found


def _moves(found: SearchResult) -> Html:
    """Return the moves, the chosen one first, the others by visits and values."""
    known = {found.move, *found.scores, *found.tries}
    ordered = sorted(
        known,
        key=lambda m: (m != found.move, -found.tries.get(m, 0), -found.scores.get(m, -1.0), m),
    )
    listed = _table(found, ordered[:_LISTED])
    rest = ordered[_LISTED:]
    if not rest:
        return listed
    return stack(listed, more(f"{len(rest)} more moves", _table(found, rest)))


def _table(found: SearchResult, moves: Sequence[int]) -> Html:
    """Return some moves with their values, and their visits if they were counted."""
    most = max(found.tries.values(), default=0) or 1
    rows: list[list[Content]] = []
    for move in moves:
        name: Content = _name(found, move)
        if move == found.move:
            name = strong(name)
        score = found.scores.get(move)
        row: list[Content] = [name]
        row += ["–", ""] if score is None else [f"{score:.3f}", bar(score)]
        if found.tries:
            tried = found.tries.get(move, 0)
            row += [count(tried), bar(tried / most)]
        rows.append(row)
    columns = ["move", "value", ""] + (["visits", ""] if found.tries else [])
    return table(columns, rows, right=(1, 3))


def _facts(found: SearchResult) -> Html:
    """Return what was expected, and what it took."""
    rows: list[tuple[Content, Content]] = []
    state = found.state
    if state is not None:
        values = ", ".join(
            f"{role} {value:.3f}" for role, value in zip(state.game.roles, found.value, strict=True)
        )
        rows.append(("values", values))
        if found.line:
            rows.append(("expected", _expected(line_texts(state, found.line))))
    if not found.tries and found.depth > 1:
        rows.append(("of other moves", "values are upper bounds: they were searched to be refuted"))
    mean = f", {found.mean_depth:.1f} on average" if found.mean_depth else ""
    rows.append(("depth", f"{found.depth} plies{mean}"))
    if found.simulations:
        rows.append(
            ("simulations", f"{count(found.simulations)}, {count(found.playouts)} playouts")
        )
    rows.append(("states", f"{count(found.nodes)}, {count(found.evaluations)} evaluated"))
    split = ", ".join(f"{part} {own:.3f}" for part, own in found.split.items() if own >= 0.0005)
    rows.append(("seconds", f"{found.seconds:.3f}" + (f" ({split})" if split else "")))
    return facts(rows)


def _expected(texts: Sequence[str]) -> str:
    shown = "; ".join(texts[:_LISTED])
    return shown if len(texts) <= _LISTED else f"{shown}; … ({len(texts)} plies)"
