"""Joint moves as people say them: who has no choice is left out."""

from __future__ import annotations

from collections.abc import Sequence

from neurogame.errors import NeurogameError
from neurogame.simulate.game import State


def joint_text(state: State, joint: Sequence[int]) -> str:
    """Return the moves of those who decide in a state, or of all where nobody does.

    Args:
        state: where the move is made.
        joint: one move per role, as indices within the role's moves.
    """
    game = state.game
    texts = [game.moves[role][move] for role, move in enumerate(joint)]
    deciding = [role for role, legal in enumerate(state.legal_moves) if len(legal) > 1]
    chosen = deciding or range(len(texts))
    if len(game.roles) == 1:
        return texts[0]
    return ", ".join(f"{game.roles[role]} {texts[role]}" for role in chosen)


def line_texts(state: State, line: Sequence[Sequence[int]]) -> list[str]:
    """Return the joint moves of a line as texts, as far as it can be followed.

    Args:
        state: where the line begins.
        line: joint moves.
    """
    texts = []
    for joint in line:
        if state.is_terminal:
            break
        texts.append(joint_text(state, joint))
        try:
            state = state.next(joint)
        except NeurogameError:
            break  # rules at fault: some role has no move
    return texts
