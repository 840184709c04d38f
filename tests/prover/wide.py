"""Rulesheets in which one legal move is quick to prove, and all of them are not."""

from __future__ import annotations

from tests.prover.heavy import numbers

MANY = f"""
(role robot) (init (step 0)) {numbers(130)} {" ".join(f"(number {n})" for n in range(60))}
(<= (cell ?x ?y) (number ?x) (number ?y))
(<= (sum ?x 0 ?x) (number ?x))
(<= (sum ?x ?y ?s) (succ ?v ?y) (sum ?x ?v ?w) (succ ?w ?s))
(<= (total ?x ?y ?s) (true (step ?n)) (sum ?x ?y ?s))
(<= (pair ?x ?y) (cell ?x ?y) (not (true (marked ?x ?y))) (total ?x ?y ?s) (distinct ?s 3))
(<= (legal robot (mark ?x ?y)) (pair ?x ?y) (true (step ?n)))
(<= (next (marked ?x ?y)) (does robot (mark ?x ?y)))
(<= (next (marked ?x ?y)) (true (marked ?x ?y)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 5))) (goal robot 50)
"""
"""A role with 3,596 moves, through two relations, and a sum to be found for each of them."""

DEEP = f"""
(role robot) (init (at 0)) (init (level 150)) {numbers(150)}
(<= (path ?x ?y) (succ ?x ?y))
(<= (path ?x ?z) (succ ?x ?y) (path ?y ?z))
(<= (height 0 0) (true (at ?x)))
(<= (height ?y ?h) (succ ?x ?y) (true (level 150)) (height ?x ?g) (succ ?g ?h))
(<= (below ?x ?y) (true (level 150)) (path ?x ?y))
(<= (open ?x ?y ?h) (below ?x ?y) (height ?y ?h) (height ?x ?g) (below ?g ?h))
(<= (legal robot (jump ?x ?y ?h)) (open ?x ?y ?h) (true (level 150)))
(<= (next (at ?y)) (does robot (jump ?x ?y ?h)))
(<= (next (level 150)) (true (level 150)))
(<= terminal (true (at 150))) (goal robot 50)
"""
"""11,325 moves, each with a height that is found 150 deep in every state."""

DUPLICATES = f"""
(role robot) (init (step 0)) {numbers(600)}
(colour 0 red) (<= (colour ?m blue) (colour ?n red) (succ ?n ?m))
(<= (colour ?m red) (colour ?n blue) (succ ?n ?m))
(<= (number ?n) (succ ?n ?m))
(<= (couple ?x ?y) (number ?x) (number ?y) (distinct ?x ?y))
(<= (mixed ?c ?d) (couple ?x ?y) (colour ?x ?c) (true (step ?n)) (seen ?d))
(<= (seen ?c) (couple ?x ?y) (true (step ?n)) (colour ?y ?c))
(<= (legal robot (paint ?c ?d)) (mixed ?c ?d) (couple ?x ?y) (colour ?x ?c) (colour ?y ?d))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 5))) (goal robot 50)
"""
"""Four moves that are derived 700,000 times."""

WIDE = {"many": MANY, "deep": DEEP, "duplicates": DUPLICATES}
