"""The batch simulator: legal moves, ends, goals and successors of many states at once."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError, NeurogameWarning
from neurogame.kernels.backends import known_device, playout_kernel, resolve_backend, step_kernel
from neurogame.kernels.joint_moves import joint_moves
from neurogame.kernels.playout import PlayoutKernel
from neurogame.kernels.step import GOALS, NEXT, STATUS, StepKernel
from neurogame.kernels.words.pack import lane_mask, pack_one_hot, unpack
from neurogame.simulate.states import StateBatch


@final
@dataclass(frozen=True, eq=False)
class Look:
    """What there is to know about states before moving.

    Attributes:
        status: what the rules say of legal moves, and last of ends, as words of lanes like those of
            states; int64 ``[M + 1, W]``.
        terminal: bool ``[B]``.
        goals: per role, goal value / 100; float32 ``[B, R]`` in 0..1. Where the rules derive
            no goal it is 0, where they derive several it is the highest (one warning, if this
            happens in a terminal state).
    """

    status: Tensor
    terminal: Tensor
    goals: Tensor

    @cached_property
    def legal_words(self) -> Tensor:
        """The same as :attr:`legal` as words of lanes; int64 ``[M, W]``."""
        open_ = ~self.status[-1] & lane_mask(len(self.terminal), self.status.device)
        return self.status[:-1] & open_

    @cached_property
    def legal(self) -> Tensor:
        """Legal moves of all roles, concatenated in role order; bool ``[B, M]``.

        All false in a terminal state. A state that is not terminal but has no legal move for some
        role is stuck: it has no successor. They are the most there is, so only who asks pays.
        """
        return unpack(self.legal_words, len(self.terminal))


@final
@dataclass(frozen=True, eq=False)
class Derived:
    """Exactly what the rules derive, in terminal states too.

    Attributes:
        legal: bool ``[B, M]``.
        terminal: bool ``[B]``.
        goal_flags: one column per role and goal value, in the order of ``Circuit.goals``;
            bool ``[B, V]``.
    """

    legal: Tensor
    terminal: Tensor
    goal_flags: Tensor


@final
@dataclass(frozen=True, eq=False)
class Expansion:
    """All children of many states.

    Attributes:
        parent: index of the parent of each child, ascending; int64 ``[K]``.
        joint: the joint move that leads to it, each an index within the role's own moves;
            int64 ``[K, R]``. Lexicographic for each parent.
        states: the children.
        look: what there is to know about the children.
    """

    parent: Tensor
    joint: Tensor
    states: StateBatch
    look: Look


@final
class Simulator:
    """Plays many games at once in bit-slices, 64 per word.

    Attributes:
        circuit: the compiled rules.
        device: where all tensors live.
        move_offsets: start of each role's moves in the concatenation, and the total.
        initial_words: the initial state in all lanes of a word, 0 or -1; int64 ``[F, 1]``.
    """

    def __init__(
        self, circuit: Circuit, device: str | torch.device = "cpu", backend: str = "torch"
    ) -> None:
        """Take a circuit; its evaluation is planned, or compiled, when it is first needed.

        Args:
            circuit: the compiled rules.
            device: where all tensors live.
            backend: what evaluates states given from outside (``look``, ``step``, ``expand``); see
                :mod:`~neurogame.kernels.backends`. A compiled one is some ten times faster on
                large batches and takes as long to make as that of the playouts.

        Raises:
            ConfigurationError: there is no such device or backend, or it does not run on this
                device.
            MissingExtraError: its modules are not installed.
        """
        self.circuit = circuit
        named = known_device(device, held=True)
        # With its number, as tensors name it.
        self.device = torch.empty(0, device=named).device
        self._backend = resolve_backend(backend, self.device, circuit)
        self.move_offsets: list[int] = circuit.move_offsets.tolist()
        fluents = torch.from_numpy(circuit.initial.copy()).to(self.device, torch.int64)
        self.initial_words = -fluents[:, None]
        self._playouts: dict[str, PlayoutKernel] = {}
        self._warned = False

    @cached_property
    def _step(self) -> StepKernel:
        return step_kernel(self.circuit, self._backend, self.device)

    def playout_kernel(self, backend: str | None = None, *, moves: bool = False) -> PlayoutKernel:
        """Return what plays random games, made and compiled once per backend.

        Args:
            backend: see :mod:`~neurogame.kernels.backends`; None: ``auto``.
            moves: whether moves are to be counted, which ``auto`` then takes into account.

        Raises:
            ConfigurationError: there is no such backend, or it does not run on this device.
            MissingExtraError: its modules are not installed.
        """
        name = resolve_backend(backend, self.device, self.circuit, moves=moves)
        if name not in self._playouts:
            self._playouts[name] = playout_kernel(self.circuit, name, self.device)
        return self._playouts[name]

    def initial(self, size: int) -> StateBatch:
        """Return ``size`` copies of the initial state."""
        return StateBatch(self.initial_words & lane_mask(size, self.device), size)

    def check(self, states: StateBatch) -> None:
        """Refuse states of another game or device.

        Raises:
            GameError: they are.
        """
        fluents = len(self.circuit.fluents)
        if states.words.shape[0] != fluents or states.device != self.device:
            raise GameError(
                f"these states have {states.words.shape[0]} fluents on {states.device}, the "
                f"simulator has {fluents} on {self.device}: states of another game or device"
            )

    def look(self, states: StateBatch) -> Look:
        """Return legal moves, ends and goals of the states, in one pass of the circuit."""
        status, flags = self._run(states, (STATUS, GOALS))
        terminal = unpack(status[-1:], len(states))[:, 0]
        goals = self.goal_values(unpack(flags, len(states)), terminal)
        return Look(status, terminal, goals)

    def status(self, states: StateBatch) -> tuple[Tensor, Tensor]:
        """Return legal moves and ends without the goals, whose gates are often the most.

        Returns:
            bool ``[B, M]``, all false in terminal states, and bool ``[B]``.
        """
        status = self._run(states, (STATUS,))[0]
        terminal = unpack(status[-1:], len(states))[:, 0]
        return unpack(status[:-1] & ~status[-1], len(states)), terminal

    def derive(self, states: StateBatch) -> Derived:
        """Return what the rules derive, without any policy."""
        status, flags = self._run(states, (STATUS, GOALS))
        size = len(states)
        terminal = unpack(status[-1:], size)[:, 0]
        return Derived(unpack(status[:-1], size), terminal, unpack(flags, size))

    def derive_one(self, held: Tensor) -> Derived:
        """Return what the rules derive in one state, for which nothing has to be packed.

        Args:
            held: which fluents hold; bool ``[F]``, as are the answers, without a row for the state.
        """
        status, flags = (
            words[:, 0] & 1 != 0 for words in self._step.run(_one_lane(held), (STATUS, GOALS))
        )
        return Derived(status[:-1], status[-1], flags)

    def step_one(self, held: Tensor, moves: Sequence[int]) -> Tensor:
        """Return what holds after one joint move in a state in which it is legal; bool ``[F]``.

        Args:
            held: which fluents hold; bool ``[F]``.
            moves: per role an index within the role's own moves.
        """
        does = torch.zeros((self.move_offsets[-1], 1), dtype=torch.int64, device=self.device)
        for begin, move in zip(self.move_offsets, moves, strict=False):
            does[begin + move] = 1
        (following,) = self._step.run(_one_lane(held), (NEXT,), does)
        return following[:, 0] & 1 != 0

    def goal_values(self, flags: Tensor, terminal: Tensor) -> Tensor:
        """Turn goal flags into one value per role.

        Args:
            flags: bool ``[B, V]``, see :class:`Derived`.
            terminal: bool ``[B]``; missing and several goals are worth a warning only here.

        Returns:
            float32 ``[B, R]`` in 0..1.
        """
        values = torch.zeros((len(flags), len(self.circuit.roles)), device=flags.device)
        begin = 0
        for role, pairs in enumerate(self.circuit.goals):
            mine = flags[:, begin : begin + len(pairs)]
            # One column after the other: sums over short rows take ten times as long.
            for place, (value, _) in enumerate(pairs):
                goal = mine[:, place] * (value / 100)
                values[:, role] = torch.maximum(values[:, role], goal)
            if not self._warned and role != self.circuit.chance:
                self._check_goals(role, mine, terminal)
            begin += len(pairs)
        return values

    def _check_goals(self, role: int, flags: Tensor, terminal: Tensor) -> None:
        count = torch.zeros(len(flags), dtype=torch.uint8, device=flags.device)
        for flag in flags.unbind(dim=1):
            count += flag
        wrong = terminal & (count != 1)
        if bool(wrong.any()):
            self._warned = True
            warnings.warn(
                f"role {self.circuit.roles[role]} has {int(count[wrong][0])} goals in a terminal "
                "state, where the rules should give exactly one; no goal counts as 0, of several "
                "the highest counts (said once per game)",
                NeurogameWarning,
                stacklevel=4,
            )

    def step(self, states: StateBatch, moves: Tensor, *, check: bool = True) -> StateBatch:
        """Return the states after one joint move each; terminal states stay as they are.

        Args:
            states: ``B`` states.
            moves: per state and role an index within the role's own moves; int64 ``[B, R]``.
                Ignored in terminal states.
            check: whether to refuse illegal moves. Without it, the result of an illegal move
                is whatever the rules derive.

        Raises:
            GameError: a move is illegal; the message names the state, role and move. Or, checked
                in any case: a role has no move of this number, or has no moves at all.
        """
        size, roles = len(states), len(self.circuit.roles)
        if moves.dtype != torch.int64 or tuple(moves.shape) != (size, roles):
            raise GameError(
                f"the moves of {size} states must be int64 [{size}, {roles}], "
                f"not {moves.dtype} {list(moves.shape)}"
            )
        sizes = torch.tensor([len(texts) for texts in self.circuit.moves], device=self.device)
        known = moves.clamp(min=0).minimum(sizes - 1)
        does = self._does_words(known)
        status, following = self._run(states, (STATUS, NEXT), does)
        terminal = status[-1]
        none = (sizes == 0).expand(size, roles)
        if not torch.equal(known, moves) or bool(none.any()):
            unknown = ((known != moves) | none) & ~unpack(terminal[None], size)
            if bool(unknown.any()):
                row, role = unknown.nonzero()[0].tolist()
                if not sizes[role]:
                    raise self._stuck(row, role)
                raise GameError(
                    f"state {row}: role {self.circuit.roles[role]} has no move "
                    f"{int(moves[row, role])}; its moves are 0..{int(sizes[role]) - 1}"
                )
        if check:
            illegal = does & ~status[:-1] & ~terminal
            if bool(illegal.any()):
                self._refuse(unpack(illegal, size), unpack(status[:-1], size))
        words = following ^ ((following ^ states.words) & terminal)
        return StateBatch(words & lane_mask(size, self.device), size)

    def expand(self, states: StateBatch, legal: Tensor | None = None) -> Expansion:
        """Return all children of all states; terminal states have none.

        Nor has a state in which some role has no legal move.

        Args:
            states: ``B`` states.
            legal: their legal moves as :class:`Look` gives them, if known; bool ``[B, M]``.
        """
        if legal is None:
            legal = self.status(states)[0]
        parent, joint = joint_moves(legal, self.move_offsets)
        parents = states.select(parent)
        (words,) = self._run(parents, (NEXT,), self._does_words(joint))
        children = StateBatch(words & lane_mask(len(parent), self.device), len(parent))
        return Expansion(parent, joint, children, self.look(children))

    def children(self, state: StateBatch) -> Expansion:
        """Return all children of one state, lexicographic in the roles' moves.

        Raises:
            GameError: there is not exactly one state.
        """
        if len(state) != 1:
            raise GameError(f"children takes one state, not {len(state)}; see expand for many")
        return self.expand(state)

    def _does_words(self, moves: Tensor) -> Tensor:
        """Return the rows that say which moves are made; int64 ``[M, W]``."""
        start = torch.tensor(self.move_offsets[:-1], device=self.device)
        # A role without any moves makes none.
        return pack_one_hot(torch.where(moves < 0, -1, moves + start), self.move_offsets[-1])

    def _refuse(self, illegal: Tensor, legal: Tensor) -> None:
        """Say which move is illegal, and what is allowed; both are bool ``[B, M]``."""
        row, column = illegal.nonzero()[0].tolist()
        role = bisect_right(self.move_offsets, column) - 1
        if not bool(legal[row, self.move_offsets[role] : self.move_offsets[role + 1]].any()):
            raise self._stuck(row, role)
        text = self.circuit.moves[role][column - self.move_offsets[role]]
        raise GameError(
            f"state {row}: {text} is not legal for role {self.circuit.roles[role]}; "
            "take a move that look() or State.legal_moves shows as legal"
        )

    def _stuck(self, row: int, role: int) -> GameError:
        return GameError(
            f"state {row}: role {self.circuit.roles[role]} has no legal move although the state is "
            "not terminal: no step leads on; the rules should give every role a move (noop will do)"
        )

    def _run(
        self, states: StateBatch, groups: tuple[int, ...], does: Tensor | None = None
    ) -> list[Tensor]:
        """Compute groups of outputs of all words; int64 ``[O, W]`` each."""
        self.check(states)
        return self._step.run(states.words, groups, does)


def _one_lane(bits: Tensor) -> Tensor:
    """Return bits as words of which one lane is in use; int64 ``[N, 1]``."""
    return bits.to(torch.int64)[:, None]
