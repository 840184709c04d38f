"""Monte-Carlo tree search straight from the rules: what plays while there is no circuit.

Decoupled UCT: each role chooses its own move in a state, so that games in which several roles move
at once need nothing special. States that are reached in several ways are one node.

*Reference:* Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006); Finnsson and
Björnsson, "Simulation-based approach to General Game Playing" (2008), for games in which all roles
move at once.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from neurogame.chance import chance_role
from neurogame.errors import GameError, LimitError
from neurogame.gdl.terms import Rules, Sentence
from neurogame.prover.game import ProverGame, ProverState

EXPLORATION = 0.7
"""Factor of the bound in UCB1, for values in 0..1; as in the search on circuits."""

MOST_NODES = 20_000
"""States of the tree; beyond them playouts begin at its leaves."""

MOST_PLIES = 2_000
"""Plies of a playout, after which its state counts as it is."""

FIRST_PLIES = 16
"""Plies of playouts in a search against time, until it is known that longer ones fit."""

_WANTED = 100
"""Simulations that should fit into a search: shorter playouts say more than a few whole ones."""

Values = tuple[float, ...]
"""The value of each role, in 0..1; ``[R]``."""


@final
class _Node:
    """A state of the tree.

    Attributes:
        moves: per role its legal moves, in code point order; none where the game is over.
        values: of the game that is over here; None elsewhere.
        tries: per role how often each of its moves was tried.
        sums: per role the values that each of its moves came to, added up.
        visits: how often the state was passed.
        following: the states after joint moves, given by the number of each role's move.
    """

    __slots__ = ("following", "moves", "state", "sums", "tries", "values", "visits")

    def __init__(
        self, state: ProverState, moves: list[list[Sentence]], values: Values | None
    ) -> None:
        self.state, self.moves, self.values = state, moves, values
        self.tries = [[0] * len(choices) for choices in moves]
        self.sums = [[0.0] * len(choices) for choices in moves]
        self.visits = 0
        self.following: dict[tuple[int, ...], _Node] = {}


@final
@dataclass(frozen=True, kw_only=True)
class ProofSearchResult:
    """What a search found.

    Attributes:
        move: the move that was tried most; of several the one with the highest mean.
        value: its mean for the searching role, in 0..1.
        simulations: games simulated from this state on.
        nodes: states of the tree, those of former searches included.
    """

    move: Sentence
    value: float
    simulations: int
    nodes: int


@final
class ProofSearch:
    """Searches a game by proofs; remembers its tree from move to move; not for several threads.

    Args:
        rules: a rulesheet; it need not be one that can be grounded.
        seed: decides every random choice.

    Raises:
        RulesError: see :class:`~neurogame.prover.game.ProverGame`.
        LimitError: see there.
    """

    def __init__(self, rules: Rules, seed: int) -> None:
        self._until = math.inf
        self._stopped: Callable[[], bool] = lambda: False
        self._game = ProverGame(rules, lambda: time.monotonic() >= self._until or self._stopped())
        self._random = random.Random(seed)
        self._chance = chance_role(self._game.roles)
        self._nodes: dict[ProverState, _Node] = {}
        self._plies = FIRST_PLIES

    def search(
        self,
        state: ProverState,
        role: int,
        *,
        until: float = math.inf,
        simulations: int | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> ProofSearchResult | None:
        """Search from a state.

        Args:
            state: ground terms; not terminal, and every role has a legal move.
            role: index of the role whose move is wanted.
            until: when to return, by ``time.monotonic()``; proofs under way are given up.
            simulations: how many to make; None: as many as the time allows.
            stop: whether to return; asked about every millisecond.

        Returns:
            What was found; None if not one simulation was finished.
        """
        self._until, self._stopped = until, stop
        done = 0
        root = None
        began = time.monotonic()
        try:
            root = self._node(state)
            while not stop() and (simulations is None or done < simulations):
                self._simulate(root, MOST_PLIES if until == math.inf else self._plies)
                done += 1
                now = time.monotonic()
                if now >= until:
                    break
                if self._plies < MOST_PLIES and done * (until - began) > _WANTED * (now - began):
                    self._plies *= 2
        except (LimitError, GameError):
            # What was proved by then counts; a simulation under way is lost.
            pass
        finally:
            self._until, self._stopped = math.inf, lambda: False
        if root is None or not any(root.tries[role]):
            return None
        tries, sums = root.tries[role], root.sums[role]
        best = max(range(len(tries)), key=lambda m: (tries[m], sums[m] / max(tries[m], 1), -m))
        return ProofSearchResult(
            move=root.moves[role][best],
            value=sums[best] / tries[best],
            simulations=done,
            nodes=len(self._nodes),
        )

    def _simulate(self, root: _Node, plies: int) -> None:
        """Play from the root by the tree as far as it goes, then so many random plies."""
        path: list[tuple[_Node, tuple[int, ...]]] = []
        node = root
        while node.values is None:
            joint = tuple(self._choose(node, role) for role in range(len(node.moves)))
            path.append((node, joint))
            following = node.following.get(joint)
            if following is None:
                node = self._step(node, joint)
                break
            node = following
            if len(path) > MOST_PLIES:
                break
        values = self._value_from(node, plies) if node.values is None else node.values
        for passed, joint in path:
            passed.visits += 1
            for role, move in enumerate(joint):
                passed.tries[role][move] += 1
                passed.sums[role][move] += values[role]

    def _choose(self, node: _Node, role: int) -> int:
        """Return the number of the move that a role tries next.

        *Reference:* Auer, Cesa-Bianchi and Fischer, "Finite-time analysis of the multiarmed bandit
        problem" (2002), UCB1.
        """
        tries = node.tries[role]
        if len(tries) == 1:
            return 0
        if role == self._chance:
            return self._outcome(node, tries)
        untried = [move for move, count in enumerate(tries) if count == 0]
        if untried:
            return self._random.choice(untried)
        sums, log = node.sums[role], math.log(node.visits)
        return max(
            range(len(tries)),
            key=lambda m: sums[m] / tries[m] + EXPLORATION * math.sqrt(log / tries[m]),
        )

    def _outcome(self, node: _Node, tries: list[int]) -> int:
        """Return an outcome of chance: one taken least often, or any where others choose, too."""
        if sum(len(choices) > 1 for choices in node.moves) > 1:
            return self._random.randrange(len(tries))
        least = min(tries)
        return self._random.choice([move for move, count in enumerate(tries) if count == least])

    def _step(self, node: _Node, joint: tuple[int, ...]) -> _Node:
        """Return the node after a joint move; it joins the tree as long as there is room."""
        moves = [choices[number] for choices, number in zip(node.moves, joint, strict=True)]
        state = self._game.next(node.state, moves)
        child = self._node(state)
        if state in self._nodes:
            node.following[joint] = child
        return child

    def _node(self, state: ProverState) -> _Node:
        """Return the node of a state."""
        known = self._nodes.get(state)
        if known is not None:
            return known
        if self._game.terminal(state):
            made = _Node(state, [], self._goals(state))
        else:
            moves = self._game.choices(state)
            # No game goes on from where some role has no move.
            made = _Node(state, moves, None if all(moves) else self._goals(state))
        if len(self._nodes) < MOST_NODES:
            self._nodes[state] = made
        return made

    def _value_from(self, node: _Node, plies: int) -> Values:
        """Return what a random game from a state comes to in so many plies."""
        last, _ = self._game.playout(node.state, self._random.getrandbits(32), plies)
        return self._goals(last)

    def _goals(self, state: ProverState) -> Values:
        """Return the value of each role: of several goals the highest, 0 without any."""
        goals: Sequence[list[int]] = [
            self._game.goals(state, role) for role in range(len(self._game.roles))
        ]
        return tuple(max(values, default=0) / 100 for values in goals)
