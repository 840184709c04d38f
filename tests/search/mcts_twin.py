"""Monte-Carlo tree search in plain Python, from the papers' definitions: a slow twin.

UCB1 with the number of simulations below a node for N; decoupled where several roles decide;
RAVE and GRAVE; priors by a judge of moves, mixed with means or as first means; proved values
after Winands et al.; a graph of equal states. Playouts are those of the rules' own kernel, with the
seeds that the search documents. One state is one dictionary entry; nothing is packed, laid out or
vectorised here. Reals are of single precision: scores that are equal by definition are then equal
here where they are in the search, and ties are common.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from neurogame.evaluators.base import Evaluator
from neurogame.judges.moves import MoveJudge
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import look, play_uniform
from neurogame.kernels.leaves.playouts import play_out
from neurogame.kernels.leaves.policy import PlayoutPolicy
from neurogame.search.mcts.compiled.ahead import ROWS, TRIES
from neurogame.search.mcts.compiled.search import (
    FIRST,
    GRAVE,
    NUMBER,
    RAVE,
    SEED,
    UCT,
    Options,
)
from neurogame.search.packing import state_words
from neurogame.simulate.game import Game, State
from tests.search.twin_ahead import Known, add_expected, to_put_back
from tests.search.twin_chance import best_hint, outcome
from tests.search.twin_distance import (
    bounds,
    close,
    count_tied,
    is_decided,
    narrow,
    next_tied,
    pursue,
)
from tests.search.twin_nodes import Edge, Node, Simulation
from tests.search.twin_priors import comparable
from tests.search.twin_proofs import Proofs
from tests.search.twin_random import random_word, shuffled

Real = np.float32
Played: TypeAlias = tuple[State, tuple[list[Any], dict[int, int]]]
"""A leaf's state and what its playout is worth to each role."""
_STEPS: dict[tuple[State, tuple[int, ...]], State] = {}
"""Successors that any search has asked for."""
_STATES: dict[State, State] = {}
"""The states among them, so that their legal moves are found once."""


