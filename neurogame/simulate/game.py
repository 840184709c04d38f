"""The game and its states: what users hold, from a rulesheet to moves and simulator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, final

import torch
from torch import Tensor

from neurogame.chance import chance_role, playing_roles
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.errors import GameError, LimitError
from neurogame.gdl.check import valid_rules
from neurogame.gdl.goal_values import met_goal
from neurogame.gdl.library import load_rules
from neurogame.gdl.terms import Rules
from neurogame.prover.game import ProverState
from neurogame.regress.foresight import foreseen
from neurogame.settings import texts, whole
from neurogame.simulate.proved_game import ProvedGame
from neurogame.simulate.simulator import Derived, Simulator
from neurogame.simulate.states import StateBatch
from neurogame.structure.cache import structure_of
from neurogame.structure.relations import Relations, find_relations
from neurogame.structure.structure import Structure
from neurogame.views import show_as


@final
class Game:
    """A game, ready to be played: on its circuit or, without one, by proofs.

    Without a circuit there are states, legal moves, goals and matches of players that need no
    more; everything else says that it needs the circuit.

    Attributes:
        name: for messages and files.
        rules: the rulesheet.
        roles: role names; ``[R]``.
        proved: what is known without a circuit; None where there is one.
    """

    def __init__(
        self, name: str, rules: Rules, circuit: Circuit | None, *, cache: bool = True
    ) -> None:
        """Join a name, rules and the circuit made from them, None: there is none.

        See :meth:`load`.
        """
        self._cache = cache
        self.name, self.rules, self._circuit = name, rules, circuit
        self.proved: ProvedGame | None = None
        if circuit is None:
            self.proved = ProvedGame(rules)
            self.roles = self.proved.prover.roles
        else:
            self.roles = circuit.roles
        self._simulators: dict[tuple[str, str], Simulator] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Copies, and other processes, make simulators of their own: machine code stays here."""
        return {**self.__dict__, "_simulators": {}}

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

    @cached_property
    def foreseen(self) -> Circuit:
        """The rules in which what a role can win with its next move is won already.

        :attr:`circuit` itself where that cannot be had; see
        :func:`neurogame.regress.foresight.foreseen`.

        Raises:
            GameError: there is no circuit.
        """
        return foreseen(self.circuit, cache=self._cache)

    def without_circuit(self) -> GameError:
        """Return the error of what needs a circuit where there is none."""
        return GameError(
            f"{self.name} is played by proofs, without a circuit: there are states, moves and "
            "goals, and the players random, human and mcts with the limits seconds and sims; what "
            "simulates, evaluates or learns needs the circuit (load the game without the prover)"
        )

    @cached_property
    def chance(self) -> int | None:
        """The role that plays uniformly at random and wants nothing; None if there is none."""
        return chance_role(self.roles)

    @cached_property
    def players(self) -> tuple[int, ...]:
        """The roles that somebody plays: all but chance, in their order."""
        return playing_roles(self.roles)

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
        return self.circuit.moves if self.proved is None else self.proved.move_texts

    @cached_property
    def move_offsets(self) -> list[int]:
        """Start of each role's moves in the concatenation, and the total; ``[R + 1]``.

        Raises:
            GameError: there is no circuit.
        """
        return list(map(int, self.circuit.move_offsets))

    @cached_property
    def _fluent_index(self) -> dict[str, int]:
        return _folded_index(self.fluents)

    @cached_property
    def _move_index(self) -> list[dict[str, int]]:
        return [_folded_index(moves) for moves in self.circuit.moves]

    def initial_state(self) -> State:
        """Return the state in which every match starts."""
        if self.proved is not None:
            return State(self, self.proved.prover.initial())
        return State(self, torch.from_numpy(self.circuit.initial.copy()))

    def state(self, fluents: Iterable[str]) -> State:
        """Return the state in which exactly the given fluents hold.

        Args:
            fluents: compact KIF, in any case, such as ``(cell 1 1 b)``. Without a circuit
                nothing tells whether they can ever hold.

        Raises:
            GameError: a fluent does not exist in this game.
            RulesError: without a circuit, a text is not one ground term.
        """
        fluents = texts(fluents, "state", "['(cell 1 1 b)', '(control x)']")
        if self.proved is not None:
            return State(self, frozenset(map(self.proved.prover.term, fluents)))
        flags = torch.zeros(len(self.fluents), dtype=torch.bool)
        flags[[self.fluent_index(text) for text in fluents]] = True
        return State(self, flags)

    def simulator(self, device: str | torch.device = "cpu", backend: str = "torch") -> Simulator:
        """Return the simulator on a device; made once per device and backend.

        Args:
            device: a torch device.
            backend: what evaluates given states; see :class:`Simulator`. Playouts choose theirs
                for themselves.

        Raises:
            ConfigurationError: there is no such device or backend, or it does not run there.
            MissingExtraError: its modules are not installed.
            GameError: there is no circuit.
        """
        key = (str(device), backend)
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
            if name.lower() == str(role).lower():
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
        known = _folded_index(self.moves[number]) if self.proved else self._move_index[number]
        index = known.get(_folded(text))
        if index is None:
            raise GameError(
                f"{role} has no move {text!r} in {self.name}; it has {len(known)}, "
                f"such as {next(iter(known), 'none')}"
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


def game_of(game: Game | str | Path) -> Game:
    """Return a game that is given, or named as in :meth:`Game.load`.

    Raises:
        GameError: it is neither.
    """
    if not isinstance(game, Game | str | Path):
        raise GameError(f"game: {game!r}; a Game, the name of a library game or a path is needed")
    return game if isinstance(game, Game) else Game.load(game)


@final
class State:
    """One state of a game, for people and for code that works state by state.

    Two states are equal if they belong to the same rules and the same fluents hold. In a terminal
    state nobody has a move: games go on where ``all(state.legal_moves)``. One that is not terminal
    but in which some role has none is stuck: :meth:`next` raises, playouts and matches stop there.

    Attributes:
        game: the game.
    """

    def __init__(self, game: Game, held: Tensor | ProverState) -> None:
        """Make a state.

        Args:
            game: the game.
            held: which fluents hold, bool ``[F]`` on the CPU, not to be changed; without a circuit
                those that hold, as terms.

        Raises:
            GameError: these are no fluents of the game.
        """
        self.game, self._held = game, held
        if isinstance(held, frozenset):
            self._key: bytes | ProverState = held
            return
        expected = len(game.fluents)
        if held.dtype != torch.bool or tuple(held.shape) != (expected,):
            raise GameError(
                f"a state of {game.name} is bool [{expected}], not {held.dtype} {list(held.shape)}"
            )
        self._key = held.cpu().numpy().tobytes()

    def __eq__(self, other: object) -> bool:
        """Return whether the same fluents hold in a state of the same rules."""
        if not isinstance(other, State):
            return NotImplemented
        one, two = self.game, other.game
        if one is not two and (one.proved or two.proved or one.circuit.key != two.circuit.key):
            return False
        return self._key == other._key

    def __hash__(self) -> int:
        """Return a hash of the fluents that hold."""
        return hash(self._key)

    def __repr__(self) -> str:
        """Return the game and what holds."""
        return f"State({self.game!r}, {' '.join(self.fluent_texts)})"

    @property
    def fluents(self) -> Tensor:
        """Which fluents hold; bool ``[F]`` on the CPU, not to be changed.

        Raises:
            GameError: the game has no circuit, so that nobody knows all its fluents.
        """
        if isinstance(self._held, frozenset):
            raise self.game.without_circuit()
        return self._held

    @property
    def terms(self) -> ProverState:
        """The fluents that hold, as terms, in a game without a circuit.

        Raises:
            GameError: the game has a circuit.
        """
        if not isinstance(self._held, frozenset):
            raise GameError(
                f"{self.game.name} has a circuit; what works by proofs is for games without one"
            )
        return self._held

    @cached_property
    def batch(self) -> StateBatch:
        """This state as a batch of size 1.

        Raises:
            GameError: the game has no circuit.
        """
        return StateBatch.from_bool(self.fluents[None])

    @cached_property
    def fluent_texts(self) -> tuple[str, ...]:
        """The fluents that hold, as compact KIF, sorted by code point."""
        if self.game.proved is not None:
            return tuple(sorted(map(self.game.proved.prover.text, self.terms)))
        return tuple(self.game.fluents[i] for i in self.fluents.nonzero().view(-1).tolist())

    @cached_property
    def _derived(self) -> Derived:
        return self.game.simulator().derive_one(self.fluents)

    @cached_property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        if self.game.proved is not None:
            return self.game.proved.prover.terminal(self.terms)
        return bool(self._derived.terminal)

    @cached_property
    def legal_moves(self) -> tuple[tuple[int, ...], ...]:
        """Per role the indices of its legal moves; all empty in a terminal state.

        They come in code point order of the moves' texts, which is ascending on a circuit.
        """
        if self.is_terminal:
            return tuple(() for _ in self.game.roles)
        if self.game.proved is not None:
            return self.game.proved.legal(self.terms)
        legal = self._derived.legal.numpy()
        return tuple(
            tuple(legal[begin:end].nonzero()[0].tolist())
            for begin, end in pairwise(self.game.move_offsets)
        )

    @cached_property
    def goals(self) -> tuple[float | None, ...]:
        """Per role its goal on 0..100, the highest if several, None if none is derivable."""
        if self.game.proved is not None:
            return self.game.proved.goals(self.terms)
        flags = iter(self._derived.goal_flags.tolist())
        result: list[float | None] = []
        for role, numbers in zip(self.game.roles, self.game.circuit.named_goals, strict=True):
            held = [number for number in numbers if next(flags)]
            result.append(float(met_goal(held[0], role)) if held else None)
        return tuple(result)

    def next(self, joint: Sequence[int | str]) -> State:
        """Return the state after one joint move.

        Args:
            joint: one move per role, as index within the role's moves or as text. A terminal
                state is returned unchanged, whatever the moves.

        Raises:
            GameError: a move is unknown or illegal, or some role has no legal move.
        """
        if self.is_terminal:
            return self
        for role, legal in zip(self.game.roles, self.legal_moves, strict=True):
            if not legal:
                raise GameError(
                    f"role {role} has no legal move in a state of {self.game.name} that is not "
                    "terminal: no step leads on; the rules should give every role a move"
                )
        if len(joint) != len(self.game.roles):
            raise GameError(
                f"a joint move of {self.game.name} has {len(self.game.roles)} moves, "
                f"one per role, not {len(joint)}"
            )
        moves = [
            self.game.move_index(role, move) if isinstance(move, str) else whole(move, "move")
            for role, move in zip(self.game.roles, joint, strict=True)
        ]
        if self.game.proved is not None:
            return State(self.game, self.game.proved.after(self.terms, moves))
        simulator = self.game.simulator()
        if not all(move in legal for move, legal in zip(moves, self.legal_moves, strict=True)):
            # It says which one is not legal.
            simulator.step(self.batch, torch.tensor([moves]))
        return State(self.game, simulator.step_one(self.fluents, moves))

    def __str__(self) -> str:
        """Return boards as text and the other fluents as a list."""
        return show_as("text", self)

    def svg(self) -> str:
        """Return a picture of the state as SVG."""
        return show_as("svg", self)

    def _repr_svg_(self) -> str:
        return self.svg()


def _folded(text: str) -> str:
    """Return compact KIF in lower case with single blanks."""
    spaced = text.lower().replace("(", " ( ").replace(")", " ) ").split()
    return " ".join(spaced).replace("( ", "(").replace(" )", ")")


def _folded_index(texts: tuple[str, ...]) -> dict[str, int]:
    return {_folded(text): index for index, text in enumerate(texts)}
