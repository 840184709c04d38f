"""One tree of Monte-Carlo tree search with all that its thread needs; it belongs to one thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.move_scores import SearchJudge
from neurogame.kernels.leaves.policy import PlayoutPolicy, decay
from neurogame.kernels.mcts.compact import compact, is_half_full
from neurogame.kernels.mcts.flight import TOTALS, Flight, make_flight
from neurogame.kernels.mcts.judging import Judging, make_judging, no_judging
from neurogame.kernels.mcts.layout import (
    MOST_MOVES,
    NODES,
    PROOFS,
    RECORD,
    ROOT,
    VISITS,
)
from neurogame.kernels.mcts.priors import add_priors
from neurogame.kernels.mcts.root import call, child_by_joint, set_root
from neurogame.kernels.mcts.run import parts, run
from neurogame.kernels.mcts.search import Search, keep
from neurogame.kernels.mcts.tree import GRAVE, Options, Tree, clear, make_tree
from neurogame.kernels.native.compiled import entry
from neurogame.search.mcts_options import DEPTH, has_policy
from neurogame.search.mcts_settings import MctsSettings

_UNBOUNDED = 1 << 62
_NODE_WORDS = 64, 512
"""Fewest and most words of the heap that are reserved for a node."""
_MOST_WORDS = 1 << 28
"""Words that no heap exceeds: a gigabyte."""
_TABLE_BYTES = 1 << 28
"""Most memory of GRAVE's tables."""


@final
@dataclass(frozen=True, kw_only=True)
class TreePlan:
    """What a tree is made for.

    Attributes:
        circuit: the game.
        options: of the search.
        offsets: first move of each role, and the number of moves.
        best: best value of each role in this game, 0..1.
        capacity: most nodes.
        lanes: most leaves of a block.
        settings: of playouts.
        backend: what evaluates the rules; None: what suits the game.
    """

    circuit: Circuit
    options: Options
    offsets: tuple[int, ...]
    best: tuple[float, ...]
    capacity: int
    lanes: int
    settings: MctsSettings
    backend: str | None = None

    def __post_init__(self) -> None:
        """Refuse what does not fit the numbers of a tree.

        Raises:
            LimitError: the game has too many moves.
        """
        if self.offsets[-1] > MOST_MOVES:
            raise LimitError(
                f"mcts: the game has {self.offsets[-1]} moves; its trees have room for "
                f"{MOST_MOVES}: take another search"
            )


