"""Why a state or a move is liked or not: ``inspect --state``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

from neurogame.errors import GameError
from neurogame.evaluators.attribution import (
    UNIT_TEXTS,
    Attribution,
    Contribution,
    Method,
    difference,
)
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.in_short import in_short
from neurogame.inspect.attribution.of_moves import attribute_move
from neurogame.inspect.attribution.unit_labels import contribution_text
from neurogame.inspect.html.attribution import sums
from neurogame.inspect.move_values import EvaluatorOrJudge, MoveValue, move_values
from neurogame.inspect.moves_svg import moves_svg
from neurogame.inspect.named_state import named_state
from neurogame.inspect.subject import Subject
from neurogame.inspect.table import Part, Table
from neurogame.simulate.game import Game, State


@final
@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked about a state.

    Attributes:
        state: see :func:`~neurogame.inspect.named_state.named_state`.
        role: whose value or move; None: the first role's that has a choice.
        method: see :func:`~neurogame.inspect.attribution.attribute.attribute`.
        against: another state, of which the contributions that differ are told instead.
        move: a move, which is explained in place of the state; None where a judge of moves is
            asked: its best one.
        rather_than: another move, of which the contributions that differ are told instead.
        judge: who is asked: ``evaluator`` or the name of a judge of moves; None: the evaluator if
            there is one.
    """

    state: str
    role: str | None = None
    method: Method | None = None
    against: str | None = None
    move: str | None = None
    rather_than: str | None = None
    judge: str | None = None


def state_report(subject: Subject, question: Question) -> dict[str, Any]:
    """Return what the value of a state, or the score of a move, is made of.

    Args:
        subject: what is looked at.
        question: what is asked.

    Raises:
        GameError: there is no such state, role or move, or the method does not fit.
        CheckpointError: there is no such judge, or no evaluator.
    """
    game, opinion = subject.game, subject.opinion(question.judge)
    state = named_state(game, question.state)
    of_move = question.move is not None or not subject.has_values(question.judge)
    if (question.rather_than is not None and not of_move) or (
        question.against is not None and of_move
    ):
        raise GameError(
            "two states are compared by --state and --against, two moves of a state by --move and "
            "--rather-than; judges of moves have nothing to say of states"
        )
    role = _role(game, state, question.role)
    values = move_values(opinion, state)[role]
    other: State | None = None
    if of_move:
        attribution, texts = _of_moves(opinion, state, role, question, values)
    else:
        evaluator, _ = subject.values()
        attribution, texts = attribute(evaluator, state, role, method=question.method), []
        if question.against is not None:
            other = named_state(game, question.against)
            attribution = difference(
                attribution, attribute(evaluator, other, role, method=question.method)
            )
    # What an evaluator says of a move is about the state after it.
    shown = attribution.state or state
    return {
        "state": str(state),
        "against": None if other is None else str(other),
        "role": game.roles[role],
        "moves": [asdict(choice) for choice in values],
        **{
            name: value
            for name, value in attribution.to_json().items()
            if name not in ("role", "move")
        },
        "move": texts[0] if texts else None,
        "rather_than": texts[1] if len(texts) > 1 else None,
        "contributions": [
            {
                **asdict(contribution),
                "holding": _holding(game, shown, contribution),
                "text": contribution_text(contribution, shown),
            }
            for contribution in attribution.contributions
        ],
        "in_short": in_short(attribution),
        "by_fluent": _by_fluent(game, state, attribution, of_move=of_move),
    }


def moves_picture(subject: Subject, question: Question) -> str:
    """Return the state that is asked about as SVG, with what each move of a role is worth.

    Args:
        subject: what is looked at.
        question: its state, its judge and its role, if not the first one with a choice.

    Raises:
        GameError: there is no such state or role, or the role has no move.
        CheckpointError: there is no such judge, or no evaluator.
    """
    game, opinion = subject.game, subject.opinion(question.judge)
    state = named_state(game, question.state)
    role = _role(game, state, question.role)
    moves = move_values(opinion, state)[role]
    if not moves:
        raise GameError(f"nobody has a move in this state of {game.name}: the game is over")
    return moves_svg(state, role, moves, shares=subject.has_values(question.judge))


def _role(game: Game, state: State, name: str | None) -> int:
    """Return whose value or move is asked for."""
    if name is not None:
        role = game.role_index(name)
        if role == game.chance:
            raise GameError(f"the role {name} is chance, to which nothing is worth anything")
        return role
    choosing = [role for role in game.players if len(state.legal_moves[role]) > 1]
    return (choosing or game.players)[0]


def _of_moves(
    opinion: EvaluatorOrJudge,
    state: State,
    role: int,
    question: Question,
    values: Sequence[MoveValue],
) -> tuple[Attribution, list[str]]:
    """Return what a move's score is made of, or two moves' scores differ by, and the moves."""
    game = state.game
    asked = [text for text in (question.move, question.rather_than) if text is not None]
    if question.move is None:
        if not values:
            raise GameError(f"nobody has a move in this state of {game.name}: the game is over")
        asked = [values[0].text, *asked]
    moves = [game.move_index(game.roles[role], text) for text in asked]
    attributions = [
        attribute_move(opinion, state, role, move, method=question.method) for move in moves
    ]
    texts = [game.moves[role][move] for move in moves]
    return (attributions[0] if len(attributions) == 1 else difference(*attributions)), texts


def state_parts(report: dict[str, Any], top: int) -> list[Part]:
    """Return a report of :func:`state_report` as people read it.

    Args:
        report: what it returned.
        top: how many contributions, fluents and moves to list; a rules network has few lines.
    """
    short = report["in_short"]
    against, move, other = (report[name] for name in ("against", "move", "rather_than"))
    what = "value" if move is None else move if other is None else f"{move} rather than {other}"
    less = "" if against is None else ", differences"
    error, moves = report["sampling_error"], report["moves"]
    listed = f", the best {top} of {len(moves)}" if len(moves) > top else ""
    parts: list[Part] = [
        report["state"],
        *([] if against is None else ["less", against]),
        Table(moves[:top], "={value:.4f} | ={text}", f"moves of {report['role']}{listed}"),
        f"{what} for {report['role']}: {report['value']:.3f} ({report['method']}{less}), in "
        f"{UNIT_TEXTS[report['unit']]}",
        sums(report, short, len(short)) if short else sums(report, report["contributions"], top),
        f"{error:.4f} largest standard error, of random orders" if error else "",
    ]
    # Other methods list fluents anyhow.
    if any(contribution["kind"] == "condition" for contribution in report["contributions"]):
        largest = sorted(report["by_fluent"].items(), key=lambda item: -abs(item[1]))[:top]
        rows = [{"amount": amount, "fluent": name} for name, amount in largest]
        parts.append(Table(rows, "={amount:+.4f} | ={fluent}", "by the fluents behind them"))
    return parts


def _holding(game: Game, state: State, contribution: Contribution) -> list[str]:
    """Return which of the fluents that a contribution reads hold."""
    return [game.fluents[fluent] for fluent in contribution.fluents if state.fluents[fluent]]


def _by_fluent(
    game: Game, state: State, attribution: Attribution, *, of_move: bool
) -> dict[str, float]:
    """Return what fluents add, by their names, where that is not 0.

    After a move others hold than before it, so there names alone are given.
    """
    held = state.fluents.tolist()
    return {
        name if there or of_move else f"(not {name})": amount
        for name, there, amount in zip(game.fluents, held, attribution.by_fluent, strict=True)
        if amount
    }
