"""Rulesheets that want to break a player, and some that are only unfortunate."""

from __future__ import annotations

FINE = """
(role one) (role two) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal one (push ?n)) (true (at ?n)))
(<= (legal one wait) (true (at ?n)))
(legal two noop)
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
(<= terminal (true (at 3))) (goal one 100) (goal two 0)
"""
"""A game without any harm, three steps long."""

_DIGITS = " ".join(f"(digit {n})" for n in range(10))

WIDE = f"""{FINE} {_DIGITS}
(<= (wide ?a ?b ?c ?d ?e ?f ?g ?h ?i)
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (digit ?g) (digit ?h)
    (digit ?i))
(<= (goal one 50) (wide ?a ?b ?c ?d ?e ?f ?g ?h ?i) (true (at ?a)) (true (at ?i)))
"""
"""A thousand million ground instances, if the relation is derived as a whole."""

LONG_MOVES = f"""{FINE} {_DIGITS}
(<= (legal one (many ?a ?b ?c ?d ?e ?f ?g ?h ?i))
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (digit ?g) (digit ?h)
    (digit ?i))
"""
"""A thousand million legal moves."""

LONG_STATE = LONG_MOVES.replace("legal one (many", "init (many")
"""A state of a thousand million facts."""

GROWING = f"""{FINE}
(big z) (<= (big (s ?x)) (big ?x)) (<= (goal two 100) (big ?x) (true (at ?x)))
"""
"""Terms that grow for ever."""

GROWING_STATE = f"""{FINE}
(init (tower z)) (<= (next (tower (s ?x))) (true (tower ?x)))
(<= (legal one (climb ?x)) (true (tower ?x)))
"""
"""A state that grows for ever, but slowly: only grounding never ends."""

DOUBLING = f"""{FINE}
(init (tree z)) (<= (next (tree (pair ?x ?x))) (true (tree ?x)))
(<= (next (tree (pair ?x z))) (true (tree ?x)))
"""
"""States whose size doubles with every step, as texts even more."""

NESTED = FINE + "(deep " + "(" * 5000 + "x" + ")" * 5000 + ")"
"""Parentheses deeper than anybody reads."""

NEGATION = f"""{FINE}
(<= p (not q)) (<= q (not p)) (<= (legal two (odd p)) p)
"""
"""Negation through a cycle: no stratified model."""

NO_ROLES = "(init (at 0)) (<= (legal one go) (true (at 0))) (<= terminal (true (at 1)))"

NO_MOVES = "(role one) (init (at 0)) (<= terminal (true (at 1))) (<= (goal one 100) (true (at 1)))"
"""No legal relation at all."""

STUCK = """
(role one) (init (at 0)) (<= (legal one go) (true (at 5))) (<= terminal (true (at 1)))
(goal one 100) (<= (next (at 1)) (does one go))
"""
"""Nobody has a move, though the game is not over."""

NO_TERMINAL = (
    "(role one) (init (at 0)) (legal one go) (<= (next (at 0)) (does one go)) (goal one 1)"
)

NO_GOALS = "(role one) (init (at 0)) (legal one go) (<= terminal (true (at 0)))"

CODE = """
(role __import__) (init (at 0)) (legal __import__ exec) (legal __import__ {0.__class__}%s$HOME)
(<= (next (at 1)) (does __import__ exec)) (<= terminal (true (at 1))) (goal __import__ 100)
"""
"""Names that would do something if anybody evaluated them."""

_LONG = "n" * 999

LONG_NAMES = f"""
(role {_LONG}) (init (at 0)) (legal {_LONG} (go {_LONG}a {_LONG}b)) (legal {_LONG} stay)
(<= (next (at 1)) (does {_LONG} stay)) (<= terminal (true (at 1))) (goal {_LONG} 100)
"""

TOO_LONG_NAME = FINE.replace("wait", "w" * 100_000)

LARGE = FINE + " ".join(f"(fact {n} of many that say nothing)" for n in range(100_000))
"""Four million characters."""

NO_RULES = ""

RUBBISH = ") ( ) \x7f (<= (legal ?x) ((("
