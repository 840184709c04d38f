"""A match as a view: its end, who played, the moves, and the boards on the way."""

from __future__ import annotations

from collections.abc import Sequence

from neurogame.errors import NeurogameError
from neurogame.inspect.html.elements import Content, Html, element, facts, more, panel, stack, table
from neurogame.inspect.html.joint_text import joint_text
from neurogame.inspect.html.picture import picture
from neurogame.players.record import MatchRecord
from neurogame.show.paint import Paint, changed
from neurogame.simulate.game import Game, State

_BOARDS = 6
"""Boards on the way, at most."""
_MOVES = 400
"""Moves that are listed, at most."""


def match_html(record: MatchRecord, game: Game | None = None) -> str:
    """Return a match as HTML.

    Args:
        record: of the match.
        game: its game, for pictures; None: the one that the record knows, if any.
    """
    states = _states(record, game or record.played)
    parts: list[Content] = []
    if states:
        parts.append(picture(states[-1], _frame(states, len(states) - 1), caption=_last(record)))
    parts.append(stack(_players(record), _conditions(record), _listed(record, states)))
    strip = more("boards on the way", _strip(states)) if len(states) > 2 else ""
    return panel(f"{record.game}: {_outcome(record)}", *parts, below=strip)


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


def _frame(states: Sequence[State], ply: int) -> Paint:
    """Return a frame around what the last move changed."""
    return Paint(framed=changed(states[ply - 1], states[ply]) if ply else frozenset())


def _outcome(record: MatchRecord) -> str:
    goals = ", ".join(
        f"{role} {goal:g}" for role, goal in zip(record.roles, record.goals, strict=True)
    )
    return goals if record.ending == "terminal" else f"{goals} ({record.ending})"


def _last(record: MatchRecord) -> str:
    return f"after {record.length} plies; framed: what the last one changed"


def _players(record: MatchRecord) -> Html:
    """Return who played which role, with what success and in what time."""
    rows: list[tuple[Content, ...]] = []
    for number, (role, player) in enumerate(zip(record.roles, record.players, strict=True)):
        decisions, seconds = record.decisions[number], record.move_seconds[number]
        each = f"{seconds / decisions:.3f}" if decisions else "–"
        rows.append((role, player, f"{record.goals[number]:g}", str(decisions), each))
    columns = ("role", "player", "goal", "decisions", "seconds each")
    return table(columns, rows, right=(2, 3, 4))


def _conditions(record: MatchRecord) -> Html:
    """Return the length, and what was out of order."""
    rows: list[tuple[Content, Content]] = [
        ("length", f"{record.length} plies, the first {record.opening_plies} of them drawn"),
        ("seed", str(record.seed)),
    ]
    late, wrong = sum(record.timeouts), sum(record.illegal_moves)
    if late or wrong:
        rows.append(("replaced", f"{late} moves that came too late, {wrong} illegal ones"))
    return facts(rows)


def _listed(record: MatchRecord, states: Sequence[State]) -> Content:
    """Return the moves, of those who had a choice."""
    if not record.moves:
        return ""
    texts = [_said(record, states, ply) for ply in range(min(len(record.moves), _MOVES))]
    if len(record.moves) > _MOVES:
        texts.append("…")
    rows = [(str(ply + 1), text) for ply, text in enumerate(texts)]
    scrolled = element("div", "max-height:260px;overflow:auto", table(("", ""), rows, right=(0,)))
    return more(f"{len(record.moves)} moves", scrolled)


def _said(record: MatchRecord, states: Sequence[State], ply: int) -> str:
    joint = record.moves[ply]
    if not states:
        return ", ".join(f"{role} {own}" for role, own in zip(record.roles, joint, strict=True))
    game = states[0].game
    indices = [game.move_index(role, own) for role, own in zip(game.roles, joint, strict=True)]
    return joint_text(states[ply], indices)


def _strip(states: Sequence[State]) -> Html:
    """Return some boards, evenly spread from the start to the last but one."""
    last = len(states) - 2
    plies = sorted({round(last * n / (_BOARDS - 1)) for n in range(_BOARDS)})
    boards = [
        element(
            "div",
            "flex:0 0 220px",
            picture(states[ply], _frame(states, ply), caption=f"after {ply} plies"),
        )
        for ply in plies
    ]
    return element("div", "display:flex;gap:10px;overflow-x:auto;max-width:100%", *boards)
