"""The settings of Monte-Carlo tree search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

from neurogame.errors import ConfigurationError

TREES = ("uct", "rave", "grave")
PLAYOUTS = ("uniform", "mast", "nst", "lgr")
CHOICES = ("greedy", "gibbs")
URGENCIES = ("first", "parent")
FINALS = ("robust", "max", "secure")
PENDINGS = ("wait", "loss")
BACKUPS = ("path", "blend")

_ALLOWED: dict[str, tuple[str, ...]] = {
    "tree": TREES,
    "playout": PLAYOUTS,
    "choice": CHOICES,
    "final": FINALS,
    "pending": PENDINGS,
    "backup": BACKUPS,
}
_ONE_PLAYOUT = "1, but for tree=uct with playout=uniform and no cutoff"
_DEFAULT_EXPLORATION = {"uct": 0.7, "rave": 0.2, "grave": 0.2}


@final
@dataclass(frozen=True, kw_only=True)
class MctsSettings:
    """How Monte-Carlo tree search searches; every name is also an option of the player string.

    The default is plain UCT with a transposition graph and proved values.

    Attributes:
        tree: how moves are chosen in the tree. ``uct``: mean plus bound; ``rave``: mixed with the
            all-moves-as-first mean of the node; ``grave``: with that of the nearest node above
            that has ``ref`` visits.
        playout: how moves are chosen in playouts. ``uniform``: all legal moves alike; ``mast``:
            by the mean value of the move anywhere; ``nst``: of the sequence of up to three moves
            that it ends; ``lgr``: the last good reply to the last move, else uniform.
        choice: how ``mast`` and ``nst`` turn means into a move. ``greedy``: with probability
            ``epsilon`` any move, else the best one; ``gibbs``: by ``exp(100 mean / tau)``.
        epsilon: probability of a uniform move in a ``greedy`` playout, 0..1.
        tau: temperature of ``gibbs``, for means on the scale 0..100; above 0.
        decay: share of the playout statistics that is kept from one search to the next, 0..1.
        exploration: the constant C of ``C sqrt(ln N / n)``, for values in 0..1; at least 0. None:
            0.7 for ``uct``, 0.2 for ``rave`` and ``grave``.
        k: visits at which ``rave`` and ``grave`` trust both means alike; above 0.
        ref: visits from which ``grave`` reads a node's own all-moves-as-first means; at least 1.
        urgency: value of a move that was not tried yet: ``first`` (before all others), ``parent``
            (the node's mean), or a number, with the bound of a move tried once.
        final: the move to play: ``robust`` (most visits), ``max`` (best mean), ``secure`` (best
            lower bound). A proved win is always taken, a proved loss never if there is a choice.
        solver: whether proved values are backed up.
        graph: whether equal states share a node.
        backup: what an edge into a shared node adds to its mean: ``path``: the result of the
            simulation; ``blend``: also what other paths have learned of the node.
        reuse: whether the tree is kept from move to move.
        lanes: leaves gathered before they are played out together, 1..512; 1 is the sequential
            algorithm. None: 1 where the limit counts simulations, 64 otherwise.
        pending: what a simulation that has not come back yet counts for. ``wait``: a visit in the
            bound, nothing in the mean; ``loss``: a lost visit in both (virtual loss).
        playouts: playouts of each leaf, whose mean is its value; 1..64. More than 1 only for
            ``uct`` with ``uniform`` playouts that are not cut off.
        threads: threads that search trees of their own, whose visits are added up at the root; at
            least 1.
        capacity: most nodes of a tree; a full tree is searched without being extended; at least 2.
        plies: longest playout; at least 1.
        cutoff: plies after which a playout ends with the evaluator's value, 0 for no playout at
            all; None: playouts go to the end.
        bias: weight of the progressive bias ``bias * evaluation / (n + 1)``; at least 0.
        minimax: weight of implicit minimax values of evaluations in the mean, 0..1.
    """

    tree: Literal["uct", "rave", "grave"] = "uct"
    playout: Literal["uniform", "mast", "nst", "lgr"] = "uniform"
    choice: Literal["greedy", "gibbs"] = "greedy"
    epsilon: float = 0.4
    tau: float = 10.0
    decay: float = 0.2
    exploration: float | None = None
    k: float = 1000.0
    ref: int = 50
    urgency: Literal["first", "parent"] | float = "first"
    final: Literal["robust", "max", "secure"] = "robust"
    solver: bool = True
    graph: bool = True
    backup: Literal["path", "blend"] = "path"
    reuse: bool = True
    lanes: int | None = None
    pending: Literal["wait", "loss"] = "wait"
    playouts: int = 1
    threads: int = 1
    capacity: int = 1_000_000
    plies: int = 1000
    cutoff: int | None = None
    bias: float = 0.0
    minimax: float = 0.0

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        for name, allowed in _ALLOWED.items():
            _need(name, getattr(self, name) in allowed, getattr(self, name), ", ".join(allowed))
        if isinstance(self.urgency, str):
            named = self.urgency in URGENCIES
            _need("urgency", named, self.urgency, "first, parent or a number")
        else:
            _need("urgency", math.isfinite(self.urgency), self.urgency, "a finite number")
        for name in ("epsilon", "decay", "minimax"):
            value = getattr(self, name)
            _need(name, 0 <= value <= 1, value, "0..1")
        for name in ("tau", "k"):
            value = getattr(self, name)
            _need(name, 0 < value < math.inf, value, "a finite number above 0")
        for name in ("exploration", "bias"):
            value = getattr(self, name)
            _need(name, value is None or 0 <= value < math.inf, value, "a number of at least 0")
        for name, low, high in (
            ("ref", 1, None),
            ("lanes", 1, 512),
            ("playouts", 1, 64),
            ("threads", 1, None),
            ("capacity", 2, None),
            ("plies", 1, None),
            ("cutoff", 0, None),
        ):
            value = getattr(self, name)
            fits = value is None or (value >= low and (high is None or value <= high))
            _need(name, fits, value, f"{low}..{high}" if high else f"at least {low}")

        plain = self.tree == "uct" and self.playout == "uniform" and self.cutoff is None
        _need("playouts", plain or self.playouts == 1, self.playouts, _ONE_PLAYOUT)

    @property
    def exploration_constant(self) -> float:
        """The constant C that is used."""
        if self.exploration is not None:
            return self.exploration
        return _DEFAULT_EXPLORATION[self.tree]

    @property
    def needs_evaluator(self) -> bool:
        """Whether leaves or children are to be evaluated."""
        return self.cutoff is not None or self.bias > 0 or self.minimax > 0


def _need(name: str, fits: bool, found: object, allowed: str) -> None:
    if not fits:
        raise ConfigurationError(f"{name}={found!r}; allowed: {allowed}")
