"""Looks for the best line of a game of one role, and remembers the best one from move to move.

What falls apart into independent parts is first searched part by part
(:mod:`~neurogame.search.puzzles.factored`). Then passes by layers
(:mod:`~neurogame.search.puzzles.layers`) follow each other, of two kinds. Wide ones follow every
state until they have generated a number of them: what has few states is decided at once. They have
a quarter of the time. Narrow ones follow what guides find most promising: one that looks at what
the goal needs first, one with all guides by turns, one with each guide alone. Both with and without
clocks; then all that with four times the states and the width. They go on until nothing had to be
left out (the best line is then the best that there is), the highest goal is reached, or the time is
over. As they grow by a factor, a large part of the time goes into the largest passes, whatever the
game.

*Reference:* Korf, "Depth-first iterative-deepening" (1985), section 3 (why growing by a factor
costs little), here of widths.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from neurogame.array_types import Bools
from neurogame.errors import GameError
from neurogame.kernels.words.pack import word_count
from neurogame.regress.clockwork import clockwork
from neurogame.search.limit import Limit
from neurogame.search.puzzles.factored import FactoredSearch
from neurogame.search.puzzles.guides import Guide, Guides
from neurogame.search.puzzles.layers import LayeredSearch
from neurogame.search.puzzles.line import Line
from neurogame.search.puzzles.needs import Needs
from neurogame.search.puzzles.outlook import Outlook
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State

_NARROWEST, _GROWTH = 16, 4
_WIDEST = 1 << 18
_LAYER_BYTES = 1 << 27
"""States of a layer; up to four times as much is held while one is made."""
_LESS = 3
"""How much less time wide passes have than narrow ones."""
_FIRST_NODES = 1 << 19
"""States that the first wide pass generates at most: a few seconds."""
LARGE = 60_000
"""Gates from which the relaxed game is not made: it takes longer than a start clock. Without it,
and with thousands of states a second instead of hundreds of thousands, tree search finds more."""
_RESERVE = 0.01
"""Seconds kept for what comes after the search."""


@final
@dataclass(frozen=True, kw_only=True)
class _Way:
    """How a pass goes; see :class:`~neurogame.search.puzzles.layers.LayeredSearch`."""

    chosen: tuple[Guide, ...]
    clocks: Bools | None
    needs: Needs | None = None

    @property
    def follows_few(self) -> bool:
        """Whether it follows few moves, so that there is time for more width."""
        return self.needs is not None


@final
class _Kind:
    """Passes of one kind, which are made one after the other, and again with more to follow.

    Attributes:
        ways: of these passes.
        is_wide: whether they follow every state.
        passes: how many were made.
        spent: on them, in seconds or states, those of wide ones counted several times.
    """

    def __init__(self, ways: list[_Way], *, is_wide: bool) -> None:
        self.ways, self.is_wide = ways, is_wide
        self.passes, self.spent = 0, 0.0

    def restart(self) -> None:
        """Begin again with the smallest pass."""
        self.passes, self.spent = 0, 0.0


@final
class PuzzleSolver:
    """Searches one puzzle; not for several threads at once.

    Attributes:
        game: the game.
        line: the best one that is known, from the state on in which it was found; None: none is.
        is_decided: whether no better one is possible from there.
    """

    def __init__(self, game: Game, seed: int = 0, *, factors: bool = True) -> None:
        """Prepare the search; everything is compiled now, or loaded from the cache.

        Args:
            game: of one role.
            seed: decides what is drawn at random.
            factors: whether parts of the game that are independent are searched by themselves.

        Raises:
            GameError: the game has several roles.
        """
        if len(game.roles) != 1:
            raise GameError(
                f"{game.name} has {len(game.roles)} roles, a puzzle has one; take mcts or auto"
            )
        self.game = game
        self._seed = seed
        game.simulator(backend="auto").playout_kernel()
        is_large = game.circuit.gate_count > LARGE
        self._outlook = None if is_large else Outlook(game.circuit)
        self._factored = FactoredSearch(game) if factors and not is_large else None
        self._factored_at: State | None = None
        self._bound = 100
        self._guides = Guides(game, has_scope=self._outlook is not None)
        known = self._guides.known
        clocks = clockwork(game.circuit)
        foldings = (None, clocks) if clocks.any() and not clocks.all() else (None,)
        needs = None if is_large else Needs(game.circuit)
        ways = [
            _Way(chosen=chosen, clocks=folded)
            for chosen in (known, *((guide,) for guide in known))
            for folded in foldings
        ]
        if needs is not None and needs.count:
            ways.insert(0, _Way(chosen=known, clocks=None, needs=needs))
        wide = [_Way(chosen=(Guide.CHANCE,), clocks=folded) for folded in reversed(foldings)]
        self._kinds = (_Kind(ways, is_wide=False), _Kind(wide, is_wide=True))
        size = 8 * word_count(len(game.fluents))
        self._widest = max(min(_WIDEST, _LAYER_BYTES // size), _NARROWEST)
        self.line: Line | None = None
        self._places: dict[State, int] = {}
        self.is_decided = False
        self._begun_at: State | None = None
        self._nodes = 0

    def forget(self, *, proofs: bool = True) -> None:
        """Drop what was found.

        Args:
            proofs: whether that goes for what was proved, too.
        """
        if proofs or not self.is_decided:
            self.line, self._places, self.is_decided = None, {}, False
        self._begun_at = self._factored_at = None
        self._nodes = 0

    @property
    def headline(self) -> str:
        """One line for people: what the best line comes to."""
        if self.line is None or not self.line.is_over:
            return "no line to an end of the game is known yet"
        best = ", the best that there is" if self.is_decided else ""
        return f"a line of {len(self.line.moves)} moves to {self.line.goal} is known{best}"

    def search(self, state: State, role: int, limit: Limit) -> SearchResult:
        """Look for a better line until the limit, and return the best one.

        Args:
            state: a non-terminal state in which the role has a legal move.
            role: 0.
            limit: of it, seconds and nodes are looked at; without any until all is decided.
        """
        begun = time.monotonic()
        end = math.inf if limit.seconds is None else begun + limit.seconds - _RESERVE
        nodes, asked = self._nodes, begun
        most = math.inf if limit.nodes is None else nodes + limit.nodes

        def stop() -> bool:
            nonlocal asked
            now, before = time.monotonic(), asked
            asked = now
            # What follows takes about as long as what was done since the last question.
            return 2 * now - before >= end or self._nodes >= most

        # With a number of states all is as it was before.
        self._improve(state, stop, time.monotonic if limit.nodes is None else self._generated)
        rest = self._rest(state)
        if rest is None:
            # Not even one layer: any move.
            rest = Line(goal=0, moves=(state.legal_moves[0][0],), is_over=False)
        value = rest.goal / 100
        return SearchResult(
            role=role,
            move=rest.moves[0],
            value=(value,),
            proved=self.is_decided,
            depth=len(rest.moves),
            nodes=self._nodes - nodes,
            visits=self._nodes - nodes,
            seconds=time.monotonic() - begun,
            line=tuple((move,) for move in rest.moves),
            scores={rest.moves[0]: value},
            proved_states={},
            state=state,
        )

    def ponder(self, state: State, role: int, stop: Callable[[], bool]) -> None:
        """Look for a better line until told to stop.

        Args:
            state: a non-terminal state.
            role: 0.
            stop: whether to return.
        """
        self._improve(state, stop)

    def rehearse(self, state: State, role: int, seconds: float) -> None:
        """Search for a moment: what is compiled when it is first used is ready after that.

        Args:
            state: a non-terminal state.
            role: 0.
            seconds: how long.
        """
        end = time.monotonic() + seconds
        self._improve(state, lambda: time.monotonic() >= end)

    def _rest(self, state: State) -> Line | None:
        """Return what is left of the best line in a state on it; None elsewhere."""
        place = self._places.get(state)
        if self.line is None or place is None or place >= len(self.line.moves):
            return None
        line = self.line
        return Line(goal=line.goal, moves=line.moves[place:], is_over=line.is_over)

    def _generated(self) -> float:
        return self._nodes

    def _improve(
        self,
        state: State,
        stop: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make passes from a state on until it is decided or told to stop.

        Args:
            state: a non-terminal state.
            stop: whether to return.
            clock: what the two kinds of passes share.
        """
        line = self._rest(state)
        if line is None:
            # Off the line nothing is known.
            self.is_decided = False
        if self.is_decided:
            return
        if state != self._begun_at:
            self._begun_at = state
            for kind in self._kinds:
                kind.restart()
        if line is None and state != self._factored_at:
            line = self._by_factors(state, stop)
        while not self.is_decided and not stop():
            kind = min(self._kinds, key=lambda kind: kind.spent)
            begun = clock()
            outcome = self._pass(state, kind, line, stop)
            kind.spent += (clock() - begun) * (_LESS if kind.is_wide else 1)
            if outcome.best is not None and (line is None or outcome.best.rank > line.rank):
                line = outcome.best
                self._keep(state, line)
            self.is_decided = outcome.is_decided or self._is_best(line)
            kind.passes += 1

    def _by_factors(self, state: State, stop: Callable[[], bool]) -> Line | None:
        """Look for a line factor by factor where the game falls apart; return what is kept."""
        factored, nodes = self._factored, self._nodes
        if factored is None:
            return None
        before = factored.nodes
        line = factored.best(
            state, -1, lambda: self._count(nodes + factored.nodes - before) or stop()
        )
        self._count(nodes + factored.nodes - before)
        self._bound = factored.bound
        # What had no time, as at a rehearsal, begins again.
        self._factored_at = None if stop() else state
        if line is not None:
            self._keep(state, line)
        self.is_decided = self._is_best(line)
        return line

    def _is_best(self, line: Line | None) -> bool:
        """Return whether a line comes to as much as can be reached."""
        return line is not None and line.goal >= self._bound

    def _pass(
        self, state: State, kind: _Kind, line: Line | None, stop: Callable[[], bool]
    ) -> LayeredSearch:
        """Make the next pass of a kind."""
        nodes = self._nodes
        number, turn = divmod(kind.passes, len(kind.ways))
        way = kind.ways[turn]
        growth = _GROWTH ** min(number + way.follows_few, 16)
        most = _FIRST_NODES * growth if kind.is_wide else math.inf
        search = LayeredSearch(
            self.game,
            self._guides,
            self._outlook,
            chosen=way.chosen,
            width=self._widest if kind.is_wide else min(_NARROWEST * growth, self._widest),
            known=line.goal if line is not None and line.is_over else -1,
            clocks=way.clocks,
            needs=way.needs,
            seed=self._seed + 1000 * kind.passes,
            stop=lambda: self._count(nodes + search.nodes) or search.nodes >= most or stop(),
        )
        search.run(state.batch)
        self._nodes = nodes + search.nodes
        return search

    def _count(self, nodes: int) -> bool:
        """Note how many states there are; for limits that are looked at in the middle of a pass."""
        self._nodes = nodes
        return False

    def _keep(self, state: State, line: Line) -> None:
        """Remember a line from a state on, and the states that it goes through."""
        self.line, self._places = line, {}
        for place, move in enumerate(line.moves):
            # Where a state returns, the later place is the shorter way.
            self._places[state] = place
            state = state.next([move])
