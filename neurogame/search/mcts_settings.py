"""The settings of Monte-Carlo tree search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

from neurogame.errors import ConfigurationError

JUDGES = ("action", "knowledge")
"""Judges of moves."""
GATED = "gated"
"""Stands for whatever gating decides before the search is made."""
TREES = ("uct", "rave", "grave", *JUDGES, GATED)
PLAYOUTS = ("uniform", "mast", "nst", "lgr", *JUDGES, GATED)
CHOICES = ("greedy", "gibbs")
SCALINGS = ("range", "max", "raw")
MIXES = ("beta", "seed")
URGENCIES = ("first", "parent")
FINALS = ("robust", "max", "secure")
PENDINGS = ("wait", "loss")
BACKUPS = ("path", "blend")

_ALLOWED: dict[str, tuple[str, ...]] = {
    "tree": TREES,
    "playout": PLAYOUTS,
    "mix": MIXES,
    "final": FINALS,
    "pending": PENDINGS,
    "backup": BACKUPS,
}
_ONE_PLAYOUT = "1, but for tree=uct with playout=uniform and no cutoff"
_DEFAULT_EXPLORATION = {"rave": 0.2, "grave": 0.2}
_DEFAULT_K = {"rave": 1000.0, "grave": 1000.0}
_CHOICE = {"action": "gibbs"}
_EPSILON = {"knowledge": 0.5}
_TAU = {"action": 1.0}


@final
@dataclass(frozen=True, kw_only=True)
class MctsSettings:
    """How Monte-Carlo tree search searches; every name is also an option of the player string.

    The default is plain UCT with a transposition graph and proved values.

    Attributes:
        tree: how moves are chosen in the tree. ``uct``: mean plus bound; ``rave``: mixed with the
            all-moves-as-first mean of the node; ``grave``: with that of the nearest node above
            that has ``ref`` visits; ``action``, ``knowledge``: uct with priors by that judge of
            moves; ``gated``: as gating decides, which players do before they search.
        playout: how moves are chosen in playouts. ``uniform``: all legal moves alike; ``mast``:
            by the mean value of the move anywhere; ``nst``: of the sequence of up to three moves
            that it ends; ``lgr``: the last good reply to the last move, else uniform; ``action``,
            ``knowledge``: by the scores of that judge of moves; ``gated``: as for ``tree``.
        choice: how means, and scores, are turned into a move. ``greedy``: the best one;
            ``gibbs``: by ``exp(100 mean / tau)``, of scores that are logarithms ``exp(score /
            tau)``. None: ``gibbs`` for ``action``, ``greedy`` for all others.
        epsilon: probability of a uniform move instead, 0..1. None: 0 for ``gibbs``; for
            ``greedy`` 0.4, with ``knowledge`` 0.5.
        tau: temperature of ``gibbs``, for means on the scale 0..100; above 0. None: 1 for
            ``action``, 10 for all others.
        scaling: of a judge's scores, unless they are logarithms. ``range``: the least of a state
            becomes 0, the greatest 1; ``max``: they are divided by the greatest; ``raw``: they
            stay as they are. Playouts multiply them by 100 then. None: ``raw`` for playouts with
            ``action``, ``range`` for all others.
        blend: share of a judge's scaled score in what playouts choose by, 0..1; the rest is the
            mean of ``mast``. Logarithms are added to ten times the mean.
        mix: how a prior and the results of a move are mixed. ``beta``: ``beta H + (1 - beta) Q``
            with ``beta = sqrt(k / (3 N + k))`` for N visits of the node, where a move that was
            not tried has the node's mean (or ``urgency``, if that is a number) for Q; ``seed``:
            the mean begins with ``virtual`` results of H. A move that was not tried has the bound
            of one tried once: where there are priors, it need not be tried before others.
        virtual: results that the prior of ``seed`` counts for once there are others; at least 0.
        ripe: visits from which a node gets priors; before that it has none; at least 1.
        decay: share of the playout statistics that is kept from one search to the next, 0..1.
        exploration: the constant C of ``C sqrt(ln N / n)``, for values in 0..1; at least 0. None:
            0.7, for ``rave`` and ``grave`` 0.2.
        k: visits at which ``rave`` and ``grave`` trust both means alike, and ``beta`` a prior and
            the mean; above 0. None: 1000, for priors 20.
        ref: visits from which ``grave`` reads a node's own all-moves-as-first means; at least 1.
        urgency: value of a move that was not tried yet: ``first`` (before all others), ``parent``
            (the node's mean), or a number, with the bound of a move tried once. Where there are
            priors, see ``mix``.
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

    tree: Literal["uct", "rave", "grave", "action", "knowledge", "gated"] = "uct"
    playout: Literal["uniform", "mast", "nst", "lgr", "action", "knowledge", "gated"] = "uniform"
    choice: Literal["greedy", "gibbs"] | None = None
    epsilon: float | None = None
    tau: float | None = None
    scaling: Literal["range", "max", "raw"] | None = None
    blend: float = 1.0
    mix: Literal["beta", "seed"] = "beta"
    virtual: float = 1.0
    ripe: int = 1
    decay: float = 0.2
    exploration: float | None = None
    k: float | None = None
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
        for name, allowed in (("choice", CHOICES), ("scaling", SCALINGS)):
            chosen = getattr(self, name)
            _need(name, chosen is None or chosen in allowed, chosen, ", ".join(allowed))
        if isinstance(self.urgency, str):
            named = self.urgency in URGENCIES
            _need("urgency", named, self.urgency, "first, parent or a number")
        else:
            _need("urgency", math.isfinite(self.urgency), self.urgency, "a finite number")
        self._check_numbers()
        plain = self.tree == "uct" and self.playout == "uniform" and self.cutoff is None
        _need("playouts", plain or self.playouts == 1, self.playouts, _ONE_PLAYOUT)

    def _check_numbers(self) -> None:
        for name in ("epsilon", "decay", "minimax", "blend"):
            value = getattr(self, name)
            _need(name, value is None or 0 <= value <= 1, value, "0..1")
        for name in ("tau", "k"):
            value = getattr(self, name)
            fits = value is None or 0 < value < math.inf
            _need(name, fits, value, "a finite number above 0")
        for name in ("exploration", "bias", "virtual"):
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
            ("ripe", 1, None),
        ):
            value = getattr(self, name)
            fits = value is None or (value >= low and (high is None or value <= high))
            _need(name, fits, value, f"{low}..{high}" if high else f"at least {low}")

    @property
    def exploration_constant(self) -> float:
        """The constant C that is used."""
        if self.exploration is not None:
            return self.exploration
        return _DEFAULT_EXPLORATION.get(self.tree, 0.7)

    @property
    def equivalence(self) -> float:
        """The number of visits ``k`` that is used."""
        return float(_DEFAULT_K.get(self.tree, 20.0) if self.k is None else self.k)

    @property
    def playout_choice(self) -> str:
        """How playouts turn scores into moves."""
        return self.choice or _CHOICE.get(self.playout, "greedy")

    @property
    def playout_epsilon(self) -> float:
        """The probability of a uniform move that is used."""
        if self.epsilon is not None:
            return self.epsilon
        return 0.0 if self.playout_choice == "gibbs" else _EPSILON.get(self.playout, 0.4)

    @property
    def playout_tau(self) -> float:
        """The temperature that is used."""
        return _TAU.get(self.playout, 10.0) if self.tau is None else self.tau

    @property
    def playout_scaling(self) -> str:
        """How playouts scale a judge's scores."""
        return self.scaling or ("raw" if self.playout == "action" else "range")

    @property
    def tree_scaling(self) -> str:
        """How the tree scales a judge's scores."""
        return self.scaling or "range"

    @property
    def tree_judge(self) -> str | None:
        """The judge of moves in the tree, None if there is none."""
        return self.tree if self.tree in JUDGES else None

    @property
    def playout_judge(self) -> str | None:
        """The judge of moves in playouts, None if there is none."""
        return self.playout if self.playout in JUDGES else None

    @property
    def judges(self) -> tuple[str, ...]:
        """All judges of moves that are wanted."""
        return tuple(name for name in JUDGES if name in (self.tree, self.playout))

    @property
    def is_gated(self) -> bool:
        """Whether gating has still to decide something."""
        return GATED in (self.tree, self.playout)

    @property
    def needs_evaluator(self) -> bool:
        """Whether leaves or children are to be evaluated."""
        return self.cutoff is not None or self.bias > 0 or self.minimax > 0


def _need(name: str, fits: bool, found: object, allowed: str) -> None:
    if not fits:
        raise ConfigurationError(f"{name}={found!r}; allowed: {allowed}")
