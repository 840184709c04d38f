"""Small games with chance, and their values by plain recursion."""

from __future__ import annotations

import itertools
from functools import cache

from neurogame.simulate.game import Game, State

# To six points by a die of three faces, of which the first one costs the turn: five turns.
SMALL_PIG = """
(role first) (role second) (role random)
(player first) (player second) (opponent first second) (opponent second first)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(face 2) (face 3)
(plus 0 2 2) (plus 1 2 3) (plus 2 2 4) (plus 3 2 5) (plus 0 3 3) (plus 1 3 4) (plus 2 3 5)
(follows 1 2) (follows 2 3) (follows 3 4) (follows 4 5) (follows 5 6)
(init (kept first 0)) (init (kept second 0)) (init (gained 0)) (init (at first choice))
(init (turn 1))
(<= (legal ?p roll) (true (at ?p choice)))
(<= (legal ?p hold) (true (at ?p choice)) (not (true (gained 0))))
(<= (legal ?p noop) (opponent ?p ?q) (true (at ?q choice)))
(<= (legal ?p noop) (player ?p) (true (at ?q die)))
(<= (legal random 1) (true (at ?p die)))
(<= (legal random ?n) (face ?n) (true (at ?p die)))
(<= (legal random noop) (true (at ?p choice)))
(<= ends (does ?p hold)) (<= ends (does random 1))
(<= (next (gained ?n)) (does ?p roll) (true (gained ?n)))
(<= (next (gained ?n)) (does random ?d) (true (gained ?m)) (plus ?m ?d ?n))
(<= (next (gained 0)) ends)
(<= (next (kept ?p ?n)) (true (kept ?p ?n)) (not (does ?p hold)))
(<= (next (kept ?p 2)) (does ?p hold) (true (kept ?p 0)) (true (gained 2)))
(<= (next (kept ?p 3)) (does ?p hold) (true (kept ?p 0)) (true (gained 3)))
(<= (next (kept ?p 4)) (does ?p hold) (true (kept ?p 0)) (true (gained 4)))
(<= (next (kept ?p 5)) (does ?p hold) (true (kept ?p 0)) (true (gained 5)))
(<= (next (kept ?p 4)) (does ?p hold) (true (kept ?p 2)) (true (gained 2)))
(<= (next (kept ?p 5)) (does ?p hold) (true (kept ?p ?n)) (not (true (kept ?p 0)))
    (true (gained ?m)) (not (small ?p)))
(<= (small ?p) (true (kept ?p 2)) (true (gained 2)))
(<= (next (at ?p die)) (does ?p roll))
(<= (next (at ?p choice)) (true (at ?p die)) (not ends))
(<= (next (at ?q choice)) (true (at ?p ?s)) (opponent ?p ?q) ends)
(<= (next (turn ?n)) (true (turn ?n)) (not ends))
(<= (next (turn ?n)) (true (turn ?m)) (follows ?m ?n) ends)
(<= (next (won ?p)) (true (at ?p die)) (true (gained ?m)) (does random ?d) (face ?d)
    (not (below ?m ?d)))
(<= (below ?m ?d) (plus ?m ?d ?n))
(<= decided (true (won ?p)))
(<= terminal decided) (<= terminal (true (turn 6)))
(<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))
(<= (goal ?p 100) (true (won ?p))) (<= (goal ?p 0) (opponent ?p ?q) (true (won ?q)))
(<= (goal ?p 100) (not decided) (opponent ?p ?q) (true (kept ?p ?n)) (true (kept ?q ?m))
    (less ?m ?n))
(<= (goal ?p 0) (not decided) (opponent ?p ?q) (true (kept ?p ?n)) (true (kept ?q ?m))
    (less ?n ?m))
(<= (goal ?p 50) (not decided) (opponent ?p ?q) (true (kept ?p ?n)) (true (kept ?q ?n)))
(<= (goal random 100) (true (won second))) (<= (goal random 0) (not (true (won second))))
"""

# Three times: one says how much, and a coin falls at the same time.
WAGER = """
(role random) (role player)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(init (coins 3)) (init (round 1))
(follows 1 2) (follows 2 3) (follows 3 over)
(legal random heads) (legal random tails) (legal player pass)
(<= (legal player bet) (not (true (coins 0))))
(<= (legal player (double 2)) (true (coins ?n)) (succ ?m ?n) (succ ?l ?m))
(<= (next (coins ?n)) (does player pass) (true (coins ?n)))
(<= (next (coins ?n)) (does player bet) (does random heads) (true (coins ?m)) (succ ?m ?n))
(<= (next (coins ?n)) (does player bet) (does random tails) (true (coins ?m)) (succ ?n ?m))
(<= (next (coins ?n)) (does player (double 2)) (does random heads) (true (coins ?m))
    (succ ?m ?l) (succ ?l ?k) (succ ?k ?n))
(<= (next (coins ?n)) (does player (double 2)) (does random tails) (true (coins ?m))
    (succ ?l ?m) (succ ?n ?l))
(<= (next (round ?n)) (true (round ?m)) (follows ?m ?n))
(<= terminal (true (round over)))
(worth 0 0) (worth 1 7) (worth 2 20) (worth 3 34) (worth 4 45) (worth 5 60) (worth 6 80)
(worth 7 95) (worth 8 100)
(<= lost (true (round over)) (not rich))
(<= rich (true (coins ?n)))
(<= (goal player ?g) (true (coins ?n)) (worth ?n ?g))
(<= (goal player 0) lost)
(<= (goal random 100) (true (coins 8))) (<= (goal random 0) (not (true (coins 8))))
"""


def expected_values(game: Game) -> dict[State, tuple[float, ...]]:
    """Return the value of each state for all players if they play best, by plain recursion.

    At most one player has a choice at a time; what chance does at the same time it does not see.

    Args:
        game: small enough to go through, without ways back.
    """
    found: dict[State, tuple[float, ...]] = {}

    @cache
    def value(state: State) -> tuple[float, ...]:
        if state.is_terminal:
            values = tuple((goal or 0.0) / 100 for goal in state.goals)
            found[state] = tuple(values[role] for role in game.players)
            return found[state]
        legal = state.legal_moves
        (role,) = [p for p in game.players if len(legal[p]) > 1] or game.players[:1]
        own = []
        for move in legal[role]:
            choices = [[move] if r == role else moves for r, moves in enumerate(legal)]
            outcomes = [value(state.next(joint)) for joint in itertools.product(*choices)]
            own.append(tuple(sum(one) / len(outcomes) for one in zip(*outcomes, strict=True)))
        found[state] = max(own, key=lambda values: values[game.players.index(role)])
        return found[state]

    value(game.initial_state())
    return found
