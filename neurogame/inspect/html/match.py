"""A match as a view: its end, who played, the moves, and the boards on the way."""

from __future__ import annotations

from collections.abc import Sequence

from neurogame.errors import NeurogameError
from neurogame.inspect.html.elements import Content, Element, element, more, panel, picture, stack
from neurogame.inspect.html.joint_text import joint_text
from neurogame.inspect.table import Table, facts, grid, shown
from neurogame.players.record import MatchRecord
from neurogame.show.paint import Paint, changed
from neurogame.simulate.game import Game, State

_BOARDS = 6
"""Boards on the way, at most."""
_MOVES = 400
"""Moves that are listed, at most."""


def match_html(record: MatchRecord) -> str:
    """Return a match as HTML.

    Args:
        record: of the match; one that does not know its game has no pictures.
    """
    states = _states(record, record.played)
    goals = zip(record.roles, record.goals, strict=True)
    outcome = ", ".join(f"{role} {goal:g}" for role, goal in goals)
    ending = "" if record.ending == "terminal" else f" ({record.ending})"
    last = f"after {record.length} plies; framed: what the last one changed"
    return panel(
        f"{record.game}: {outcome}{ending}",
        *([_board(states, len(states) - 1, last)] if states else []),
        stack(*shown([_players(record), _conditions(record)]), _listed(record, states)),
        below=more("boards on the way", _strip(states)) if len(states) > 2 else "",
    )


def _states(record: MatchRecord, game: Game | None) -> list[State]:
    """Return the states of the match, none where the game is not known or another one."""
    if game is None or tuple(game.roles) != record.roles:
        return []
    try:
        states = [game.initial_state()]
        for joint in record.moves:
            states.append(states[-1].next(joint))
    except NeurogameError:
        return []
    return states


def _board(states: Sequence[State], ply: int, caption: str) -> Element:
    """Return a state, a frame around what the last move changed."""
    framed = changed(states[ply - 1], states[ply]) if ply else frozenset[int]()
    return picture(states[ply], Paint(framed=framed), caption=caption)


def _players(record: MatchRecord) -> Table:
    """Return who played which role, with what success and in what time."""
    means = [
        f"{seconds / decisions:.3f}" if decisions else "–"
        for seconds, decisions in zip(record.move_seconds, record.decisions, strict=True)
    ]
    goals = [f"{goal:g}" for goal in record.goals]
    rows = zip(record.roles, record.players, goals, record.decisions, means, strict=True)
    return grid(("role", "player", "goal", "decisions", "seconds each"), *rows)


def _conditions(record: MatchRecord) -> Table:
    """Return the length, and what was out of order."""
    pairs: dict[str, object] = {
        "length": f"{record.length} plies, the first {record.opening_plies} of them drawn",
        "seed": record.seed,
    }
    late, wrong = sum(record.timeouts), sum(record.illegal_moves)
    if late or wrong:
        pairs["replaced"] = f"{late} moves that came too late, {wrong} illegal ones"
    return facts(pairs)


def _listed(record: MatchRecord, states: Sequence[State]) -> Content:
    """Return the moves, of those who had a choice."""
    if not record.moves:
        return ""
    count = min(len(record.moves), _MOVES)
    pairs = {str(ply + 1): _said(record, states, ply) for ply in range(count)}
    listed = facts(pairs if count == len(record.moves) else {**pairs, "…": ""})
    scrolled = element("div", "max-height:260px;overflow:auto", listed.element())
    return more(f"{len(record.moves)} moves", scrolled)


def _said(record: MatchRecord, states: Sequence[State], ply: int) -> str:
    joint = record.moves[ply]
    if not states:
        return ", ".join(f"{role} {move}" for role, move in zip(record.roles, joint, strict=True))
    game = states[0].game
    indices = [game.move_index(role, move) for role, move in zip(game.roles, joint, strict=True)]
    return joint_text(states[ply], indices)


def _strip(states: Sequence[State]) -> Element:
    """Return some boards, evenly spread from the start to the last but one."""
    last = len(states) - 2
    plies = sorted({round(last * n / (_BOARDS - 1)) for n in range(_BOARDS)})
    boards = (
        element("div", "flex:0 0 220px", _board(states, ply, f"after {ply} plies")) for ply in plies
    )
    return element("div", "display:flex;gap:10px;overflow-x:auto;max-width:100%", *boards)
