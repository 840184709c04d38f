"""What a search works on: its options, simulations on their way, and what it has done so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from neurogame.array_types import (
    Float32s1,
    Float32s2,
    Int32s1,
    Int32s2,
    Int32s3,
    Int64s1,
    UInt64s2,
)
from neurogame.judges.moves import MoveScores
from neurogame.judges.states import Values
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.native.arrays import overlay
from neurogame.native.compiled import inner
from neurogame.native.layout import Int32
from neurogame.native.numbers import numbers_of
from neurogame.native.struct import Struct, whole_numbers
from neurogame.search.mcts.compiled.ahead import PlayedAhead
from neurogame.search.mcts.compiled.tree import Tree
from neurogame.search.mcts.settings import MctsSettings

if TYPE_CHECKING:
    Numbers: TypeAlias = MctsSettings
else:
    # For the type checker they are the settings, whose fields have the same names and types.
    @numbers_of(MctsSettings)
    class Numbers(Struct):
        """The settings that are numbers or flags."""


UCT, RAVE, GRAVE = 0, 1, 2
"""Values of ``Options.kind``."""
FIRST, PARENT, NUMBER = 0, 1, 2
"""Values of ``Options.urgency``."""
NEVER, ALONE, WHOLE = 0, 1, 2
"""Values of ``Options.early``."""
BETA, SEED = 0, 1
"""Values of ``Options.mixing``."""


class Options(Struct):
    """How to search; numbers at run time, so that one compiled search serves all.

    Attributes:
        numbers: the settings that are numbers or flags, as they are.
        kind: :data:`UCT`, :data:`RAVE` or :data:`GRAVE`.
        exploration: the constant of the bound.
        k: visits at which both means of RAVE, or a mean and its prior, weigh alike.
        urgency: :data:`FIRST`, :data:`PARENT` or :data:`NUMBER`.
        urgent: that number.
        early: whether a node is proved once a child is the best that the deciding role can get:
            :data:`NEVER`, :data:`ALONE` (that leaves nothing open), :data:`WHOLE` (if the value is
            1, which leaves nothing to the others).
        opposed: whether there are two roles and their values sum to 1.
        blend: whether results are blended with the mean of the child.
        judged: whether a judge gives nodes priors.
        mixing: what a prior is: mixed with the mean of a move (:data:`BETA`), or its first mean
            (:data:`SEED`).
        ripe: visits from which a node has priors.
        scaling: of the judge's scores, see :mod:`~neurogame.kernels.leaves.preference`.
        traced: whether paths are written into the block.
        seed: of the order of edges and of playouts.
        cutoff: plies after which the evaluator values a playout; below 0: playouts are not cut.
        depth: most plies of a path in the tree.
    """

    numbers: Numbers
    kind: int
    exploration: float
    k: float
    urgency: int
    urgent: float
    early: int
    opposed: int
    blend: int
    judged: int
    mixing: int
    ripe: int
    scaling: int
    traced: int
    seed: int
    cutoff: int
    depth: int


STEP, AGAIN, OVER = 0, 1, 2
"""How a path ends: by a joint move to a state that is to be inserted in the tree, by one to a state
that is not, or in a node with proved values."""


class Simulation(Struct):
    """A simulation on its way down the tree and up again.

    Attributes:
        number: of the simulation in its block.
        link: where it has arrived, as in the tree.
        length: plies of its path.
        end: how that ends: :data:`STEP`, :data:`AGAIN` or :data:`OVER`.
        node: where it ends, 0 if that is not in the tree.
        record: where it is, 0 if its path has ended.
        leaf: of the block.
        table: which of GRAVE's tables is read.
        back: whether its path has led from a node to an older one.
    """

    number: Int32
    link: Int32
    length: Int32
    end: Int32
    node: Int32
    record: Int32
    leaf: Int32
    table: Int32
    back: Int32


_WORDS = 16
"""Words from one simulation to the next."""
LOGARITHMS = 4096
"""Counts whose ``sqrt(ln n)`` is looked up."""


class Simulations(Struct):
    """The simulations of a block, at most ``S``, each with a path of at most ``D`` plies.

    Attributes:
        first: of the simulations that are to descend.
        count: simulations of the present block.
        leaves: those of them that have a leaf.
        words: of each, see :class:`Simulation`; ``[16 S]``.
        active: those still on their way down; ``[S]``.
        at_leaf: the simulation at each leaf; ``[S]``.
        paths: of each ply of each: the record, and the chosen edges of its deciders; ``[D, S, 1 +
            R]``.
        results: what each brings back; ``[S, R]``.
        estimates: the evaluator's values of the leaves; ``[S, R]``.
        mark: last simulation in which a move was seen; ``[M]``.
        scratch: legal moves of one state, or moves seen in a simulation; ``[M + R]``.
        logarithm: ``sqrt(ln n)`` of small numbers.
    """

    first: int = 0
    count: int = 0
    leaves: int = 0
    words: Int32s1
    active: Int32s1
    at_leaf: Int32s1
    paths: Int32s3
    results: Float32s2
    estimates: Float32s2
    mark: Int64s1
    scratch: Int32s1
    logarithm: Float32s1


_simulation_at = overlay(Simulation)


@inner
def simulation_of(sims: Simulations, number: int) -> Simulation:
    """Return one of the simulations."""
    return _simulation_at(sims.words, _WORDS * number)


def make_simulations(*, simulations: int, depth: int, roles: int, moves: int) -> Simulations:
    """Reserve memory.

    Args:
        simulations: ``S``, at least 1.
        depth: ``D``, at least 1.
        roles: ``R``.
        moves: ``M``.
    """
    counts = np.maximum(np.arange(LOGARITHMS), 1).astype(np.float32)
    words = np.zeros((simulations, _WORDS), np.int32)
    words[:, 0] = np.arange(simulations)
    return Simulations(
        words=words.reshape(-1),
        active=np.zeros(simulations, np.int32),
        at_leaf=np.zeros(simulations, np.int32),
        paths=np.zeros((depth, simulations, 1 + roles), np.int32),
        results=np.zeros((simulations, roles), np.float32),
        estimates=np.zeros((simulations, roles), np.float32),
        mark=np.zeros(moves, np.int64),
        scratch=np.zeros(moves + roles, np.int32),
        logarithm=np.sqrt(np.log(counts)),
    )


class Totals(Struct):
    """What has been done, of all searches together.

    Attributes:
        simulations: so many.
        blocks: of simulations; also the number of the next block's random words.
        playouts: leaves that were played on.
        evaluations: states that the evaluator has valued.
        created: nodes made.
        longest: plies of the longest path.
        plies: of all paths.
        select: nanoseconds, like the following.
        rules: making the leaves' steps.
        insert: putting them in the tree.
        play: playing them on.
        evaluate: valuing them.
        back_up: of results.
    """

    simulations: int
    blocks: int
    playouts: int
    evaluations: int
    created: int
    longest: int
    plies: int
    select: int
    rules: int
    insert: int
    play: int
    evaluate: int
    back_up: int

    def numbers(self) -> dict[str, int]:
        """Return all of them by their names."""
        return whole_numbers(self)

    def set(self, numbers: dict[str, int]) -> None:
        """Set them to what :meth:`numbers` has returned."""
        for name, number in numbers.items():
            setattr(self, name, number)


def no_totals() -> Totals:
    """Return totals of nothing."""
    return Totals(**dict.fromkeys(Totals.layout(), 0))


PACES = 10
"""Number of paces."""


class Pace(Struct):
    """How many simulations the blocks of a timed search have, see ``pace.py``.

    Attributes:
        usual: where the time is limited the next block has 2 to the power of this at most.
        few: simulations beyond which blocks grow only where they take long.
        times: nanoseconds that blocks take at each pace, 0 where that is unknown; ``[PACES]``.
    """

    usual: int
    few: int
    times: Int64s1


def new_pace(few: int) -> Pace:
    """Return the pace of a search that knows nothing yet.

    Args:
        few: simulations beyond which blocks grow only where they take long.
    """
    return Pace(usual=0, few=few, times=np.zeros(PACES, np.int64))


class Judging(Struct):
    """Nodes that a judge of moves is to give priors, at most ``S`` at once.

    ``Fw`` and ``Mw`` words of a packed state and of packed legal moves, ``A`` most moves of one
    role, ``M`` moves of all roles.

    Attributes:
        count: how many there are.
        queue: their records; ``[S]``.
        scores: the judge.
        rows: 0, 1, 2, ... in the order in which a role's nodes are scored; ``[S]``.
        states: of the nodes, packed; ``[S, Fw]``.
        legal: their legal moves, packed; ``[S, Mw]``.
        marks: scores; ``[S, A]``.
        places: which legal move of its role a move is; ``[M]``.
        order: of edges; ``[2, A]``.
        column: a copy of words of moves; ``[A]``.
    """

    count: int = 0
    queue: Int32s1
    scores: MoveScores
    rows: Int64s1
    states: UInt64s2
    legal: UInt64s2
    marks: Float32s2
    places: Int32s1
    order: Int32s2
    column: Int32s1


def make_judging(*, scores: MoveScores, nodes: int, fluents: int, offsets: Int64s1) -> Judging:
    """Reserve memory.

    Args:
        scores: the judge.
        nodes: ``S``, at least 1.
        fluents: of the game.
        offsets: first move of each role, and the number of moves.
    """
    widest = int(np.diff(offsets).max(initial=1))
    return Judging(
        queue=np.zeros(nodes, np.int32),
        scores=scores,
        rows=np.zeros(nodes, np.int64),
        states=np.zeros((nodes, (fluents + 63) // 64), np.uint64),
        legal=np.zeros((nodes, (offsets[-1] + 63) // 64), np.uint64),
        marks=np.zeros((nodes, widest), np.float32),
        places=np.zeros(offsets[-1], np.int32),
        order=np.zeros((2, widest), np.int32),
        column=np.zeros(widest, np.int32),
    )


class Parts(Struct):
    """The parts of a search, compiled one by one; those that it does not need do nothing.

    Attributes:
        descend: leads the simulations of a block down the tree.
        gather_leaves: gives them leaves.
        insert: puts the leaves' states in the tree.
        play: plays the leaves on.
        take_leaf: makes the step of a single leaf and plays it on, with others ahead of need.
        collect: gathers the results.
        learn_all_moves: takes note of the moves that were made, in the tree and in playouts.
        back_up: adds the results to the tree.
        add_priors: has a judge asked.
    """

    descend: Callable[[Search], None]
    gather_leaves: Callable[[Search], None]
    insert: Callable[[Search], None]
    play: Callable[[Search], None]
    take_leaf: Callable[[Search], None]
    collect: Callable[[Search], None]
    learn_all_moves: Callable[[Search], None]
    back_up: Callable[[Search], None]
    add_priors: Callable[[Search], None]


class Uniform(Struct):
    """Stands for a policy of playouts where they need none."""


class Search(Struct):
    """One search.

    Attributes:
        tree: the tree.
        options: how to search.
        sims: simulations on their way.
        totals: what has been done.
        pace: of a timed search.
        block: leaves for the rules.
        ahead: leaves that were played before they are needed.
        rules: of the game.
        values: the evaluator.
        guided: whether playouts have a policy; otherwise they are uniform, and neither recorded
            nor cut.
        policy: of playouts; :class:`Uniform` where there is none.
        judging: nodes that are to get priors.
        parts: of the search.
        lanes: most simulations of a block.
        simulations: the total at which to stop.
        nodes: the total of created nodes at which to stop.
        until: the time at which to return, as
            :func:`~neurogame.native.clock.nanoseconds` tells it; 0 for none.
        deadline: the time at which the search must be over; 0 for none. Blocks are then as large
            as pays in this game, and none is begun that would end too late.
        heeds: whether to return where there is no room for more nodes; else the search goes on
            without them.
        code: why the search has returned.
        winner: the role whose win is pursued, see ``distance.py``; -1 if there is none.
        ties: whether moves that lose alike are compared, see ``ties.py``.
    """

    tree: Tree
    options: Options
    sims: Simulations
    totals: Totals
    pace: Pace
    block: Block
    ahead: PlayedAhead
    rules: StateMachine
    values: Values
    guided: int
    policy: Struct
    judging: Judging
    parts: Parts
    lanes: int
    simulations: int = 0
    nodes: int = 0
    until: int = 0
    deadline: int = 0
    heeds: int = 0
    code: int = 0
    winner: int = -1
    ties: int = 0