@final
class MctsTree:
    """A tree, the rules, a block of leaves and the simulations on their way.

    Attributes:
        plan: what it was made for.
        tree: the tree; before the first :meth:`set_root` there is none.
        totals: what has been done, of all searches together; see
            :class:`~neurogame.kernels.mcts.flight.Total`.
    """

    tree: Tree

    def __init__(
        self,
        plan: TreePlan,
        values: SearchEvaluator,
        *,
        playout_scores: SearchJudge | None = None,
        tree_scores: SearchJudge | None = None,
    ) -> None:
        """Compile what is needed, or load it from the cache.

        Args:
            plan: what to make.
            values: the evaluator, for this tree alone.
            playout_scores: the judge of moves in playouts, for this tree alone.
            tree_scores: the judge of moves in the tree, for this tree alone.
        """
        self.plan, self._values = plan, values
        self._playout_scores, self._tree_scores = playout_scores, tree_scores
        self.totals: npt.NDArray[np.int64] = np.zeros(TOTALS, np.int64)
        self._policy = _make_policy(plan, playout_scores)
        self._blocks: dict[int, tuple[Leaves, Flight, Judging]] = {}
        self._parts, self._set_root = parts(plan.options.kind), entry(set_root)
        self._memory: Any = None
        self._kept_for = 0, False
        self._of_tree: Tree | None = None

    @property
    def size(self) -> int:
        """Number of nodes."""
        return 0 if self._of_tree is None else int(self.tree.used[NODES])

    @property
    def root_visits(self) -> int:
        """Number of simulations that have passed through the root, which there must be."""
        heap = self.tree.heap
        record = int(heap[int(self.tree.used[ROOT]) + RECORD])
        return int(heap[record + VISITS]) if record > 0 else 0

    @property
    def scored(self) -> npt.NDArray[np.int64]:
        """Nanoseconds spent in the judges of playouts and of the tree, in all; int64 ``[2]``."""
        ports = (self._playout_scores, self._tree_scores)
        return np.array([0 if p is None else p.scores.nanoseconds for p in ports])

    @property
    def is_half_full(self) -> bool:
        """Whether more than half of the room for nodes or of their memory is used."""
        return self._of_tree is not None and is_half_full(self.tree)

    def set_root(self, state: npt.NDArray[np.uint64], *, anew: bool, hurried: bool) -> None:
        """Make a state the root, and make room if the tree is more than half full.

        Args:
            state: one that is not terminal, as words; uint64 ``[Fw]``.
            anew: whether to forget all that was searched before.
            hurried: whether there is no time to look for what may be kept of a full tree.

        Raises:
            LimitError: not even one node fits.
        """
        leaves = self._block(1)[0]
        leaves.block.states[0] = state
        leaves.look(1)
        leaves.check()
        self._reserve(int(np.bitwise_count(leaves.block.legal[0]).sum()))
        if anew or (hurried and self.is_half_full):
            clear(self.tree)
        call(self._set_root, self._address(1))
        if self.tree.used[ROOT] >= 0 and self.is_half_full:
            compact(self.tree, self.plan.options)
        if self.tree.used[ROOT] < 0:
            clear(self.tree)
            call(self._set_root, self._address(1))
        if self.tree.used[ROOT] < 0:
            raise LimitError(
                f"mcts: a node of this game does not fit {len(self.tree.heap) * 4} bytes; give "
                "the tree more capacity"
            )

    def run(
        self,
        lanes: int,
        *,
        simulations: int | None,
        nodes: int | None,
        until: int,
        deadline: int,
        narrow: bool = False,
    ) -> int:
        """Search on; see :func:`~neurogame.kernels.mcts.run.run`.

        Args:
            lanes: leaves of a block.
            simulations: total of all searches at which to stop; None: no bound.
            nodes: the same for nodes made.
            until: time at which to return.
            deadline: time at which the search is to be over, 0 for none.
            narrow: whether to use one half of the room only, so that the next search keeps all.
        """
        leaves = self._block(lanes)[0]
        code = run(
            self._address(lanes, narrow),
            self._parts,
            leaves.rules,
            leaves.block,
            self._values.values,
            None if self._policy is None else self._policy.policy,
            lanes,
            _UNBOUNDED if simulations is None else simulations,
            _UNBOUNDED if nodes is None else nodes,
            until,
            deadline,
        )
        leaves.check()
        if self._policy is not None:
            self._policy.steps.check()
        self._values.check()
        for port in (self._playout_scores, self._tree_scores):
            if port is not None:
                port.check()
        return code

    def warm_up(self, state: npt.NDArray[np.uint64]) -> None:
        """Do everything once, so that nothing is compiled while time is running.

        Args:
            state: one that is not terminal, as words; uint64 ``[Fw]``.
        """
        self.set_root(state, anew=False, hurried=False)
        compact(self.tree, self.plan.options)
        child_by_joint(self.tree.joints, 0, np.zeros(1, np.int64))
        self.run(self.plan.lanes, simulations=0, nodes=None, until=0, deadline=0)
        self.forget()

    def forget(self) -> None:
        """Forget all nodes, and what was learned of moves."""
        self.fade(0.0)
        if self._of_tree is not None:
            clear(self.tree)

    def fade(self, keep: float) -> None:
        """Forget a part of what was learned of moves.

        Args:
            keep: the part to keep, 0..1.
        """
        if self._policy is not None:
            decay(self._policy.policy, keep)

    def read_proofs(self) -> npt.NDArray[np.int32]:
        """Return the numbers of the nodes that were proved since the last call."""
        found = self.tree.proofs[: int(self.tree.used[PROOFS])].copy()
        self.tree.used[PROOFS] = 0
        return found

    def _reserve(self, legal: int) -> None:
        """Reserve the tree's memory, once.

        Args:
            legal: number of legal moves of all roles at the first root.
        """
        if self._of_tree is not None:
            return
        plan = self.plan
        low, high = _NODE_WORDS
        words = min(plan.capacity * min(max(24 + 4 * legal, low), high), _MOST_WORDS)
        tables = 0
        if plan.options.kind == GRAVE:
            wanted = 2 + 2 * plan.capacity // plan.options.ref
            tables = min(wanted, 2 + _TABLE_BYTES // (8 * plan.offsets[-1]))
        self.tree = self._of_tree = make_tree(
            nodes=plan.capacity,
            words=words + 4 * legal * plan.options.width + 1024,
            fluents=len(plan.circuit.fluents),
            offsets=plan.offsets,
            best=plan.best,
            tables=tables,
        )

    def _block(self, lanes: int) -> tuple[Leaves, Flight, Judging]:
        """Return leaves, room for simulations on their way, and for nodes that get priors."""
        if lanes not in self._blocks:
            circuit, options = self.plan.circuit, self.plan.options
            leaves = Leaves(
                circuit,
                lanes,
                depth=DEPTH if options.traced else 1,
                plies=options.plies if options.traced else 0,
                playouts=self.plan.settings.playouts,
                backend=self.plan.backend,
            )
            flight = make_flight(
                simulations=lanes,
                depth=DEPTH,
                roles=len(circuit.roles),
                moves=circuit.move_count,
            )
            flight = flight._replace(totals=self.totals)
            self._blocks[lanes] = leaves, flight, self._judging(lanes)
        return self._blocks[lanes]

    def _address(self, lanes: int, narrow: bool = False) -> int:
        """Return the address of the search with blocks of a size, and all or half of the room."""
        if self._kept_for != (lanes, narrow):
            leaves, flight, judging = self._block(lanes)
            tree = _half(self.tree) if narrow else self.tree
            search = Search(tree, self.plan.options, flight, leaves.block, judging)
            self._memory = keep(search)
            self._kept_for = lanes, narrow
        return int(self._memory.ctypes.data)

    def _judging(self, lanes: int) -> Judging:
        """Return room for nodes that are to get priors."""
        if self._tree_scores is None:
            return no_judging()
        return make_judging(
            scores=self._tree_scores.scores,
            function=entry(add_priors),
            nodes=lanes,
            fluents=len(self.plan.circuit.fluents),
            offsets=self.plan.offsets,
        )


def _half(tree: Tree) -> Tree:
    """Return the same tree with room for half as many nodes, in half of the heap."""
    nodes, words = len(tree.stubs) // 2, len(tree.heap) // 2
    return tree._replace(stubs=tree.stubs[:nodes], heap=tree.heap[:words], reals=tree.reals[:words])


def _make_policy(plan: TreePlan, scores: SearchJudge | None) -> PlayoutPolicy | None:
    """Return the policy of playouts, None where they need none."""
    settings = plan.settings
    if not has_policy(settings):
        return None
    return PlayoutPolicy(
        plan.circuit,
        plan.lanes,
        kind=settings.playout if settings.playout_judge is None else "scored",
        choice=settings.playout_choice,
        epsilon=settings.playout_epsilon,
        tau=settings.playout_tau,
        scores=scores,
        blend=settings.blend,
        scaling=settings.playout_scaling,
        backend=plan.backend or "auto",
    )
