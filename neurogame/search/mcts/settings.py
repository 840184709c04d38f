"""The settings of Monte-Carlo tree search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from neurogame.evaluators.kinds import move_kind, move_kinds
from neurogame.settings import Settings, setting

VALUES = "values"
"""The judge of moves that the evaluator of states is."""
GATED = "gated"
"""Stands for whatever gating decides before the search is made."""
GATED_JUDGE = "action"
"""The judge of moves of which gating decides whether it helps."""
_ONE_PLAYOUT = "1, but for tree=uct with playout=uniform or decisive, no cutoff"
_NOT_DECISIVE = "decisive without cutoff; with one any other"
_DEFAULT_EXPLORATION = {"rave": 0.2, "grave": 0.2}
_DEFAULT_K = {"rave": 1000.0, "grave": 1000.0}
_MIX, _RIPE = {VALUES: "seed"}, {VALUES: 2}
_TREES, _PLAYOUTS = ("uct", "rave", "grave"), ("uniform", "decisive", "mast")


def _trees() -> tuple[str, ...]:
    """Return what ``tree`` may be."""
    return (*_TREES, *(name for name, kind in move_kinds().items() if kind.in_tree), VALUES, GATED)


def _playouts() -> tuple[str, ...]:
    """Return what ``playout`` may be."""
    return (*_PLAYOUTS, *move_kinds(), GATED)


@final
@dataclass(frozen=True, kw_only=True)
class MctsSettings(Settings):
    """How Monte-Carlo tree search searches; every name is also an option of the player string.

    The default is plain UCT with a transposition graph and proved values.
    """

    tree: str = setting(
        "uct",
        "how moves are chosen in the tree. uct: mean plus bound; rave: mixed with the "
        "all-moves-as-first mean of the node; grave: with that of the nearest node above that has "
        "ref visits; the name of a judge of moves: uct with priors by that; values: with priors "
        "by the evaluator's values of what moves lead to; gated: as gating decides, which players "
        "do before they search.",
        choices=_trees,
    )
    playout: str = setting(
        "uniform",
        "how moves are chosen in playouts. uniform: all legal moves alike; decisive: uniformly "
        "among those that win at once, else among those that let no opponent win at once, where "
        "that takes few gates; mast: by the mean value of the move anywhere; the name of a judge "
        "of moves: by its scores; gated: as for tree.",
        choices=_playouts,
    )
    choice: Literal["greedy", "gibbs"] | None = setting(
        None,
        "how means, and scores, are turned into a move. greedy: the best one; gibbs: by exp(100 "
        "mean / tau), of scores that are logarithms exp(score / tau). None: gibbs for action, "
        "greedy for all others.",
    )
    epsilon: float | None = setting(
        None,
        "probability of a uniform move instead. None: 0 for gibbs; for greedy 0.4, with knowledge "
        "0.5.",
        least=0,
        most=1,
    )
    tau: float | None = setting(
        None,
        "temperature of gibbs, for means on the scale 0..100. None: 1 for action, 10 for all "
        "others.",
        above=0,
    )
    scaling: Literal["range", "max", "raw"] | None = setting(
        None,
        "of a judge's scores, unless they are logarithms. range: the least of a state becomes 0, "
        "the greatest 1; max: they are divided by the greatest; raw: they stay as they are. "
        "Playouts multiply them by 100 then. None: raw for playouts with action, range for all "
        "others.",
    )
    blend: float = setting(
        1.0,
        "share of a judge's scaled score in what playouts choose by; the rest is the mean of "
        "mast. Logarithms are added to ten times the mean.",
        least=0,
        most=1,
    )
    mix: Literal["beta", "seed"] | None = setting(
        None,
        "how a prior H and the results of a move are mixed. beta: beta H + (1 - beta) Q with beta "
        "= sqrt(k / (3 N + k)) for N visits of the node, where a move that was not tried has the "
        "node's mean (or urgency, if that is a number) for Q; seed: the mean begins with virtual "
        "results of H. A move that was not tried has the bound of one tried once: where there "
        "are priors, it need not be tried before others. None: seed for values, beta for all "
        "others.",
    )
    virtual: float = setting(
        1.0, "results that the prior of seed counts for once there are others", least=0
    )
    ripe: int | None = setting(
        None,
        "visits from which a node gets priors; before that it has none. None: 2 for values, 1 for "
        "all others.",
        least=1,
    )
    decay: float = setting(
        0.2,
        "share of the playout statistics that is kept from one search to the next",
        least=0,
        most=1,
    )
    exploration: float | None = setting(
        None,
        "the constant C of C sqrt(ln N / n), for values in 0..1. None: 0.7, for rave and grave "
        "0.2.",
        least=0,
    )
    k: float | None = setting(
        None,
        "visits at which rave and grave trust both means alike, and beta a prior and the mean. "
        "None: 1000, for priors 20.",
        above=0,
    )
    ref: int = setting(
        50, "visits from which grave reads a node's own all-moves-as-first means", least=1
    )
    urgency: Literal["first", "parent"] | float = setting(
        "first",
        "value of a move that was not tried yet: first (before all others), parent (the node's "
        "mean), or a number, with the bound of a move tried once. Where there are priors, see "
        "mix.",
    )
    final: Literal["robust", "max", "secure"] = setting(
        "robust",
        "the move to play: robust (most visits), max (best mean), secure (best lower bound). A "
        "proved win is always taken, a proved loss never if there is a choice.",
    )
    solver: bool = setting(True, "whether proved values are backed up")
    graph: bool = setting(True, "whether equal states share a node")
    backup: Literal["path", "blend"] = setting(
        "path",
        "what an edge into a shared node adds to its mean: path: the result of the simulation; "
        "blend: also what other paths have learned of the node",
    )
    reuse: bool = setting(True, "whether the tree is kept from move to move")
    lanes: int | None = setting(
        None,
        "leaves gathered before they are played out together; 1 is the sequential algorithm. "
        "None: 1 where the limit counts simulations, 64 where it counts nodes, else up to 512.",
        least=1,
        most=512,
    )
    playouts: int = setting(
        1,
        "playouts of each leaf, whose mean is its value. More than 1 only for uct with uniform or "
        "decisive playouts that are not cut off.",
        least=1,
        most=64,
    )
    threads: int = setting(
        1, "threads that search trees of their own, whose visits are added up at the root", least=1
    )
    memory: int | None = setting(
        None,
        "most memory of all trees of the search; MiB. It is taken as it is used. None: a quarter "
        "of what is free when the search is made.",
        least=1,
    )
    capacity: int | None = setting(
        None,
        "most nodes of a tree; in a full tree what is visited least makes room. None: as many as "
        "fit the memory.",
        least=2,
    )
    plies: int = setting(1000, "longest playout", least=1)
    cutoff: int | None = setting(
        None,
        "plies after which a playout ends with the evaluator's value, 0 for no playout at all; "
        "None: playouts go to the end",
        least=0,
    )
    foresight: bool = setting(
        True,
        "whether a state is an end where a role can win with its next move, where playouts are "
        "cut off: for two roles that move in turn, if that takes few gates.",
    )
    bias: float = setting(
        0.0, "weight of the progressive bias bias * evaluation / (n + 1)", least=0
    )
    minimax: float = setting(
        0.0, "weight of implicit minimax values of evaluations in the mean", least=0, most=1
    )
    experience: float = setting(
        0.0,
        "results that the evaluator's value of a position counts for in the mean of the edge that "
        "leads to it",
        least=0,
    )

    def check(self) -> None:
        """Refuse what only playouts that are not recorded and not cut off can have."""
        if self.playout == "decisive" and self.cutoff is not None:
            raise self.refused("playout", _NOT_DECISIVE)
        if self.playouts != 1 and not (self.tree == "uct" and self.plays_whole_games):
            raise self.refused("playouts", _ONE_PLAYOUT)

    @property
    def plays_whole_games(self) -> bool:
        """Whether playouts are uniform, or decisive, and go to the end: compiled in one piece."""
        return self.playout in ("uniform", "decisive") and self.cutoff is None

    @property
    def foresees(self) -> bool:
        """Whether ends are foreseen: whole playouts come to them by themselves."""
        return self.foresight and self.cutoff is not None

    @property
    def exploration_constant(self) -> float:
        """The constant C that is used."""
        if self.exploration is not None:
            return self.exploration
        return _DEFAULT_EXPLORATION.get(self.tree, 0.7)

    @property
    def mixing(self) -> str:
        """How priors and results are mixed."""
        return self.mix or _MIX.get(self.tree, "beta")

    @property
    def ripeness(self) -> int:
        """The visits from which a node gets priors."""
        return _RIPE.get(self.tree, 1) if self.ripe is None else self.ripe

    @property
    def equivalence(self) -> float:
        """The number of visits ``k`` that is used."""
        return float(_DEFAULT_K.get(self.tree, 20.0) if self.k is None else self.k)

    @property
    def playout_choice(self) -> str:
        """How playouts turn scores into moves."""
        return self.choice or move_kind(self.playout).choice

    @property
    def playout_epsilon(self) -> float:
        """The probability of a uniform move that is used."""
        if self.epsilon is not None:
            return self.epsilon
        return 0.0 if self.playout_choice == "gibbs" else move_kind(self.playout).epsilon

    @property
    def playout_tau(self) -> float:
        """The temperature that is used."""
        return move_kind(self.playout).tau if self.tau is None else self.tau

    @property
    def playout_scaling(self) -> str:
        """How playouts scale a judge's scores."""
        return self.scaling or move_kind(self.playout).scaling

    @property
    def tree_scaling(self) -> str:
        """How the tree scales a judge's scores."""
        return self.scaling or ("raw" if self.tree == VALUES else "range")

    @property
    def tree_judge(self) -> str | None:
        """The judge of moves in the tree, None if there is none."""
        return self.tree if self.tree == VALUES or self.tree in move_kinds() else None

    @property
    def playout_judge(self) -> str | None:
        """The judge of moves in playouts, None if there is none."""
        return self.playout if self.playout in move_kinds() else None

    @property
    def judges(self) -> tuple[str, ...]:
        """All judges of moves that are wanted."""
        return tuple(name for name in move_kinds() if name in (self.tree, self.playout))

    @property
    def is_gated(self) -> bool:
        """Whether gating has still to decide something."""
        return GATED in (self.tree, self.playout)

    @property
    def needs_evaluator(self) -> bool:
        """Whether leaves or children are to be evaluated."""
        asked = self.bias > 0 or self.minimax > 0 or self.experience > 0
        return self.cutoff is not None or asked or self.tree == VALUES
