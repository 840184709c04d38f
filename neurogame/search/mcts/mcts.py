"""Monte-Carlo tree search on a game: the search that players use."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import final

import numpy as np

from neurogame.array_types import UInt64s
from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.next_values import NextValues
from neurogame.judges.moves import MoveJudge, check_judge
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.regress.decisive import decisive
from neurogame.search.decided import decided_result, is_decided
from neurogame.search.home_search import check_evaluator
from neurogame.search.limit import Limit
from neurogame.search.mcts.drive import MOST_LANES, drive, drive_until, quotas
from neurogame.search.mcts.final import RootResult, answer
from neurogame.search.mcts.options import make_options
from neurogame.search.mcts.proofs import MctsProofs
from neurogame.search.mcts.room import usual_memory
from neurogame.search.mcts.settings import VALUES, MctsSettings
from neurogame.search.mcts.tree import MctsTree, TreePlan
from neurogame.search.packing import root_words, state_words
from neurogame.search.result import JUDGING, SearchResult
from neurogame.settings import check_kind
from neurogame.simulate.game import Game, State, game_of
from neurogame.splitmix import seed_word

_PARTS = {
    "select": "select",
    "rules": "rules",
    "insert": "insert",
    "playouts": "play",
    "evaluate": "evaluate",
    "back up": "back_up",
}
"""Parts of the time by the totals that count them."""


@final
class Mcts:
    """Monte-Carlo tree search for any number of roles, in compiled code.

    UCT with decoupled statistics where several roles move at once, a transposition graph, proved
    values, and blocks of leaves that are played out together; see
    :class:`~neurogame.search.mcts.settings.MctsSettings` for all that can be chosen. The tree is
    kept from one search to the next, in bounded memory, and serves all roles.

    The same seed gives the same answers where the limit counts simulations or nodes, and nothing
    was pondered. Not for several threads at once.
    """

    def __init__(
        self,
        game: Game | str | Path,
        *,
        settings: MctsSettings | None = None,
        evaluator: Evaluator | None = None,
        judges: Mapping[str, MoveJudge] | None = None,
        seed: int = 0,
    ) -> None:
        """Make a searcher for one game; everything is compiled now, or loaded from the cache.

        Args:
            game: the game, or its name or path.
            settings: how to search.
            evaluator: values states, where the settings ask for that.
            judges: judges of moves by the names that the settings call them.
            seed: decides playouts and ties.

        Raises:
            ConfigurationError: the settings need an evaluator or a judge and there is none, or
                leave something to gating.
            GameError: the evaluator, or a judge, belongs to another game.
        """
        self.game = game = game_of(game)
        self.settings = settings = settings or MctsSettings()
        check_kind(settings, MctsSettings, "mcts: settings", "MctsSettings(tree='grave')")
        if self.settings.needs_evaluator and evaluator is None:
            raise ConfigurationError(
                "mcts: cutoff, bias, minimax, experience and tree=values need an evaluator; name "
                "one, or leave them out"
            )
        if evaluator is not None:
            check_evaluator(game, evaluator)
        _check_judges(game, self.settings, judges or {})
        self.evaluator = evaluator
        if evaluator is not None and self.settings.tree_judge == VALUES:
            judges = {**(judges or {}), VALUES: NextValues(game, evaluator)}
        seeds = np.random.SeedSequence(seed_word(seed)).generate_state(
            self.settings.threads, np.uint64
        )
        given = self.settings.memory
        memory = usual_memory() if given is None else given << 20
        circuit = game.foreseen if self.settings.foresees else game.circuit
        decides = self.settings.playout == "decisive"
        playing = decisive(game.circuit) if decides else None
        self._foresees = circuit is not game.circuit
        self._proofs = MctsProofs(len(game.fluents))
        self._trees: list[MctsTree] = []
        self._values = [SearchEvaluator(evaluator, game.circuit) for _ in seeds]
        self._scores: list[SearchJudge] = []
        for tree_seed, values in zip(seeds.tolist(), self._values, strict=True):
            plan = TreePlan(
                circuit=circuit,
                playing=playing,
                options=make_options(game, self.settings, tree_seed >> 1),
                capacity=self.settings.capacity,
                memory=memory // len(seeds),
                lanes=self.settings.lanes or MOST_LANES,
                settings=self.settings,
            )
            self._trees.append(
                MctsTree(
                    plan,
                    values,
                    playout_scores=self._make_scores(judges, self.settings.playout_judge),
                    tree_scores=self._make_scores(judges, self.settings.tree_judge),
                    proofs=self._proofs,
                )
            )
        self._seconds = math.inf
        self.proved_states: Mapping[bytes, tuple[float, ...]] = self._proofs
        self._warm_up()

    def search(self, state: State, role: int, limit: Limit) -> SearchResult:
        """Search for the best move of a role.

        A role with one legal move gets it after a single simulation.

        Args:
            state: a non-terminal state in which every role has a legal move.
            role: index of the searching role.
            limit: when to stop: at least one of seconds, simulations and nodes.

        Raises:
            ConfigurationError: the limit sets none of those.
            GameError: the state is terminal, of another game, or some role has no legal move.
        """
        started = time.monotonic_ns()
        _check_limit(limit)
        words = self._root_words(state, role)
        if self._is_decided(words):
            block = self._trees[0].root_leaves.block
            return decided_result(state, role, block, self.proved_states)
        if len(state.legal_moves[role]) == 1:
            limit = Limit(seconds=limit.seconds, simulations=1)
        try:
            before = self._totals()
            self._seconds = math.inf if limit.seconds is None else limit.seconds
            for tree in self._trees:
                tree.totals.longest = 0
                tree.fade(self.settings.decay)
            self._set_root(words)
            drive(
                self._trees,
                quotas(limit, self.settings.lanes, self.settings.threads, started),
            )
            self._read_proofs()
        except BaseException:
            # Simulations may still be on their way in a tree that was left in a hurry.
            self.forget(proofs=False)
            raise
        report = answer(self._trees, role)
        done = {name: number - before[name] for name, number in self._totals().items()}
        return self._result(state, role, report, done, started)

    def ponder(self, state: State, role: int, stop: Callable[[], bool]) -> None:
        """Search on from a state until told to stop, until it is solved, or has millions of visits.

        The next search profits from all of it: what was learned of moves is kept as it is, and a
        role with one legal move is no reason to stop. Without ``reuse`` nothing could be kept, so
        that nothing is done.

        Args:
            state: a non-terminal state in which every role has a legal move.
            role: index of the searching role.
            stop: whether to return; called from this thread after every 2 ms, or after every block
                of simulations where one takes longer. Only making room in a tree, at the beginning
                where more than half of it is full, may take longer: a tenth of the seconds that the
                last search had at most.

        Raises:
            GameError: the state is terminal, of another game, or some role has no legal move.
        """
        words = self._root_words(state, role)
        if not self.settings.reuse or stop() or self._is_decided(words):
            return
        try:
            self._set_root(words, idle=True)
            drive_until(self._trees, self.settings.lanes or MOST_LANES, stop)
            self._read_proofs()
        except BaseException:
            self.forget(proofs=False)
            raise

    def rehearse(self, state: State, role: int, seconds: float) -> None:
        """Search for a moment, and remember nothing but how long blocks of simulations take.

        Otherwise the first search in seconds has to find that out, and may end late. What searches
        answer afterwards depends on the seed as if nothing had been done.

        Args:
            state: a non-terminal state in which every role has a legal move.
            role: index of the searching role.
            seconds: how long that takes, and a block of simulations more; at least 0.

        Raises:
            GameError: the state is terminal, of another game, or some role has no legal move.
        """
        words = self._root_words(state, role)
        if self._is_decided(words):
            return
        before, end = [t.totals.numbers() for t in self._trees], time.monotonic() + seconds
        try:
            self._set_root(words)
            drive_until(
                self._trees, self.settings.lanes or MOST_LANES, lambda: time.monotonic() >= end
            )
        finally:
            self.forget()
        for tree, totals in zip(self._trees, before, strict=True):
            tree.totals.set(totals)

    def forget(self, *, proofs: bool = True) -> None:
        """Drop what was searched; call it after weights of the evaluator or a judge have changed.

        Args:
            proofs: whether to drop the proved states too; they never depend on the evaluator.
        """
        for tree in self._trees:
            tree.forget()
        for values in self._values:
            values.refresh()
        for scores in self._scores:
            scores.refresh()
        if proofs:
            self._proofs.clear()

    def _set_root(self, words: UInt64s, *, idle: bool = False) -> None:
        """Make a state the root of all trees; if nobody waits, with room to search on."""
        for tree in self._trees:
            tree.set_root(words, anew=not self.settings.reuse, seconds=self._seconds, idle=idle)

    def _read_proofs(self) -> None:
        """Take over the states that were proved."""
        for tree in self._trees:
            tree.hand_over_proofs()

    def _make_scores(
        self, judges: Mapping[str, MoveJudge] | None, name: str | None
    ) -> SearchJudge | None:
        """Return a judge for one thread and one use, None where none is wanted."""
        if judges is None or name is None:
            return None
        self._scores.append(SearchJudge(judges[name], self.game.circuit))
        return self._scores[-1]

    def _warm_up(self) -> None:
        """Compile what the first search would otherwise wait for."""
        start = self.game.initial_state()
        if not all(start.legal_moves):
            return
        words = state_words(start.fluents.cpu().numpy())
        if self._is_decided(words):
            return
        for tree in self._trees:
            tree.warm_up(words)

    def _is_decided(self, words: UInt64s) -> bool:
        """Return whether a role can win with its next move, so that there is nothing to search."""
        return self._foresees and is_decided(self._trees[0].root_leaves, words)

    def _root_words(self, state: State, role: int) -> UInt64s:
        """Return a state as words; refuse states that cannot be searched.

        Raises:
            GameError: see :meth:`search`.
        """
        words = root_words(self.game, state, role)
        for index, moves in enumerate(state.legal_moves):
            if not moves:
                raise GameError(f"search: role {index} has no legal move in this state")
        return words

    def _totals(self) -> dict[str, int]:
        """Return what all trees have done, and the nanoseconds that judges have taken."""
        total = self._trees[0].totals.numbers() | dict.fromkeys((*JUDGING, "moves_judged"), 0)
        for tree in self._trees[1:]:
            for name, number in tree.totals.numbers().items():
                total[name] += number
        for tree in self._trees if self._scores else ():
            for part, (time_taken, moves) in zip(JUDGING, tree.scored, strict=True):
                total[part] += time_taken
                total["moves_judged"] += moves
        return total

    def _result(
        self, state: State, role: int, report: RootResult, done: dict[str, int], started: int
    ) -> SearchResult:
        """Put together what was found and what it took."""
        simulations, seconds = done["simulations"], (time.monotonic_ns() - started) / 1e9
        split = {name: done[total] / 1e9 for name, total in _PARTS.items()}
        for part, scores in zip(("playouts", "select"), JUDGING, strict=True):
            split[scores] = done[scores] / 1e9
            split[part] = max(split[part] - split[scores], 0.0)
        # Of brief simulations only some are timed, which may have been long ones.
        told = max(sum(split.values()) / (seconds * len(self._trees)), 1.0)
        return SearchResult(
            role=role,
            move=report.move,
            value=report.value,
            proved=report.proved,
            depth=max(tree.totals.longest for tree in self._trees),
            mean_depth=done["plies"] / simulations if simulations else 0.0,
            nodes=done["created"],
            visits=done["plies"],
            seconds=seconds,
            line=report.line,
            scores=report.scores,
            plies=report.plies,
            tries=report.tries,
            proved_states=self.proved_states,
            simulations=simulations,
            playouts=done["playouts"] * self.settings.playouts,
            evaluations=done["evaluations"],
            moves_judged=done["moves_judged"],
            split={name: part / told for name, part in split.items()},
            state=state,
        )


def _check_judges(game: Game, settings: MctsSettings, judges: Mapping[str, MoveJudge]) -> None:
    """Refuse settings that lack a judge or are not decided yet, and judges of another game."""
    check_kind(judges, Mapping, "mcts: judges", "{'action': checkpoint.judge('action', game)}")
    needed = len(game.fluents), tuple(len(moves) for moves in game.moves)
    for name, judge in judges.items():
        check_judge(judge, f"the judge {name!r}")
        sizes = getattr(judge, "fluent_count", needed[0]), getattr(judge, "move_counts", needed[1])
        if sizes != needed:
            raise GameError(
                f"the judge {name!r} takes {sizes[0]} fluents and scores "
                f"{' and '.join(map(str, sizes[1]))} moves, {game.name} has {needed[0]} and "
                f"{' and '.join(map(str, needed[1]))}: is it another game's?"
            )
    if settings.is_gated:
        raise ConfigurationError(
            f"mcts: tree={settings.tree}, playout={settings.playout}; what is gated must be "
            "decided before the search is made: take a player string, or open_gate"
        )
    for name in settings.judges:
        if name not in judges:
            raise ConfigurationError(
                f"mcts: tree={settings.tree}, playout={settings.playout} need a judge of moves "
                f"{name!r}, given are {', '.join(sorted(judges)) or 'none'}; pass it in judges"
            )


def _check_limit(limit: Limit) -> None:
    """Refuse a limit that never ends a search."""
    check_kind(limit, Limit, "mcts: limit", "Limit(simulations=1000)")
    if limit.seconds is None and limit.simulations is None and limit.nodes is None:
        raise ConfigurationError(
            f"mcts: limit {str(limit)!r}; set at least one of seconds, simulations, nodes"
        )
