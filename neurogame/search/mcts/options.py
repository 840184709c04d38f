"""From the settings of Monte-Carlo tree search to the options of its compiled core."""

from __future__ import annotations

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.policy import PlayoutPolicy
from neurogame.kernels.leaves.preference import SCALINGS
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.kernels.words.pack import LANES
from neurogame.native.numbers import filled
from neurogame.search.mcts.compiled.search import (
    ALONE,
    BETA,
    FIRST,
    GRAVE,
    NEVER,
    NUMBER,
    PARENT,
    RAVE,
    SEED,
    UCT,
    WHOLE,
    Numbers,
    Options,
)
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.opposition import opposition
from neurogame.simulate.game import Game

DEPTH = 512
"""Plies that no path in a tree exceeds."""
_GATES_OF_A_LEAF, _GATES_OF_A_LATE_LEAF = 32, 256
"""Gates of a game for each leaf of a block that is worth its way down the tree, and for each beyond
a word: the later ones are needed less often."""
_MOST_AHEAD = 4 * LANES
"""Leaves of a block that take no longer than those of a word where vectors have four words or more;
the same on every processor, as playouts depend on it."""
_FEWEST_AHEAD = 4
"""Leaves of a block up to which none is played ahead: in tic-tac-toe a word takes no longer than
that would."""
_KINDS = {"rave": RAVE, "grave": GRAVE}
"""All others are :data:`UCT`."""
_MIXING = {"beta": BETA, "seed": SEED}


def make_options(game: Game, settings: MctsSettings, seed: int) -> Options:
    """Return the options of the core.

    Args:
        game: the game.
        settings: how to search.
        seed: of one tree; 0 to 2^63 - 1.
    """
    roles = len(game.players)
    constant = settings.solver and roles > 1 and opposition(game).constant_sum
    named = {"first": FIRST, "parent": PARENT}
    urgency = settings.urgency
    return Options(
        numbers=filled(Numbers, settings),
        kind=_KINDS.get(settings.tree, UCT),
        exploration=settings.exploration_constant,
        k=settings.equivalence,
        urgency=named[urgency] if isinstance(urgency, str) else NUMBER,
        urgent=0.0 if isinstance(urgency, str) else urgency,
        early=ALONE if roles == 1 or (constant and roles == 2) else WHOLE if constant else NEVER,
        opposed=constant and roles == 2,
        blend=settings.backup == "blend",
        judged=settings.tree_judge is not None,
        mixing=_MIXING[settings.mixing],
        ripe=settings.ripeness,
        scaling=SCALINGS[settings.tree_scaling],
        traced=settings.tree in _KINDS or is_recorded(settings),
        seed=seed,
        cutoff=-1 if settings.cutoff is None else settings.cutoff,
        depth=DEPTH,
    )


def leaves_ahead(
    circuit: Circuit, options: Options, settings: MctsSettings, leaves: int | None
) -> int:
    """Return of how many leaves blocks are in a search of one at a time; 0: of no more.

    See :mod:`~neurogame.search.mcts.compiled.ahead`.

    Args:
        circuit: the game.
        options: of the search.
        settings: of its playouts.
        leaves: at most; None: as many as pay.
    """
    # Simulations ahead must change nothing: not what playouts have learned, nor when priors come,
    # nor what chance draws, which is by what was drawn before. And evaluators are asked for no
    # state in vain.
    early, valued = options.judged and options.ripe > 1, is_hinted(options) or options.cutoff >= 0
    if is_recorded(settings) or early or valued or circuit.chance is not None:
        return 0
    if leaves is None:
        gates = circuit.gate_count
        leaves = max(min(gates // _GATES_OF_A_LEAF, LANES), gates // _GATES_OF_A_LATE_LEAF)
    leaves = min(leaves, _MOST_AHEAD // settings.playouts)
    return leaves if leaves > _FEWEST_AHEAD else 0


def is_recorded(settings: MctsSettings) -> bool:
    """Return whether playouts write their moves ply by ply.

    All-moves-as-first asks for no order, so it needs none of uniform playouts to the end.
    """
    if settings.playout == "mast" or (settings.playout_judge is not None and settings.blend < 1):
        return True
    return settings.tree in _KINDS and not settings.plays_whole_games


def is_hinted(options: Options) -> bool:
    """Return whether every new node is evaluated."""
    numbers = options.numbers
    return numbers.bias > 0 or numbers.minimax > 0 or numbers.experience > 0


def make_policy(
    circuit: Circuit, settings: MctsSettings, scores: SearchJudge | None, leaves: int
) -> PlayoutPolicy | None:
    """Return the policy of playouts, None where they need none.

    Args:
        circuit: the game.
        settings: of the search.
        scores: the judge of moves in playouts, for this policy alone.
        leaves: that are played at once.
    """
    if settings.plays_whole_games:
        return None
    return PlayoutPolicy(
        circuit,
        leaves,
        kind=settings.playout if settings.playout_judge is None else "scored",
        choice=settings.playout_choice,
        epsilon=settings.playout_epsilon,
        tau=settings.playout_tau,
        scores=scores,
        blend=settings.blend,
        scaling=settings.playout_scaling,
    )
