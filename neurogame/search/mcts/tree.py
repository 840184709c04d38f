"""One tree of Monte-Carlo tree search with all that its thread needs; it belongs to one thread."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import UInt64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.graph.lanes import popcount
from neurogame.judges.moves import no_scores
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.policy import decay
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.native.entries import entry
from neurogame.search.mcts.compiled.ahead import TRIES, forget_ahead, make_ahead
from neurogame.search.mcts.compiled.compact import compact, is_half_full
from neurogame.search.mcts.compiled.expand import set_root
from neurogame.search.mcts.compiled.pace import LONG
from neurogame.search.mcts.compiled.reading import choose, make_reading, read_line, read_root
from neurogame.search.mcts.compiled.run import FULL, parts, run
from neurogame.search.mcts.compiled.search import (
    GRAVE,
    PACES,
    RAVE,
    UCT,
    Judging,
    Options,
    Search,
    Uniform,
    make_judging,
    make_simulations,
    new_pace,
    no_totals,
)
from neurogame.search.mcts.compiled.tables import are_short, widen
from neurogame.search.mcts.compiled.tree import MOST_MOVES, Node, Record, Tree, clear
from neurogame.search.mcts.options import (
    DEPTH,
    is_hinted,
    is_recorded,
    leaves_ahead,
    make_policy,
)
from neurogame.search.mcts.proofs import MctsProofs
from neurogame.search.mcts.room import NodeLayout, halved, make_tree, room_of
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.refusal import say_less_memory

_UNBOUNDED = 1 << 62
_MOVING = 2e-7
"""Seconds per node that making room is taken to last before that has been measured: in five games
0.15 to 0.23 microseconds where nodes that are needed must go, a fifth of that where few are."""
_FEW_LANES = 64
"""Leaves beyond which blocks grow only where they take long, unless the settings say how many there
are to be."""
_MEASURED = 20_000
"""Nodes of a tree from which on it is worth measuring."""
_SHARE, _IDLE = 0.25, 0.1
"""Parts of the time of a search that making room may take, in the search and while others move."""
_ALWAYS = 500_000
"""Nodes that a tree may have however short searches are."""
_FEWEST = 1000
"""Nodes for which there must be memory."""
_NARROW_MOVES = 1 << 16
"""Move numbers below this fit half a word."""


@final
@dataclass(frozen=True, kw_only=True)
class TreePlan:
    """What a tree is made for.

    Attributes:
        circuit: the game, or its foreseen rules.
        options: of the search.
        capacity: most nodes; None: as many as fit the memory.
        memory: most bytes.
        lanes: most leaves of a block.
        settings: of playouts.
        wide: whether move numbers take a word even where half of it would do.
        playing: the game as uniform playouts play it; None: as it is.
        ahead: leaves of a block in a search of one at a time, see
            :mod:`~neurogame.search.mcts.compiled.ahead`; up to 4: none is played ahead of its need.
            None: as many as pay.
    """

    circuit: Circuit
    options: Options
    capacity: int | None
    memory: int
    lanes: int
    settings: MctsSettings
    wide: bool = False
    playing: Circuit | None = None
    ahead: int | None = None

    def __post_init__(self) -> None:
        """Refuse what does not fit the numbers of a tree.

        Raises:
            LimitError: the game has too many moves.
        """
        if self.circuit.move_count > MOST_MOVES:
            raise LimitError(
                f"mcts: the game has {self.circuit.move_count} moves; its trees have room for "
                f"{MOST_MOVES}: take another search"
            )


@final
class MctsTree:
    """A tree, the rules, blocks of leaves and the simulations on their way.

    Attributes:
        plan: what it was made for.
        totals: what has been done, of all searches together.
        pace: how many simulations blocks have where time is limited.
        reading: what the tree says of its root, once it has one.
    """

    def __init__(
        self,
        plan: TreePlan,
        values: SearchEvaluator,
        *,
        playout_scores: SearchJudge | None = None,
        tree_scores: SearchJudge | None = None,
        proofs: MctsProofs | None = None,
    ) -> None:
        """Compile what is needed, or load it from the cache.

        Args:
            plan: what to make.
            values: the evaluator, for this tree alone.
            playout_scores: the judge of moves in playouts, for this tree alone.
            tree_scores: the judge of moves in the tree, for this tree alone.
            proofs: takes the states that are proved.
        """
        self.plan, self._values = plan, values
        self._playout_scores, self._tree_scores = playout_scores, tree_scores
        self.totals, self.pace = no_totals(), new_pace(plan.settings.lanes or _FEW_LANES)
        # Others write their moves ply by ply.
        self._played = plan.options.kind != UCT and plan.settings.plays_whole_games
        self._ahead = make_ahead(
            plan.circuit,
            leaves_ahead(plan.circuit, plan.options, plan.settings, plan.ahead),
            depth=DEPTH,
            played=self._played,
        )
        room = max(plan.lanes, self._room(1))
        self._policy = make_policy(plan.circuit, plan.settings, playout_scores, room)
        plain = self._policy is None and tree_scores is None and not is_hinted(plan.options)
        # Rules alone take no longer for a whole word: nothing is to be found out there.
        self._first_pace = self.pace.few.bit_length() - 1 if plain else 0
        self._parts = parts(plan.options, guided=self._policy is not None)
        self._set_root, self._run = entry(set_root), entry(run)
        for reader in (read_root, choose, read_line):
            entry(reader)
        self._leaves: dict[int, Leaves] = {}
        self._searches: dict[int, Search] = {}
        self._tree: Tree | None = None
        self._proofs = proofs
        self._moving, self._patience, self._heeds = _MOVING, math.inf, True

    @property
    def tree(self) -> Tree:
        """The tree; before the first :meth:`set_root` there is none."""
        assert self._tree is not None
        return self._tree

    @property
    def size(self) -> int:
        """Number of nodes."""
        return 0 if self._tree is None else self._tree.size

    @property
    def root_leaves(self) -> Leaves:
        """The rules of the tree, with a block in which a root is looked at."""
        return self._leaves_of(1)

    @property
    def root_visits(self) -> int:
        """Number of simulations that have passed through the root, which there must be."""
        heap = self.tree.heap
        record = Node.over(heap, self.tree.root).record
        return Record.over(heap, record).visits if record > 0 else 0

    @property
    def scored(self) -> list[tuple[int, int]]:
        """Nanoseconds spent in the judges of playouts and of the tree, and moves scored there."""
        judges = self._playout_scores, self._tree_scores
        return [(j.scores.nanoseconds, j.scores.moves) if j else (0, 0) for j in judges]

    def set_root(
        self,
        state: UInt64s,
        *,
        anew: bool = False,
        seconds: float = math.inf,
        idle: bool = False,
    ) -> None:
        """Make a state the root.

        A tree that is more than half full makes room, for most of it cannot be reached any more
        after a move. Otherwise a kept tree would be full in the middle of the search, when nodes
        that are needed would have to go or the search to go on without new ones.

        Args:
            state: one that is not terminal, as words; uint64 ``[Fw]``.
            anew: whether to forget all that was searched before.
            seconds: what searches have; the tree grows no larger than room can be made in it in a
                part of that time.
            idle: whether nobody waits, so that this is the time to make room.

        Raises:
            LimitError: not even one node fits.
            MemoryError: there is not even memory for a thousand nodes.
        """
        leaves = self.root_leaves
        leaves.block.states[0] = state
        leaves.look(1)
        leaves.check()
        if self._tree is None:
            self._reserve(popcount(leaves.block.legal[0]))
        search, tree = self._search(1), self.tree
        self._patience, self._heeds = (_IDLE if idle else _SHARE) * seconds, True
        most = _SHARE * seconds / self._moving
        tree.most_nodes = len(tree.nodes) if math.isinf(most) else self._bounded(int(most))
        if anew or (self._would_be_late and _is_nearly_full(tree)):
            self._clear()
        if are_short(tree, 1):
            self._widen()
        former = tree.root
        self._set_root(search)
        has_moved = idle or tree.root != former
        if has_moved and tree.root >= 0 and is_half_full(tree) and not self._would_be_late:
            self._compact()
        if tree.root < 0:
            self._clear()
            self._set_root(search)
        if tree.root < 0:
            raise LimitError(
                f"mcts: a node of this game does not fit {len(tree.heap) * 4} bytes; give "
                "the tree more capacity or memory"
            )

    def run(
        self,
        lanes: int,
        *,
        simulations: int | None,
        nodes: int | None,
        until: int,
        deadline: int,
    ) -> int:
        """Search on; see :func:`~neurogame.search.mcts.compiled.run.run`.

        Where the tree is full what is visited least makes room, if there is time for that;
        otherwise the search goes on without new nodes.

        Args:
            lanes: most leaves of a block.
            simulations: total of all searches at which to stop; None: no bound.
            nodes: the same for nodes made.
            until: time at which to return.
            deadline: time at which the search is to be over, 0 for none.
        """
        lanes = self._paying(lanes)
        search = self._search(lanes)
        search.simulations = _UNBOUNDED if simulations is None else simulations
        search.nodes = _UNBOUNDED if nodes is None else nodes
        search.until, search.deadline, search.code = until, deadline, FULL
        while search.code == FULL:
            search.heeds = int(self._heeds)
            self._run(search)
            if search.code == FULL:
                self._make_room(lanes, deadline)
        self._leaves_of(lanes).check()
        if self._policy is not None:
            self._policy.steps.check()
        self._values.check()
        for judge in (self._playout_scores, self._tree_scores):
            if judge is not None:
                judge.check()
        return search.code

    def _paying(self, lanes: int) -> int:
        """Return how many leaves blocks are to have room for: many only where blocks take long."""
        few, pace = self.pace.few, self.pace
        if lanes <= few:
            return lanes
        digits = few.bit_length() - 1
        crowded = pace.usual >= digits and pace.times[digits] >= LONG
        return lanes if crowded else few

    def warm_up(self, state: UInt64s) -> None:
        """Do everything once, so that nothing is compiled while time is running.

        Args:
            state: one that is not terminal, as words; uint64 ``[Fw]``.
        """
        self.set_root(state)
        graph = bool(self.plan.options.numbers.graph)
        widen(self.tree, graph=graph)
        compact(self.tree, graph=graph)
        for self.pace.usual in (0, PACES - 1):
            # Small blocks and large ones.
            self.pace.times[:] = 2 * LONG
            self.run(self.plan.lanes, simulations=0, nodes=None, until=0, deadline=0)
        self.pace.usual, self.pace.times[:] = self._first_pace, 0
        self.forget()

    def forget(self) -> None:
        """Forget all nodes, and what was learned of moves."""
        self.fade(0.0)
        if self._tree is not None:
            self._clear()

    def _clear(self) -> None:
        """Forget all nodes."""
        clear(self.tree)
        forget_ahead(self._ahead)

    def fade(self, keep: float) -> None:
        """Forget a part of what was learned of moves.

        Args:
            keep: the part to keep, 0..1.
        """
        if self._policy is not None:
            decay(self._policy.policy, keep)

    def hand_over_proofs(self) -> None:
        """Tell what has been proved since the last call."""
        tree = self.tree
        if self._proofs is not None and tree.proof_count:
            self._proofs.add(tree, tree.proofs[: tree.proof_count])
        tree.proof_count = 0

    def _reserve(self, legal: int) -> None:
        """Reserve the tree's memory, once; less than wanted where the system refuses it.

        Args:
            legal: number of legal moves of all roles at the first root.
        """
        plan, options = self.plan, self.plan.options
        layout = NodeLayout(
            roles=len(plan.circuit.roles),
            fluents=len(plan.circuit.fluents),
            moves=plan.circuit.move_count,
            legal=legal,
            hinted=is_hinted(options),
            judged=options.judged != 0,
            all_moves=options.kind == RAVE,
            wide=plan.wide or plan.circuit.move_count > _NARROW_MOVES,
        )
        ref = options.numbers.ref if options.kind == GRAVE else None
        room = room_of(layout, memory=plan.memory, capacity=plan.capacity, ref=ref)
        while self._tree is None:
            try:
                self._tree = make_tree(layout, room, plan.circuit)
            except MemoryError:
                if room.nodes < 2 * _FEWEST:
                    raise
                room = halved(room)
                say_less_memory("mcts")
        self.reading = make_reading(self._tree, plan.circuit, plan.settings)

    @property
    def _would_be_late(self) -> bool:
        """Whether making room would take longer than there is patience for."""
        return self._moving * self.size > self._patience

    def _bounded(self, nodes: int) -> int:
        """Return a number of nodes that the tree has room for, and no search is too short for."""
        return min(max(nodes, _ALWAYS), len(self.tree.nodes))

    def _make_room(self, lanes: int, deadline: int) -> None:
        """Make room for more nodes, or have the search go on without.

        Args:
            lanes: leaves of a block.
            deadline: time at which the search is to be over, 0 for none.
        """
        tree = self.tree
        if tree.full == 0 and tree.size + lanes <= tree.most_nodes:
            self._widen()
            return
        left = (deadline - time.monotonic_ns()) / 1e9 if deadline else math.inf
        if self._would_be_late or 2 * self._moving * tree.size > left:
            self._heeds = False
            return
        self._compact(is_needed=True)
        self._heeds = self._heeds and not _is_nearly_full(tree)

    def _compact(self, *, is_needed: bool = False) -> None:
        """Drop what is not needed, or visited least; note how long that takes.

        Args:
            is_needed: whether most nodes are needed. What takes less time than that where they are
                not says nothing of it.
        """
        self.hand_over_proofs()
        size, begun = self.size, time.monotonic()
        forget_ahead(self._ahead)
        try:
            compact(self.tree, graph=bool(self.plan.options.numbers.graph))
        except MemoryError:
            self._heeds = False
            say_less_memory("mcts")
        taken = (time.monotonic() - begun) / max(size, 1)
        if size >= _MEASURED and (is_needed or taken > self._moving):
            self._moving += 0.5 * (taken - self._moving)

    def _widen(self) -> None:
        """Make the tables longer."""
        try:
            widen(self.tree, graph=bool(self.plan.options.numbers.graph))
        except MemoryError:
            self._heeds = False
            say_less_memory("mcts")

    def _leaves_of(self, lanes: int) -> Leaves:
        """Return the leaves of a block, and the rules."""
        if lanes not in self._leaves:
            options = self.plan.options
            self._leaves[lanes] = Leaves(
                self.plan.circuit,
                self._room(lanes),
                depth=DEPTH if options.traced else 1,
                plies=options.numbers.plies if is_recorded(self.plan.settings) else 0,
                playouts=self.plan.settings.playouts,
                played=self._played,
                playing=self.plan.playing,
            )
        return self._leaves[lanes]

    def _room(self, lanes: int) -> int:
        """Return for how many leaves there is room in blocks of a size."""
        return max(lanes, self._ahead.leaves) if lanes == 1 else lanes

    def _search(self, lanes: int) -> Search:
        """Return the search with blocks of a size, all of them in the same tree."""
        if lanes not in self._searches:
            circuit, leaves = self.plan.circuit, self._leaves_of(lanes)
            ahead = self._ahead if lanes == 1 else make_ahead(circuit, 0)
            self._searches[lanes] = Search(
                tree=self.tree,
                options=self.plan.options,
                sims=make_simulations(
                    simulations=max(lanes, TRIES * ahead.leaves),
                    depth=DEPTH,
                    roles=len(circuit.roles),
                    moves=circuit.move_count,
                ),
                totals=self.totals,
                pace=self.pace,
                block=leaves.block,
                ahead=ahead,
                rules=leaves.rules,
                values=self._values.values,
                guided=self._policy is not None,
                policy=Uniform() if self._policy is None else self._policy.policy,
                judging=self._judging(lanes),
                parts=self._parts,
                lanes=lanes,
            )
        return self._searches[lanes]

    def _judging(self, lanes: int) -> Judging:
        """Return room for nodes that are to get priors."""
        if self._tree_scores is None:
            return make_judging(scores=no_scores(), nodes=1, fluents=1, offsets=np.arange(2))
        return make_judging(
            scores=self._tree_scores.scores,
            nodes=lanes,
            fluents=len(self.plan.circuit.fluents),
            offsets=self.plan.circuit.move_offsets,
        )


def _is_nearly_full(tree: Tree) -> bool:
    """Return whether less than an eighth of the room for nodes or for the heap is left."""
    return 8 * tree.size > 7 * tree.most_nodes or 8 * tree.end > 7 * len(tree.heap)