class Twin(Proofs):
    """The search."""

    def __init__(
        self,
        game: Game,
        options: Options,
        lanes: int = 1,
        *,
        evaluator: Evaluator | None = None,
        judge: MoveJudge | None = None,
        recorded: bool = False,
        state: State | None = None,
        ahead: int = 0,
    ) -> None:
        self._ahead, self._kept, self._known = ahead, 0, Known()
        self._waiting: dict[tuple[int, tuple[int, ...]], Played] = {}
        self._judge = judge
        self.game, self.options, self.lanes = game, options, lanes
        self._evaluator = evaluator
        self.roles = len(game.roles)
        self.chance = game.chance
        self.best = [max((v for v, _ in pairs), default=0) / 100 for pairs in game.circuit.goals]
        if game.chance is not None:
            self.best[game.chance] = math.inf
        self.nodes: list[Node] = []
        self.table: dict[State, Node] = {}
        self.blocks = 0
        self.winner: int | None = None
        self.winners: set[int] = set()
        self.ties = False
        self._given_up: list[Node] = []
        plies = options.numbers.plies if recorded else 0
        played = options.kind != UCT and not recorded
        self._leaves = Leaves(game.circuit, max(lanes, ahead), depth=1, plies=plies, played=played)
        self._policy = PlayoutPolicy(game.circuit, lanes) if recorded else None
        self.root = self.make_node(state or game.initial_state())

    def make_node(self, state: State) -> Node:
        node = Node(len(self.nodes), state, sums=[Real(0)] * self.roles)
        self.nodes.append(node)
        self.table[state] = node
        if state.is_terminal:
            node.exact = self._without_chance([Real((goal or 0.0) / 100) for goal in state.goals])
            node.hints = list(node.exact)
        elif self._evaluator is not None:
            node.hints = list(self._evaluator(state.fluents[None]).detach().numpy()[0])
        return node

    def _without_chance(self, values: list[Real]) -> tuple[Real, ...]:
        """Values of which chance has none."""
        return tuple(Real(0) if r == self.game.chance else v for r, v in enumerate(values))

    def open_record(self, node: Node) -> None:
        """Give a node its edges."""
        if node.edges:
            return
        legal = node.state.legal_moves
        deciders = [role for role in range(self.roles) if len(legal[role]) > 1] or [0]
        for role in deciders:
            own = [self.game.move_offsets[role] + move for move in legal[role]]
            order = shuffled(own, random_word(self.options.seed, node.index, role))
            node.edges[role] = [Edge(move) for move in order]
            node.tried[role] = 0

    def add_priors(self, node: Node) -> None:
        """Give a node its priors; what was not tried yet is then tried in their order."""
        assert self._judge is not None
        node.judged = True
        for role, edges in node.edges.items():
            own = node.state.legal_moves[role]
            if len(own) == 1 or role == self.game.chance:
                continue
            legal = np.isin(np.arange(len(self.game.moves[role])), own)[None]
            found = self._judge.move_scores(node.state.fluents[None].numpy(), legal, role)[0]
            scores = {self.game.move_offsets[role] + m: Real(found[m]) for m in own}
            priors = comparable(scores, self._judge.scale, self.options)
            tried = node.tried[role]
            for edge in edges:
                edge.prior = priors[edge.move]
            edges[tried:] = sorted(edges[tried:], key=lambda edge: -edge.prior)

    def search(self, simulations: int) -> None:
        """Run so many simulations, in blocks of ``lanes``."""
        self.open_record(self.root)
        while simulations > 0:
            self.winner, self.ties = None, False
            if self.root.exact is not None:
                winner = self.winner_of(self.root.exact)
                if winner is None or len(self.root.edges) > 1:
                    return
                if not is_decided(self.root, winner, self.best[winner]):
                    self.winner = winner
                    self.winners.add(winner)
                elif next_tied(self.root, winner) is None:
                    return
                else:
                    self.ties = True
            count = min(simulations, self.lanes)
            self._block(count)
            simulations -= count
            self.blocks += 1

    def _goes_on(self, sim: Simulation, node: Node) -> bool:
        """Whether a win is pursued through a proved node."""
        if self.winner is None or node.state.is_terminal:
            return False
        least, most = bounds(node, self.winner, self.best[self.winner])
        return least < most and not any(node is passed for passed, _ in sim.path)

    def _take_leaf(self, sim: Simulation) -> Played:
        """Play a leaf on, with those that simulations made in advance need."""
        key = sim.path[-1][0].index, sim.path[-1][1]
        if key in self._waiting:
            return self._waiting.pop(key)
        if self._kept + self._ahead > ROWS:
            self._waiting.clear()
            self._kept = 0
        put_back = to_put_back(self.nodes)
        fresh: dict[tuple[int, tuple[int, ...]], State] = {}
        for number in range(1, TRIES * self._ahead):
            if len(fresh) == self._ahead - 1:
                break
            other = self._descend()
            node, picks = other.path[-1]
            if other.step and (node.index, picks) not in self._waiting:
                fresh.setdefault((node.index, picks), self._stepped(node, picks))
            waiting = other.step and self._waiting.get((node.index, picks))
            values = waiting[1][0] if waiting else None
            add_expected(other, values, self.blocks + number, self._known)
        states = [self._stepped(*sim.path[-1]), *fresh.values()]
        values, made = self._play(states)
        played = list(zip(states, zip(values, made, strict=True), strict=True))
        self._waiting |= zip(fresh, played[1:], strict=True)
        self._kept += len(fresh)
        put_back()
        return played[0]

    def _block(self, count: int) -> None:
        sims = [self._descend() for _ in range(count)]
        for node in self._given_up:
            # Another simulation of the block has come here as if nothing had happened.
            assert self.winner is not None
            close(node, self.winner, self.best[self.winner])
        self._given_up.clear()
        riders = [sim for sim in sims if not sim.over]
        states = [self._stepped(*sim.path[-1]) for sim in riders]
        is_alone = self._ahead and sims[0].step and self.winner is None and not self.ties
        waited = self._take_leaf(sims[0]) if is_alone else None
        for sim, state in zip(riders, states, strict=True):
            if sim.step:
                self._insert(sim, state)
        values, made = self._play(states) if waited is None else ([waited[1][0]], [waited[1][1]])
        results = {id(f): v for f, v in zip(riders, values, strict=True)}
        played = {id(f): m for f, m in zip(riders, made, strict=True)}
        for sim in sims:
            if sim.over:
                assert sim.node is not None
                assert sim.node.exact is not None
                results[id(sim)] = list(sim.node.exact)
                played[id(sim)] = {}
            results[id(sim)] = list(self._without_chance(results[id(sim)]))
        if self.options.kind != UCT:
            for sim in sims:
                self._learn_all_moves(sim, results[id(sim)], played[id(sim)])
        for sim in sims:
            self._back_up(sim, results[id(sim)])

    def _descend(self) -> Simulation:
        sim, node = Simulation(), self.root
        if self.ties:
            return self._compare(sim)
        reference = self.root
        while True:
            sim.node = node
            if node.exact is not None and not self._goes_on(sim, node):
                sim.over = True
                return sim
            if any(node is passed for passed, _ in sim.path):
                sim.node = None
                return sim
            self.open_record(node)
            ripe = node.visits + node.pending >= self.options.ripe or node is self.root
            if self._judge is not None and not node.judged and ripe:
                self.add_priors(node)
            if node.visits >= self.options.numbers.ref and node.table is not None:
                reference = node
            way = None
            if self.winner is not None:
                way = pursue(node, self.winner, self.best[self.winner])
                if way is None:
                    self._given_up.append(node)
                    sim.over = node.exact is not None
                    sim.node = node if sim.over else None
                    return sim
            picks = self._choose(node, reference, way)
            sim.path.append((node, picks))
            child = node.children.get(picks)
            if child is None:
                sim.node, sim.step = None, True
                return sim
            node = child

    def _compare(self, sim: Simulation) -> Simulation:
        """Try a move of the lost root, and play on from there."""
        assert self.root.exact is not None
        winner = self.winner_of(self.root.exact)
        assert winner is not None
        number = next_tied(self.root, winner)
        if number is None:
            sim.over, sim.node = True, self.root
            return sim
        ((_, edges),) = self.root.edges.items()
        edges[number].pending += 1
        self.root.pending += 1
        sim.path.append((self.root, (edges[number].move,)))
        return sim

    def _choose(self, node: Node, reference: Node, way: int | None) -> tuple[int, ...]:
        options = self.options
        below = node.visits - node.ends + node.pending
        total = Real(max(below, 1))
        spread = Real(options.exploration) * np.sqrt(np.log(total))
        beta = np.sqrt(Real(options.k) / (Real(3) * Real(below) + Real(options.k)))
        node.pending += 1
        picks = []
        for role, edges in node.edges.items():
            tried = node.tried[role]
            mean = node.sums[role] / Real(node.visits) if node.visits else Real(0.5)
            urgent = Real(options.urgent) if options.urgency == NUMBER else mean
            if way is not None:
                number = way
            elif role == self.game.chance:
                number = outcome(options.seed, node, edges)
            elif node.settled:
                number = max(
                    (n for n in range(tried) if edges[n].known is not None),
                    key=lambda n: (edges[n].known, -n),
                )
            elif options.urgency == FIRST and tried < len(edges) and not node.judged:
                rest = range(tried, len(edges))
                number = max(
                    rest,
                    key=lambda n: (self._first_value(edges[n], reference, Real(1), Real(1)), -n),
                )
            elif all(edge.known is not None for edge in edges):
                number = max(range(len(edges)), key=lambda n: (edges[n].known, -n))
            else:
                scores = [
                    self._mixed_score(e, mean, spread, beta, reference, node) for e in edges[:tried]
                ]
                for edge in edges[tried:]:
                    value = urgent
                    if node.judged:
                        value += beta * (edge.prior - value)
                    if node.judged and options.mixing == SEED:
                        value = edge.prior
                    value = self._first_value(edge, reference, value, beta)
                    scores.append(value + self._bound(edge, spread))
                open_ = [n for n, edge in enumerate(edges) if edge.known is None]
                number = max(open_, key=lambda n: (scores[n], -n))
            if number >= tried:
                edges[tried], edges[number] = edges[number], edges[tried]
                node.tried[role], number = tried + 1, tried
            edges[number].pending += 1
            picks.append(edges[number].move)
        return tuple(picks)

    def _all_moves(self, edge: Edge, reference: Node) -> tuple[Real, Real]:
        if self.options.kind == RAVE:
            return Real(edge.seen), edge.hits
        if self.options.kind == GRAVE and reference.table is not None:
            seen, hits = reference.table.get(edge.move, [Real(0), Real(0)])
            return seen, hits
        return Real(0), Real(0)

    def _first_value(self, edge: Edge, reference: Node, value: Real, beta: Real) -> Real:
        seen, hits = self._all_moves(edge, reference)
        return value + beta * (hits / seen - value) if seen else value

    def _bound(self, edge: Edge, spread: Real) -> Real:
        """``C sqrt(ln N / n)``."""
        begun = edge.visits + edge.pending
        found: Real = spread / np.sqrt(Real(max(begun, 1)))
        return found

    def _mixed_score(
        self, edge: Edge, mean: Real, spread: Real, beta: Real, reference: Node, node: Node
    ) -> Real:
        value = edge.total / Real(edge.visits) if edge.visits else mean
        if node.judged and self.options.mixing == SEED:
            virtual = Real(self.options.numbers.virtual)
            total = edge.total + virtual * edge.prior
            value = total / (Real(edge.visits) + virtual) if edge.visits else edge.prior
        elif node.judged:
            value += beta * (edge.prior - value)
        bias = Real(0)
        if self._evaluator is not None and edge.visits:
            known = Real(self.options.numbers.experience)
            value += known / (Real(edge.visits) + known) * (edge.hint - value)
            value += Real(self.options.numbers.minimax) * (edge.hint - value)
            bias = Real(self.options.numbers.bias) * edge.hint / Real(edge.visits + 1)
        seen, hits = self._all_moves(edge, reference)
        if seen:
            value += beta * (hits / (seen + Real(edge.pending)) - value)
        score: Real = value + self._bound(edge, spread) + bias
        return score

    def _stepped(self, node: Node, picks: tuple[int, ...]) -> State:
        key = node.state, picks
        if key not in _STEPS:
            offsets = self.game.move_offsets
            joint = [moves[0] for moves in node.state.legal_moves]
            for role, move in zip(node.edges, picks, strict=True):
                joint[role] = move - offsets[role]
            state = node.state.next(joint)
            _STEPS[key] = _STATES.setdefault(state, state)
        return _STEPS[key]

    def _insert(self, sim: Simulation, state: State) -> None:
        parent, picks = sim.path[-1]
        child = parent.children.get(picks)
        if child is None:
            child = self.table.get(state) if self.options.numbers.graph else None
            parent.children[picks] = child = child or self.make_node(state)
        if child.exact is not None:
            sim.over, sim.node = True, child
        elif not any(child is passed for passed, _ in sim.path):
            sim.node = child

    def _play(self, states: list[State]) -> tuple[list[list[Real]], list[dict[int, int]]]:
        """Return results, and the moves that were made (move -> role)."""
        block, rules, count = self._leaves.block, self._leaves.rules, len(states)
        if not states:
            return [], []
        for lane, state in enumerate(states):
            block.states[lane] = state_words(state.fluents.numpy())
        look(rules, count)
        seed = random_word(self.options.seed, self.blocks, 0)
        seed -= (seed >> 63) << 64
        if self._policy is None:
            play_uniform(rules, count, seed, self.options.numbers.plies)
        else:
            play_out(block, self._policy.policy, count, seed, self.options.numbers.plies)
        values = np.where(block.terminal[:count, None], block.goals[:count], block.values[:count])
        made: list[dict[int, int]] = []
        for lane in range(count):
            rows: Any = block.made[lane, : block.plies[lane]] if self._policy is not None else []
            made.append({int(m): role for row in rows for role, m in enumerate(row) if m >= 0})
            words = block.played[lane] if not block.terminal[lane] else block.played[lane, :0]
            flags = np.unpackbits(words.view(np.uint8), bitorder="little")
            made[-1] |= {int(m): self._role_of(int(m)) for m in np.flatnonzero(flags)}
        return [list(row) for row in values], made

    def _role_of(self, move: int) -> int:
        """The role of a move's number."""
        return int(np.searchsorted(self.game.move_offsets, move, side="right")) - 1

    def _learn_all_moves(self, sim: Simulation, values: list[Real], played: dict[int, int]) -> None:
        made = dict(played)
        for node, picks in reversed(sim.path):
            pairs = zip(node.edges, picks, strict=True)
            made |= {move: role for role, move in pairs if len(node.edges[role]) > 1}
            if self.options.kind == RAVE:
                for role, edges in node.edges.items():
                    for edge in edges:
                        if edge.move in made:
                            edge.seen += 1
                            edge.hits += values[role]
                continue
            enough = 2 * (node.visits + 1) >= self.options.numbers.ref
            if node.table is None and (enough or node is sim.path[0][0]):
                node.table = {}
            if node.table is not None:
                for move, role in made.items():
                    entry = node.table.setdefault(move, [Real(0), Real(0)])
                    entry[0] += Real(1)
                    entry[1] += values[role]

    def _back_up(self, sim: Simulation, values: list[Real]) -> None:
        if self.ties:
            for _, (move,) in sim.path:
                ((_, edges),) = self.root.edges.items()
                count_tied(self.root, [e.move for e in edges].index(move), values)
            return
        node = sim.node
        known = node is not None and node.exact is not None
        if node is not None and not known:
            node.visits += 1
            node.ends += 1
            node.sums = [s + v for s, v in zip(node.sums, values, strict=True)]
        for parent, picks in reversed(sim.path):
            edges = [
                next(e for e in parent.edges[role] if e.move == move)
                for role, move in zip(parent.edges, picks, strict=True)
            ]
            if self.options.blend and node is not None and not known and len(edges) == 1:
                values = self._blend(values, edges[0].visits + 1, node)
            for role, edge in zip(parent.edges, edges, strict=True):
                edge.visits += 1
                edge.pending -= 1
                edge.total += values[role]
                if node is not None and node.hints:
                    hint = node.hints[role]
                    several = len(edges) > 1
                    edge.hint = (
                        edge.hint + (hint - edge.hint) / Real(edge.visits) if several else hint
                    )
            if self.options.numbers.minimax > 0 and node is not None and len(edges) == 1:
                best_hint(parent, edges[0])
            parent.pending -= 1
            settled = self.winner is not None and parent.exact is not None
            if not settled:
                parent.visits += 1
                if not known and len(edges) == 1:
                    values = self.prefer_known(values, parent, edges[0])
                parent.sums = [s + v for s, v in zip(parent.sums, values, strict=True)]
            if known and self.options.numbers.solver:
                assert node is not None
                known = self.prove(parent, edges, node)
                if known and parent.exact is not None and self._evaluator is not None:
                    parent.hints = list(parent.exact)
            else:
                known = settled
            if self.winner is not None:
                narrow(parent, self.winner, self.best[self.winner])
            node = parent

    @staticmethod
    def _blend(values: list[Real], visits: int, child: Node) -> list[Real]:
        """``(v n + Q (N - n)) / N``, with the operations in the order of the search."""
        if child.visits <= visits:
            return values
        means = [total / Real(child.visits) for total in child.sums]
        share = Real(visits) / Real(child.visits)
        return [q + share * (v - q) for v, q in zip(values, means, strict=True)]
