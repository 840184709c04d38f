"""The game: what users hold, from a rulesheet to its states, moves and simulator."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import final

import torch

from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.errors import GameError
from neurogame.gdl.check import valid_rules
from neurogame.gdl.library import load_rules
from neurogame.gdl.terms import Rules
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import State


@final
class Game:
    """A game, ready to be played.

    Attributes:
        name: for messages and files.
        rules: the rulesheet.
        circuit: the compiled rules.
        roles: role names; ``[R]``.
        fluents: compact KIF text of each fluent, sorted by code point; ``[F]``.
        moves: per role the compact KIF texts of its moves, sorted by code point.
        move_offsets: start of each role's moves in the concatenation of all moves, and the
            total; ``[R + 1]``.
    """

    def __init__(self, name: str, rules: Rules, circuit: Circuit) -> None:
        """Join a name, rules and the circuit made from them; see :meth:`load`."""
        self.name, self.rules, self.circuit = name, rules, circuit
        self.roles, self.fluents, self.moves = circuit.roles, circuit.fluents, circuit.moves
        self.move_offsets = list(accumulate((len(m) for m in circuit.moves), initial=0))
        self._simulators: dict[tuple[torch.device, str], Simulator] = {}
        self._fluent_index = _folded_index(self.fluents)
        self._move_index = [_folded_index(moves) for moves in self.moves]

    @classmethod
    def load(cls, name_or_path: str | Path, *, cache: bool = True) -> Game:
        """Load a game of the library, or from a rulesheet file.

        Args:
            name_or_path: a library name (see ``neurogame games``) or a path.
            cache: whether to use the circuits cached on disk.

        Raises:
            RulesError: there is no such rulesheet, or it is not valid.
        """
        return cls.from_rules(load_rules(name_or_path), Path(name_or_path).stem, cache=cache)

    @classmethod
    def from_text(cls, text: str, name: str = "text", *, cache: bool = True) -> Game:
        """Make a game from the text of a rulesheet.

        Raises:
            RulesError: the text is not a valid rulesheet.
        """
        return cls.from_rules(valid_rules(text, source=name), name, cache=cache)

    @classmethod
    def from_rules(cls, rules: Rules, name: str, *, cache: bool = True) -> Game:
        """Make a game from valid rules."""
        return cls(name, rules, compile_rules(rules, cache=cache))

    def initial_state(self) -> State:
        """Return the state in which every match starts."""
        return State(self, torch.from_numpy(self.circuit.initial.copy()))

    def state(self, fluents: Iterable[str]) -> State:
        """Return the state in which exactly the given fluents hold.

        Args:
            fluents: compact KIF, in any case, such as ``(cell 1 1 b)``.

        Raises:
            GameError: a fluent does not exist in this game.
        """
        held = torch.zeros(len(self.fluents), dtype=torch.bool)
        held[[self.fluent_index(text) for text in fluents]] = True
        return State(self, held)

    def simulator(self, device: str | torch.device = "cpu", backend: str = "torch") -> Simulator:
        """Return the simulator on a device; made once per device and backend.

        Args:
            device: a torch device.
            backend: what evaluates given states; see :class:`Simulator`. Playouts choose theirs
                for themselves.

        Raises:
            ConfigurationError: there is no such backend, or it does not run on this device.
            MissingExtraError: its modules are not installed.
        """
        key = (torch.device(device), backend)
        if key not in self._simulators:
            self._simulators[key] = Simulator(self.circuit, *key)
        return self._simulators[key]

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
        moves = self._move_index[self.role_index(role)]
        index = moves.get(_folded(text))
        if index is None:
            example = next(iter(moves), "none")
            raise GameError(
                f"{role} has no move {text!r} in {self.name}; it has {len(moves)}, "
                f"such as {example}"
            )
        return index

    def __repr__(self) -> str:
        """Return the sizes of the game."""
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
