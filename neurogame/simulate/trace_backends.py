"""The two ways to replay a trace: on the circuit, many states at once, or by proofs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, final

import torch

from neurogame.array_types import Bools
from neurogame.errors import RulesError
from neurogame.gdl.terms import Sentence
from neurogame.gdl.write import term_text
from neurogame.prover.game import ProverGame, ProverState
from neurogame.simulate.game import Game
from neurogame.simulate.replay import StateReport
from neurogame.simulate.states import StateBatch
from neurogame.simulate.trace import TraceState

_T = TypeVar("_T")


@final
class ProverBackend:
    """Replays by proofs, state by state.

    Args:
        game: the game.
    """

    def __init__(self, game: ProverGame) -> None:
        self._game = game
        self._terms: dict[str, Sentence | None] = {}

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in role order, folded to lower case."""
        return tuple(role.lower() for role in self._game.roles)

    def initial(self) -> frozenset[str]:
        """Return the fluents of the initial state."""
        return _texts(self._game.initial())

    def answer(self, states: Sequence[TraceState]) -> list[StateReport]:
        """Return one answer for each recorded state."""
        return [self._answer(state) for state in states]

    def _answer(self, recorded: TraceState) -> StateReport:
        game = self._game
        state = frozenset(t for t in map(self._term, recorded.state) if t is not None)
        roles = range(len(game.roles))
        legal = [game.legal(state, role) for role in roles]
        return StateReport(
            terminal=game.terminal(state),
            legal=tuple(_texts(moves) for moves in legal),
            goals=tuple(frozenset(game.goals(state, role)) for role in roles),
            following=self._following(state, recorded, legal),
        )

    def _following(
        self, state: ProverState, recorded: TraceState, legal: Sequence[frozenset[Sentence]]
    ) -> frozenset[str] | None:
        joint = [self._term(move) for move in recorded.move or ()]
        moves = [move for move, allowed in zip(joint, legal, strict=False) if move in allowed]
        if recorded.move is None or len(moves) < len(legal):
            return None
        return _texts(self._game.next(state, [move for move in moves if move is not None]))

    def _term(self, text: str) -> Sentence | None:
        if text not in self._terms:
            try:
                self._terms[text] = self._game.term(text)
            except RulesError:
                self._terms[text] = None
        return self._terms[text]


@final
class CircuitBackend:
    """Replays on the circuit: all states of a batch in one pass.

    Args:
        game: the game.
        backend: what evaluates the circuit; see :mod:`~neurogame.kernels.backends`.
    """

    def __init__(self, game: Game, backend: str = "torch") -> None:
        self._game = game
        self._simulator = game.simulator(backend=backend)
        self._fluents = [text.lower() for text in game.fluents]
        self._moves = [[text.lower() for text in moves] for moves in game.moves]
        self._fluent_index = {text: index for index, text in enumerate(self._fluents)}
        self._move_index = [
            {text: index for index, text in enumerate(moves)} for moves in self._moves
        ]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in role order, folded to lower case."""
        return tuple(role.lower() for role in self._game.roles)

    def initial(self) -> frozenset[str]:
        """Return the fluents of the initial state."""
        return self._states(self._simulator.initial(1))[0]

    def answer(self, states: Sequence[TraceState]) -> list[StateReport]:
        """Return one answer for each recorded state."""
        held = torch.zeros(len(states), len(self._fluents), dtype=torch.bool)
        for row, recorded in enumerate(states):
            known = [self._fluent_index[f] for f in recorded.state if f in self._fluent_index]
            held[row, known] = True
        batch = StateBatch.from_bool(held)
        derived = self._simulator.derive(batch)
        legal, goals = derived.legal.numpy(), derived.goal_flags.numpy()
        terminal = derived.terminal.tolist()
        following = self._following(batch, states)
        values = [[value for value, _ in pairs] for pairs in self._game.circuit.goals]
        answers = []
        for row in range(len(states)):
            answers.append(
                StateReport(
                    terminal=terminal[row],
                    legal=_split(legal[row], self._moves),
                    goals=_split(goals[row], values),
                    following=following[row],
                )
            )
        return answers

    def _following(
        self, batch: StateBatch, states: Sequence[TraceState]
    ) -> list[frozenset[str] | None]:
        """Step all states whose recorded move the game has."""
        rows, moves = [], []
        for row, recorded in enumerate(states):
            joint = zip(self._move_index, recorded.move or (), strict=False)
            indices = [known[move] for known, move in joint if move in known]
            if recorded.move is not None and len(indices) == len(self._moves):
                rows.append(row)
                moves.append(indices)
        following: list[frozenset[str] | None] = [None] * len(states)
        if rows:
            chosen = batch.select(torch.tensor(rows))
            joint_moves = torch.tensor(moves)
            # An illegal recorded move is reported as a mismatch, not refused here.
            after = self._simulator.step(chosen, joint_moves, check=False)
            for row, state in zip(rows, self._states(after), strict=True):
                following[row] = state
        return following

    def _states(self, batch: StateBatch) -> list[frozenset[str]]:
        held = batch.to_bool().numpy()
        return [frozenset(self._fluents[i] for i in row.nonzero()[0]) for row in held]


def _texts(terms: frozenset[Sentence]) -> frozenset[str]:
    return frozenset(term_text(term) for term in terms)


def _split(flags: Bools, groups: Sequence[Sequence[_T]]) -> tuple[frozenset[_T], ...]:
    """Return for each group the members whose flag is set; ``flags`` covers all groups in turn."""
    split, start = [], 0
    for members in groups:
        held = flags[start : start + len(members)].nonzero()[0].tolist()
        split.append(frozenset(members[i] for i in held))
        start += len(members)
    return tuple(split)
