"""What is known of a game that has no circuit and is played by proofs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from neurogame.errors import GameError
from neurogame.gdl.terms import Rules, Sentence
from neurogame.prover.game import ProverGame, ProverState


@final
class ProvedGame:
    """What is known of a game without a circuit: its prover, and the moves seen so far.

    Nobody knows all moves of such a game; each is given the next number when it is first legal.
    """

    def __init__(self, rules: Rules) -> None:
        """Prepare proofs.

        Args:
            rules: they need not be such that they can be grounded.

        Raises:
            RulesError: the rules cannot be proved from, see :class:`ProverGame`.
            LimitError: see there.
        """
        self.prover = ProverGame(rules)
        self._moves: list[list[Sentence]] = [[] for _ in self.prover.roles]
        self._numbers: list[dict[Sentence, int]] = [{} for _ in self.prover.roles]

    @property
    def move_texts(self) -> tuple[tuple[str, ...], ...]:
        """Per role the moves seen so far, by number, as compact KIF."""
        return tuple(tuple(map(self.prover.text, moves)) for moves in self._moves)

    def legal(self, held: ProverState) -> tuple[tuple[int, ...], ...]:
        """Return per role the numbers of its legal moves, in code point order of their texts.

        Args:
            held: the fluents of a state that is not terminal.
        """
        return tuple(
            tuple(self.number(role, move) for move in moves)
            for role, moves in enumerate(self.prover.choices(held))
        )

    def after(self, held: ProverState, moves: Sequence[int]) -> ProverState:
        """Return the fluents that hold after a joint move.

        Args:
            held: the fluents of a state that is not terminal.
            moves: per role the number of its move.

        Raises:
            GameError: a move is not legal, or unknown.
        """
        joint = [self._move(role, number) for role, number in enumerate(moves)]
        for role, (number, legal) in enumerate(zip(moves, self.legal(held), strict=True)):
            if number not in legal:
                raise GameError(
                    f"{self.prover.text(joint[role])} is not legal for role "
                    f"{self.prover.roles[role]}; take a move that State.legal_moves shows as legal"
                )
        return self.prover.next(held, joint)

    def goals(self, held: ProverState) -> tuple[float | None, ...]:
        """Return per role its goal on 0..100, the highest if several, None if there is none."""
        goal_sets = (self.prover.goals(held, role) for role in range(len(self._moves)))
        return tuple(float(max(values)) if values else None for values in goal_sets)

    def _move(self, role: int, number: int) -> Sentence:
        if not 0 <= number < len(self._moves[role]):
            raise GameError(
                f"role {self.prover.roles[role]} has no move {number}; so far "
                f"{len(self._moves[role])} were seen, numbered from 0"
            )
        return self._moves[role][number]

    def number(self, role: int, move: Sentence) -> int:
        """Return the number of a legal move, a new one if it was never seen."""
        number = self._numbers[role].setdefault(move, len(self._moves[role]))
        if number == len(self._moves[role]):
            self._moves[role].append(move)
        return number
