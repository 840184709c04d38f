"""Exact values as a yardstick: how often an evaluator's move keeps what a position is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import torch

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.intervals import wilson_interval
from neurogame.search.exact import Prover
from neurogame.search.openings import Openings, play_opening
from neurogame.simulate.game import Game, State

_NODES = 1000
"""States that the proof of one move's value may generate."""
_PLIES, _TRIED, _FEWEST = 16, 2, 20
"""Numbers of plies that positions come from; how many are tried for each that is wanted; of fewer
positions nothing is said."""


@final
@dataclass(frozen=True, kw_only=True)
class ValueKept:
    """How often moves kept the value under best play, where some move loses something.

    Attributes:
        positions: that were asked about; at least 1.
        kept: moves that keep it; of equally good ones each counts its share.
    """

    positions: int
    kept: float

    @property
    def share(self) -> float:
        """Share of the moves that keep it, 0..1."""
        return self.kept / self.positions

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval, of Wilson."""
        return wilson_interval(self.kept, self.positions)

    def to_json(self) -> dict[str, Any]:
        """Return the fields, share and interval as a JSON-able dictionary."""
        low, high = self.interval
        return {
            "positions": self.positions,
            "kept": self.kept,
            "share": self.share,
            "low": low,
            "high": high,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ValueKept:
        """Return what :meth:`to_json` has written."""
        return cls(positions=values["positions"], kept=values["kept"])


@final
class ExactPositions:
    """Positions of one chooser, with the proved value of each move; some move loses something."""

    def __init__(self, positions: Iterable[tuple[State, dict[int, float]]]) -> None:
        """Take positions, at least one.

        Args:
            positions: each with what its moves are worth, see :func:`move_values`.
        """
        self._positions: list[tuple[int, list[State], list[float]]] = []
        for state, values in positions:
            role = chooser(state)
            children = dict(_children(state, role))
            self._positions.append(
                (role, list(children.values()), [values[move] for move in children])
            )
        self._fluents = torch.stack(
            [child.fluents for _, children, _ in self._positions for child in children]
        )

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self._positions)

    def kept_by(self, evaluator: Evaluator) -> ValueKept:
        """Return how often the move that looks best one ply ahead keeps the value.

        Args:
            evaluator: of the game.
        """
        with torch.no_grad():
            seen = iter(evaluator(self._fluents).tolist())
        kept = 0.0
        for role, children, proved in self._positions:
            scores = [
                (child.goals[role] or 0) / 100 if child.is_terminal else values[role]
                for child, values in zip(children, seen, strict=False)
            ]
            chosen = [
                value for value, score in zip(proved, scores, strict=True) if score == max(scores)
            ]
            kept += chosen.count(max(proved)) / len(chosen)
        return ValueKept(positions=len(self), kept=kept)


def exact_positions(
    game: Game,
    count: int,
    seed: int,
    *,
    longest: int,
    left: Callable[[], float] = lambda: math.inf,
) -> ExactPositions | None:
    """Return positions of random play whose values are proved.

    Args:
        game: the game.
        count: how many, at most.
        seed: decides which.
        longest: random plies that lead to them, at most.
        left: seconds that are left for it, asked before each proof.

    Returns:
        None where too few are proved for a share to say something.
    """
    prover = Prover(game, _NODES)
    plies = spread_plies(longest)
    each = -(-count // len(plies))
    found: list[tuple[State, dict[int, float]]] = []
    for number in plies:
        wanted = len(found) + each
        for state in sample_positions(game, _TRIED * each, seed, [number]):
            if len(found) == min(wanted, count) or left() <= 0:
                break
            values = move_values(prover, state)
            if values is not None and min(values.values()) < max(values.values()):
                found.append((state, values))
    return ExactPositions(found) if len(found) >= _FEWEST else None


def spread_plies(longest: int) -> range:
    """Return numbers of random plies that positions of all phases come from, the highest first.

    Args:
        longest: the highest; at least 1 is taken.
    """
    return range(max(longest, 1), 0, -max(1, longest // _PLIES))


def sample_positions(game: Game, count: int, seed: int, plies: Iterable[int]) -> list[State]:
    """Return different positions of a game in which exactly one role has a choice.

    Args:
        game: the game.
        count: how many of each number of plies, at most.
        seed: decides which.
        plies: random joint moves that lead to them.
    """
    positions: dict[State, None] = {}
    for number in plies:
        for opening in Openings(game, number, seed, nodes=0).first(count):
            state = play_opening(game, opening)
            if has_chooser(state):
                positions[state] = None
    return list(positions)


def has_chooser(state: State) -> bool:
    """Return whether one role alone has a choice, and is not chance."""
    choosing = _choosing(state)
    return len(choosing) == 1 and choosing[0] != state.game.chance


def chooser(state: State) -> int:
    """Return the role that alone has a choice.

    Raises:
        GameError: no role, or several, have a choice, or chance has.
    """
    choosing = _choosing(state)
    if len(choosing) != 1:
        raise GameError(
            f"{len(choosing)} roles of {state.game.name} have a choice here; the value of a move "
            "needs a state in which exactly one has"
        )
    if choosing[0] == state.game.chance:
        raise GameError(
            f"chance alone has a choice in this state of {state.game.name}; the value of a move "
            "needs one in which a player has"
        )
    return choosing[0]


def move_values(prover: Prover, state: State) -> dict[int, float] | None:
    """Return what each move is worth to the role that chooses.

    Args:
        prover: of the game.
        state: a state in which exactly one role has several moves.

    Returns:
        Own move -> goal under best play, 0..1; None where a value is not proved.

    Raises:
        GameError: no role, or several, have a choice, or chance has.
    """
    role = chooser(state)
    values = {}
    for move, child in _children(state, role):
        value = prover.value(child, role)
        if value is None:
            return None
        values[move] = value
    return values


def _choosing(state: State) -> list[int]:
    """Return the roles that have several moves."""
    return [role for role, moves in enumerate(state.legal_moves) if len(moves) > 1]


def _children(state: State, role: int) -> Iterator[tuple[int, State]]:
    """Yield each move of the role that alone has a choice, and the state that it leads to."""
    joint = [moves[0] for moves in state.legal_moves]
    for move in state.legal_moves[role]:
        joint[role] = move
        yield move, state.next(joint)
