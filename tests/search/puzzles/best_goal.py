"""The best goal of a puzzle in all states one by one: the definition of what is searched."""

from __future__ import annotations

from neurogame.simulate.game import Game, State


def best_goal(game: Game) -> int:
    """Return the highest goal that any line of moves leads to."""
    waiting = [game.initial_state()]
    seen = set(waiting)
    best = -1
    while waiting:
        state = waiting.pop()
        if state.is_terminal or not state.legal_moves[0]:
            best = max(best, int(state.goals[0] or 0))
            continue
        for move in state.legal_moves[0]:
            after = state.next([move])
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return best


def end_of(game: Game, moves: tuple[int, ...], state: State | None = None) -> State:
    """Return the state that a line of moves leads to; moves that are not legal are refused."""
    state = state or game.initial_state()
    for move in moves:
        state = state.next([move])
    return state
