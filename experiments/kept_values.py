"""How often moves of any player keep the exact value of a position."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import final

from neurogame.arena.exact_positions import move_values
from neurogame.evaluators.base import Evaluator
from neurogame.intervals import wilson_interval
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.exact import Prover
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State


@final
@dataclass(frozen=True, kw_only=True)
class ValueKeeping:
    """How often a player kept the game-theoretic value of a position.

    Attributes:
        states: positions that were asked about, and whose values are proved.
        kept: how many chosen moves keep the value.
        telling: positions in which some move does not keep it.
        telling_kept: how many chosen moves keep the value in these.
        unproved: positions that were left out, as not all their moves are proved.
    """

    states: int
    kept: int
    telling: int
    telling_kept: int
    unproved: int

    @property
    def share(self) -> float:
        """Share of the moves that keep the value, 0..1; NaN without positions."""
        return self.kept / self.states if self.states else float("nan")

    @property
    def telling_share(self) -> float:
        """The same where a move can lose something."""
        return self.telling_kept / self.telling if self.telling else float("nan")

    def text(self) -> str:
        """Return one line for people."""
        low, high = wilson_interval(self.kept, self.states)
        return (
            f"{100 * self.share:.1f} % of {self.states} moves keep the value "
            f"[{100 * low:.1f}, {100 * high:.1f}]; where some move does not, "
            f"{100 * self.telling_share:.1f} % of {self.telling}"
        )


def value_keeping_share(
    game: Game,
    choose: Callable[[State], int],
    states: Iterable[State],
    *,
    prover: Prover | None = None,
) -> ValueKeeping:
    """Count how many moves of a player keep the game-theoretic value.

    The values are exact: each move's position is searched to the end.

    Args:
        game: a game of turns that can be solved from these states.
        choose: returns a move of the role that has a choice, as index within its own moves.
        states: positions in which exactly one role has a choice.
        prover: used instead of a new one, whose proofs are without limit.

    Raises:
        GameError: in a state no role, or several, have a choice.
    """
    prover = prover or Prover(game)
    seen = kept = telling = telling_kept = unproved = 0
    for state in states:
        values = move_values(prover, state)
        if values is None:
            unproved += 1
            continue
        best = max(values.values())
        keeps = values[choose(state)] == best
        tells = min(values.values()) < best
        seen, kept = seen + 1, kept + keeps
        telling, telling_kept = telling + tells, telling_kept + (tells and keeps)
    return ValueKeeping(
        states=seen, kept=kept, telling=telling, telling_kept=telling_kept, unproved=unproved
    )


def value_kept_by(
    game: Game,
    evaluator: Evaluator,
    states: Iterable[State],
    *,
    seed: int = 0,
    prover: Prover | None = None,
) -> ValueKeeping:
    """Count how many moves that an evaluator chooses at one ply keep the exact value.

    Args:
        game: the game.
        evaluator: what is measured.
        states: positions in which exactly one role has a choice.
        seed: decides the order of equal moves.
        prover: knows exact values; None: a new one.

    Raises:
        GameError: in a state no role, or several, have a choice.
    """
    search = AlphaBeta(game, evaluator, settings=SearchSettings(foresight=False), seed=seed)
    return value_keeping_share(game, one_ply(search), states, prover=prover)


def one_ply(search: AlphaBeta, limit: Limit | None = None) -> Callable[[State], int]:
    """Return a function that chooses moves by looking one ply ahead.

    Args:
        search: with the evaluator that values what it sees.
        limit: another one than one ply.
    """
    limit = limit or Limit(depth=1)

    def choose(state: State) -> int:
        # What earlier searches proved would make it look further.
        search.forget()
        role = next(r for r in state.game.players if len(state.legal_moves[r]) > 1)
        return search.search(state, role, limit).move

    return choose
