"""A checkpoint as a view: the game, what is in it, how strong it became, how to play it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neurogame.errors import NeurogameError
from neurogame.evaluators.kinds import move_kinds
from neurogame.inspect.html.elements import (
    Content,
    Html,
    bar,
    code,
    count,
    element,
    facts,
    panel,
    stack,
    table,
)
from neurogame.inspect.html.picture import picture
from neurogame.learn.checkpoints.checkpoint import Checkpoint
from neurogame.show.board_drawing import FAINT

_LISTED = 20
"""Results that are shown."""


def checkpoint_html(checkpoint: Checkpoint) -> str:
    """Return a checkpoint as HTML.

    Args:
        checkpoint: of any kind. Its game is made for the picture of the first state.
    """
    kind = checkpoint.description.get("kind")
    held = [f"evaluator {kind}"] if kind else []
    held += [f"judge of moves {name}" for name in sorted(checkpoint.judges)]
    title = f"checkpoint of {checkpoint.game_name}"
    body = stack(_facts(checkpoint), _results(checkpoint), _commands(checkpoint))
    return panel(title, _first_state(checkpoint), body, note=", ".join(held) or "nothing learned")


def _first_state(checkpoint: Checkpoint) -> Html:
    """Return the initial state, or why there is none."""
    try:
        return picture(checkpoint.game().initial_state(), caption="the initial state")
    except NeurogameError as error:
        return element("div", f"color:{FAINT};max-width:320px", str(error))


def _facts(checkpoint: Checkpoint) -> Html:
    numbers = sum(own.numel() for own in checkpoint.weights.values())
    numbers += sum(
        own.numel() for judge in checkpoint.judges.values() for own in judge["weights"].values()
    )
    rows: list[tuple[Content, Content]] = [
        ("roles", ", ".join(checkpoint.roles)),
        ("fluents, moves", f"{count(len(checkpoint.fluents))}, {_moves(checkpoint)}"),
        ("numbers", count(numbers)),
    ]
    recipe = checkpoint.config.get("recipe")
    if recipe:
        rows.append(("recipe", str(recipe)))
    rows += [(name, _number(value)) for name, value in checkpoint.counters.items()]
    rows += [
        ("written by", f"neurogame {checkpoint.created_by}"),
        ("hash", code(checkpoint.hash[:16])),
    ]
    return facts(rows)


def _moves(checkpoint: Checkpoint) -> str:
    return " + ".join(count(len(moves)) for moves in checkpoint.moves)


def _number(value: object) -> str:
    """Return a counter: whole numbers with separators."""
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _results(checkpoint: Checkpoint) -> Content:
    """Return what it scored while it learned, one line for each stage."""
    known = [row for row in checkpoint.results if "score" in row]
    if not known:
        return ""
    rows = [_result(row) for row in known[-_LISTED:]]
    columns = ("seconds", "games", "against", "score in %", "", "95 % interval")
    return table(columns, rows, right=(0, 1, 3))


def _result(row: Mapping[str, Any]) -> Sequence[Content]:
    """Return one line: how far, against whom, with what success."""
    against = row.get("against")
    rival = f"itself at {against:.0f} s" if isinstance(against, int | float) else str(against or "")
    if against == 0:
        rival = "itself, untrained"
    low, high, score = (row.get(name) for name in ("low", "high", "score"))
    interval = "" if low is None or high is None else f"{100 * low:.0f} to {100 * high:.0f}"
    seconds, games = row.get("seconds"), row.get("games", row.get("round"))
    return (
        "" if seconds is None else f"{seconds:.0f}",
        "" if games is None else count(games),
        rival,
        "" if score is None else f"{100 * score:.1f}",
        "" if score is None else bar(2 * score - 1, signed=True),
        interval,
    )


def _commands(checkpoint: Checkpoint) -> Content:
    """Return how to play against it; where the file lies it does not know."""
    player = "alphabeta:FILE" if checkpoint.description else _judged(checkpoint)
    if not player:
        return ""
    lines = [f"neurogame play {checkpoint.game_name} --opponent {player}"]
    if checkpoint.description:
        lines.append("neurogame inspect FILE")
    shown = element("div", "", *(element("div", "", code(line)) for line in lines))
    note = "FILE: where it lies; a game that is not in the library is named by its rulesheet"
    return stack(shown, element("span", f"color:{FAINT}", note))


def _judged(checkpoint: Checkpoint) -> str:
    """Return a player that searches with the judges of moves."""
    uses = (kind.use for name, kind in move_kinds().items() if name in checkpoint.judges)
    use = next(filter(None, uses), "")
    return f"mcts:FILE,{use}" if use else ""
