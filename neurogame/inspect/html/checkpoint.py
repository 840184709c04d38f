"""A checkpoint as a view: the game, what is in it, how strong it became, how to play it."""

from __future__ import annotations

from neurogame.errors import NeurogameError
from neurogame.evaluators.kinds import move_kinds
from neurogame.inspect.html.elements import FAINT, Element, element, panel, picture, stack
from neurogame.inspect.table import Table, facts, grid, shown
from neurogame.learn.checkpoints.checkpoint import Checkpoint

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
    parts = [_facts(checkpoint), _results(checkpoint), _commands(checkpoint)]
    return panel(
        f"checkpoint of {checkpoint.game_name}",
        _first_state(checkpoint),
        stack(*shown(parts)),
        note=", ".join(held) or "nothing learned",
    )


def _first_state(checkpoint: Checkpoint) -> Element:
    """Return the initial state, or why there is none."""
    try:
        return picture(checkpoint.game().initial_state(), caption="the initial state")
    except NeurogameError as error:
        return element("div", f"color:{FAINT};max-width:320px", str(error))


def _facts(checkpoint: Checkpoint) -> Table:
    held = [checkpoint.weights, *(judge["weights"] for judge in checkpoint.judges.values())]
    moves = " + ".join(f"{len(texts):,}" for texts in checkpoint.moves)
    recipe = checkpoint.config.get("recipe")
    return facts(
        {
            "roles": ", ".join(checkpoint.roles),
            "fluents, moves": f"{len(checkpoint.fluents):,}, {moves}",
            "numbers": f"{sum(part.numel() for weights in held for part in weights.values()):,}",
            **({"recipe": recipe} if recipe else {}),
            **{name: _number(value) for name, value in checkpoint.counters.items()},
            "written by": f"neurogame {checkpoint.created_by}",
            "hash": checkpoint.hash[:16],
        }
    )


def _number(value: object) -> str:
    """Return a counter: whole numbers with separators."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _results(checkpoint: Checkpoint) -> Table:
    """Return what it scored while it learned, one line for each stage."""
    rows = [
        (
            _text("{:.0f}", row.get("seconds")),
            _text("{:,}", row.get("games", row.get("round"))),
            _rival(row.get("against")),
            _text("{:.1%}", row["score"]),
            " to ".join(_text("{:.0%}", row.get(end)) for end in ("low", "high")),
        )
        for row in checkpoint.results
        if "score" in row
    ]
    return grid(("seconds", "games", "against", "score", "95 % interval"), *rows[-_LISTED:])


def _text(form: str, number: float | None) -> str:
    return "" if number is None else form.format(number)


def _rival(against: object) -> str:
    if against == 0:
        return "itself, untrained"
    return f"itself at {against:.0f} s" if isinstance(against, int | float) else str(against or "")


def _commands(checkpoint: Checkpoint) -> Table:
    """Return how to play against it; where the file lies it does not know."""
    uses = (kind.use for name, kind in move_kinds().items() if name in checkpoint.judges)
    use, is_valued = next(filter(None, uses), ""), bool(checkpoint.description)
    if not use and not is_valued:
        return facts({})
    player = "alphabeta:FILE" if is_valued else f"mcts:FILE,{use}"
    lines = [f"neurogame play {checkpoint.game_name} --opponent {player}"]
    lines += ["neurogame inspect FILE"] * is_valued
    note = "FILE: where it lies; a game that is not in the library is named by its rulesheet"
    return Table([{"line": line} for line in (*lines, note)], "={line}")
