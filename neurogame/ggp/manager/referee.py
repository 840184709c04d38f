"""The game as the manager referees it: by the circuit, or by proofs where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from neurogame.errors import ConfigurationError, LimitError
from neurogame.gdl.library import load_rules
from neurogame.simulate.game import Game, State

RefereeChoice: TypeAlias = Literal["auto", "circuit", "prover"]
REFEREES: tuple[RefereeChoice, ...] = ("auto", "circuit", "prover")


def load_referee(name_or_path: str | Path, choice: RefereeChoice = "auto") -> Game:
    """Return a game to be refereed.

    Args:
        name_or_path: a library name (see ``neurogame games``) or a path.
        choice: ``circuit`` for the compiled game; ``prover`` for proofs, which need no grounding;
            ``auto`` for the compiled game, and proofs where it is too large to ground.

    Raises:
        RulesError: there is no such rulesheet, or it is not valid.
        LimitError: ``circuit``, but the rules are too large to ground.
    """
    if choice not in REFEREES:
        raise ConfigurationError(f"referee={choice}; allowed are {', '.join(REFEREES)}")
    rules, name = load_rules(name_or_path), Path(name_or_path).stem
    try:
        return Game.from_rules(rules, name, prover=choice == "prover")
    except LimitError:
        if choice != "auto":
            raise
    return Game.from_rules(rules, name, prover=True)


def legal_texts(state: State) -> list[dict[str, int]]:
    """Return per role its legal moves by their texts, in code point order; empty at the end."""
    # Without a circuit moves have numbers, and texts, from when they are first legal.
    legal = state.legal_moves
    by_role = zip(state.game.moves, legal, strict=True)
    return [{texts[move]: move for move in moves} for texts, moves in by_role]


def whole_goals(state: State) -> tuple[int | None, ...]:
    """Return per role its goal in 0..100, the highest of several, None if there is none."""
    return tuple(None if goal is None else round(goal) for goal in state.goals)
