"""The game: what users hold, from a rulesheet to states and simulator."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import final

import torch

from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.errors import GameError, LimitError
from neurogame.gdl.check import valid_rules
from neurogame.gdl.library import load_rules
from neurogame.gdl.terms import Rules
from neurogame.simulate.circuit_state import CircuitState
from neurogame.simulate.proved_state import Proofs, ProvedState
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.state import State
from neurogame.structure.cache import structure_of
from neurogame.structure.relations import Relations, find_relations
from neurogame.structure.structure import Structure

__all__ = ["Game", "State"]


@final
class Game:
    """A game, ready to be played: on its circuit or, without one, by proofs.

    Without a circuit there are states, legal moves, goals and matches of players that need no
    more; everything else says that it needs the circuit.

    Attributes:
        name: for messages and files.
        rules: the rulesheet.
        roles: role names; ``[R]``.
    """

    def __init__(
        self, name: str, rules: Rules, circuit: Circuit | None, *, cache: bool = True
    ) -> None:
        """Join a name, rules and the circuit made from them, None: there is none.

        See :meth:`load`.
        """
        self._cache = cache
        self.name, self.rules, self._circuit = name, rules, circuit
        self._proofs: Proofs | None = None
        if circuit is None:
            self._proofs = Proofs(rules)
            self.roles = self._proofs.prover.roles
        else:
            self.roles = circuit.roles
        self._simulators: dict[tuple[torch.device, str], Simulator] = {}

    @classmethod
    def load(cls, name_or_path: str | Path, *, cache: bool = True, prover: bool = False) -> Game:
        """Load a game of the library, or from a rulesheet file.

        Args:
            name_or_path: a library name (see ``neurogame games``) or a path.
            cache: whether to use the circuits cached on disk.
            prover: whether to play by proofs, without a circuit.

        Raises:
            RulesError: there is no such rulesheet, or it is not valid.
            LimitError: it is too large to be grounded.
        """
        rules, name = load_rules(name_or_path, prover=prover), Path(name_or_path).stem
        try:
            return cls.from_rules(rules, name, cache=cache, prover=prover)
        except LimitError as error:
            if prover:
                raise
            raise LimitError(
                f"{error}; without grounding it is played by proofs: Game.load(..., prover=True), "
                "or --prover of 'neurogame match', 'play' and 'arena'"
            ) from None

    @classmethod
    def from_text(
        cls, text: str, name: str = "text", *, cache: bool = True, prover: bool = False
    ) -> Game:
        """Make a game from the text of a rulesheet.

        Raises:
            RulesError: the text is not a valid rulesheet.
        """
        rules = valid_rules(text, source=name, prover=prover)
        return cls.from_rules(rules, name, cache=cache, prover=prover)

    @classmethod
    def from_rules(
        cls, rules: Rules, name: str, *, cache: bool = True, prover: bool = False
    ) -> Game:
        """Make a game from valid rules."""
        circuit = None if prover else compile_rules(rules, cache=cache)
        return cls(name, rules, circuit, cache=cache)

    @property
    def has_circuit(self) -> bool:
        """Whether there is a circuit; if not, the game is played by proofs."""
        return self._circuit is not None

    @property
    def circuit(self) -> Circuit:
        """The compiled rules.

        Raises:
            GameError: there are none, as of what is made from them.
        """
        if self._circuit is None:
            raise self.without_circuit()
        return self._circuit

    def without_circuit(self) -> GameError:
        """Return the error of what needs a circuit where there is none."""
        return GameError(
            f"{self.name} is played by proofs, without a circuit: there are states, moves and "
            "goals, and the players random, human and mcts with the limits seconds and sims; what "
            "simulates, evaluates or learns needs the circuit (load the game without the prover)"
        )

    @property
    def fluents(self) -> tuple[str, ...]:
        """Compact KIF text of each fluent, sorted by code point; ``[F]``.

        Raises:
            GameError: there is no circuit.
        """
        return self.circuit.fluents

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """Per role the compact KIF texts of its moves, sorted by code point.

        Without a circuit those that were legal in the states looked at, in this order.
        """
        return self.circuit.moves if self._proofs is None else self._proofs.move_texts

    @cached_property
    def move_offsets(self) -> list[int]:
        """Start of each role's moves in the concatenation, and the total; ``[R + 1]``.

        Raises:
            GameError: there is no circuit.
        """
        offsets: list[int] = self.circuit.move_offsets.tolist()
        return offsets

    @cached_property
    def _fluent_index(self) -> dict[str, int]:
        return _folded_index(self.fluents)

    @cached_property
    def _move_index(self) -> list[dict[str, int]]:
        return [_folded_index(moves) for moves in self.circuit.moves]

    def initial_state(self) -> State:
        """Return the state in which every match starts."""
        if self._proofs is not None:
            return ProvedState(self, self._proofs, self._proofs.prover.initial())
        return CircuitState(self, torch.from_numpy(self.circuit.initial.copy()))

    def state(self, fluents: Iterable[str]) -> State:
        """Return the state in which exactly the given fluents hold.

        Args:
            fluents: compact KIF, in any case, such as ``(cell 1 1 b)``. Without a circuit
                nothing tells whether they can ever hold.

        Raises:
            GameError: a fluent does not exist in this game.
            RulesError: without a circuit, a text is not one ground term.
        """
        if self._proofs is not None:
            held = frozenset(map(self._proofs.prover.term, fluents))
            return ProvedState(self, self._proofs, held)
        flags = torch.zeros(len(self.fluents), dtype=torch.bool)
        flags[[self.fluent_index(text) for text in fluents]] = True
        return CircuitState(self, flags)

    def simulator(self, device: str | torch.device = "cpu", backend: str = "torch") -> Simulator:
        """Return the simulator on a device; made once per device and backend.

        Args:
            device: a torch device.
            backend: what evaluates given states; see :class:`Simulator`. Playouts choose theirs
                for themselves.

        Raises:
            ConfigurationError: there is no such backend, or it does not run on this device.
            MissingExtraError: its modules are not installed.
            GameError: there is no circuit.
        """
        key = (torch.device(device), backend)
        if key not in self._simulators:
            self._simulators[key] = Simulator(self.circuit, *key)
        return self._simulators[key]

    @cached_property
    def structure(self) -> Structure:
        """What the rules give away: variables, mode, geometry, lines and symmetries.

        Found when it is first asked for, and kept on disk as the circuit is.
        """
        return structure_of(self.circuit, self.rules, cache=self._cache)

    @cached_property
    def relations(self) -> Relations:
        """What the relations of the game are for: boards, counters, quantities; found once.

        What is said about many states is decided on all of them where they are few, else
        sampled; :func:`~neurogame.structure.relations.find_relations` proves more if it is given
        an analysis.
        """
        return find_relations(self.rules, self.circuit)

    def role_index(self, role: str) -> int:
        """Return the number of a role, in any case.

        Raises:
            GameError: the game has no such role.
        """
        for index, name in enumerate(self.roles):
            if name.lower() == role.lower():
                return index
        raise GameError(f"{self.name} has no role {role!r}; its roles are {', '.join(self.roles)}")

    def fluent_index(self, text: str) -> int:
        """Return the number of a fluent given as compact KIF, in any case.

        Raises:
            GameError: the fluent does not exist in this game.
        """
        index = self._fluent_index.get(_folded(text))
        if index is None:
            raise GameError(
                f"{self.name} has no fluent {text!r}; it has {len(self.fluents)}, "
                f"such as {self.fluents[0] if self.fluents else 'none'}"
            )
        return index

    def move_index(self, role: str, text: str) -> int:
        """Return the number of a move within its role's moves, in any case.

        Raises:
            GameError: the role does not exist or never has this move.
        """
        number = self.role_index(role)
        # Moves that are seen later are given numbers later.
        known = _folded_index(self.moves[number]) if self._proofs else self._move_index[number]
        index = known.get(_folded(text))
        if index is None:
            example = next(iter(known), "none")
            raise GameError(
                f"{role} has no move {text!r} in {self.name}; it has {len(known)}, "
                f"such as {example}"
            )
        return index

    def __repr__(self) -> str:
        """Return the sizes of the game."""
        if not self.has_circuit:
            return f"Game({self.name!r}: {len(self.roles)} roles, played by proofs)"
        return (
            f"Game({self.name!r}: {len(self.roles)} roles, {len(self.fluents)} fluents, "
            f"{self.circuit.move_count} moves, {self.circuit.gate_count} gates)"
        )


def _folded(text: str) -> str:
    """Return compact KIF in lower case with single blanks."""
    spaced = text.lower().replace("(", " ( ").replace(")", " ) ").split()
    return " ".join(spaced).replace("( ", "(").replace(" )", ")")


def _folded_index(texts: tuple[str, ...]) -> dict[str, int]:
    return {_folded(text): index for index, text in enumerate(texts)}
