"""What the twin of the tree search proves."""

from __future__ import annotations

import itertools

import numpy as np

from neurogame.search.mcts.compiled.search import ALONE, NEVER, WHOLE, Options
from tests.search.twin_chance import averaged
from tests.search.twin_distance import plies_by_child
from tests.search.twin_nodes import Edge, Node

Real = np.float32


class Proofs:
    """A part of the twin.

    Attributes:
        options: of the search.
        roles: how many there are.
        best: best value of each role.
        chance: the role that chooses uniformly, if there is one.
    """

    options: Options
    roles: int
    best: list[float]
    chance: int | None

    def winner_of(self, exact: tuple[Real, ...]) -> int | None:
        """The role that has won."""
        early, best = self.options.early, self.best
        for role in reversed(range(self.roles)):
            won = exact[role] >= best[role] and (early == ALONE or exact[role] >= 1)
            if self.roles > 1 and early != NEVER and won and best[role] > 0:
                return role
        return None

    def prove(self, parent: Node, edges: list[Edge], child: Node) -> bool:
        if len(parent.edges) == 1:
            self._prove_by_child(parent, edges[0], child)
        elif parent.exact is None:
            joint = tuple(edge.move for edge in edges)
            if joint not in parent.proved:
                parent.plies = max(parent.plies, child.plies + 1)
            parent.proved.add(joint)
            self._prove_by_joint(parent)
        return parent.exact is not None

    def _prove_by_child(self, parent: Node, edge: Edge, child: Node) -> None:
        assert child.exact is not None
        (role,) = parent.edges
        value = child.exact[role]
        if edge.known is not None:
            return
        edge.known = value
        if parent.exact is not None:
            return
        if role == self.chance:
            if all(e.known is not None for e in parent.edges[role]):
                outcomes = list(parent.children.values())
                parent.exact = averaged(own.exact or () for own in outcomes)
                parent.plies = 1 + max(own.plies for own in outcomes)
            return
        if value >= self.best[role]:
            early = self.options.early
            if early == ALONE or (early == WHOLE and value >= 1):
                parent.plies = plies_by_child(parent, child, self.best)
                parent.exact = child.exact
                return
            parent.settled = True
        if all(e.known is not None for e in parent.edges[role]):
            proved = [parent.children[(e.move,)] for e in parent.edges[role]]
            vectors = [one.exact for one in proved]
            top = max(v[role] for v in vectors if v is not None)
            best = {v for v in vectors if v is not None and v[role] == top}
            if len(best) == 1:
                parent.exact = best.pop()
                child = proved[vectors.index(parent.exact)]
                parent.plies = plies_by_child(parent, child, self.best)

    def _prove_by_joint(self, parent: Node) -> None:
        moves = [[e.move for e in edges] for edges in parent.edges.values()]
        exact = {
            joint: parent.children[joint].exact if joint in parent.proved else None
            for joint in itertools.product(*moves)
        }
        if None not in exact.values() and len(set(exact.values())) == 1:
            parent.exact = next(iter(exact.values()))
        if not self.options.opposed:
            return
        for place, role in enumerate(parent.edges):
            for move in moves[place]:
                answers = [v for joint, v in exact.items() if joint[place] == move]
                if all(v is not None and v[role] >= self.best[role] for v in answers):
                    parent.exact = answers[0]

    @staticmethod
    def prefer_known(values: list[Real], parent: Node, edge: Edge) -> list[Real]:
        """A proved child's values, where they are better than what the simulation has tried."""
        ((role, edges),) = parent.edges.items()
        proved = [e for e in edges if e.known is not None]
        if not proved or role == parent.state.game.chance:
            return values
        best = max(proved, key=lambda e: (e.known, -edges.index(e)))
        exact = parent.children[(best.move,)].exact
        assert exact is not None
        return list(exact) if exact[role] > edge.total / Real(edge.visits) else values
