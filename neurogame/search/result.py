"""What a search found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from neurogame.simulate.game import State
from neurogame.views import show_as


def add_work(total: dict[str, float], more: Mapping[str, float]) -> None:
    """Add what searches have done to a total; see :attr:`SearchResult.work`."""
    for what, amount in more.items():
        total[what] = total.get(what, 0) + amount


JUDGING = ("playout scores", "tree scores")
"""Parts of a search's time that are judges': in playouts, and in the tree."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class SearchResult:
    """The outcome of one search, of its last complete iteration.

    Attributes:
        role: the searching role.
        move: the chosen move, an index into the role's own moves.
        value: per role, in 0..1, of the chosen move under best play as the search understands
            it: the searching role's entry is the search value, the others are those of the
            principal line's last state.
        proved: whether the value rests on terminal states alone, not on the evaluator, and is no
            mere bound: what all others together can hold a role to is none, unless it is the most
            that the role can get.
        depth: plies of the last complete iteration; 0 if not even one ply was completed: the move
            is then the best of those whose children were all valued, a random legal one if there
            was no time for that either. Of a Monte-Carlo search the longest path in the tree.
        nodes: states generated.
        visits: nodes visited, all iterations together.
        seconds: wall-clock time.
        line: principal line, joint moves as indices into each role's own moves; only its first one
            where there was no time to find the others.
        scores: own move -> value in 0..1. Exact for the chosen move and after a search of depth
            1; an upper bound for moves that were refuted. Moves that were not valued are left out.
        proved_states: packed state -> exact per-role values, every state proved so far by this
            player in this match (a live view, see :func:`neurogame.search.packing.state_keys`
            for the key). Exact minimax of terminal states: one role, or two roles with a
            goal sum of 100; elsewhere only the searching role's forced wins, with NaN for other
            roles whose goals do not follow; under max^n states whose value no tie-break could
            change.
        mean_depth: mean length of the paths in the tree of a Monte-Carlo search, 0 otherwise.
        plies: own move -> plies to the end of the game if it is made, this one included, for moves
            whose value a Monte-Carlo search has proved: at most so many in the lines of the proof.
        tries: own move -> simulations through it, in a Monte-Carlo search.
        simulations: simulations made, those that ended in known values included; 0 for
            alpha-beta.
        playouts: games played to an end, or to a cut-off.
        evaluations: states that an evaluator valued.
        moves_judged: legal moves that judges of moves have scored, in playouts and in the tree.
        split: seconds by what they were spent on, such as ``select``, ``rules``, ``playouts``,
            ``evaluate``, ``back up``; they add up to ``seconds`` but for what Python takes.
        state: what was searched, for pictures; None where the search knows no game.
    """

    role: int
    move: int
    value: tuple[float, ...]
    proved: bool
    depth: int
    nodes: int
    visits: int
    seconds: float
    line: tuple[tuple[int, ...], ...]
    scores: Mapping[int, float]
    proved_states: Mapping[bytes, tuple[float, ...]] = field(repr=False)
    mean_depth: float = 0.0
    plies: Mapping[int, int] = field(default_factory=dict)
    tries: Mapping[int, int] = field(default_factory=dict)
    simulations: int = 0
    playouts: int = 0
    evaluations: int = 0
    moves_judged: int = 0
    split: Mapping[str, float] = field(default_factory=dict)
    state: State | None = field(default=None, repr=False)

    @property
    def work(self) -> dict[str, float]:
        """What was done, as numbers that can be added up over searches.

        Returns:
            The seconds of the search and those of judges of moves, and the counts of simulations,
            nodes, evaluations and judged moves.
        """
        return {
            "search_seconds": self.seconds,
            "judge_seconds": sum(self.split.get(part, 0.0) for part in JUDGING),
            "simulations": self.simulations,
            "nodes": self.nodes,
            "evaluations": self.evaluations,
            "moves_judged": self.moves_judged,
        }

    def _repr_html_(self) -> str:
        return show_as("html", self)
