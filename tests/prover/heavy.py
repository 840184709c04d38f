"""Rulesheets that are quick to prove from and slow to join, and rules that nobody wrote."""

from __future__ import annotations

from hypothesis import strategies as st


def numbers(count: int) -> str:
    """Return the successor facts of 0..count."""
    return " ".join(f"(succ {n} {n + 1})" for n in range(count))


_LINE = " ".join(f"?c{n}" for n in range(1, 10))

EXACTLY_ONE = f"""
(role robot) (init (step 0)) (mark x) (mark o) (mark b)
(<= (init (cell ?n b)) (succ ?m ?n))
{numbers(9)}
{
    " ".join(
        f"(<= (only {n} {_LINE}) (mark ?c{n}) (distinct ?c{n} b) "
        + " ".join(f"(mark ?c{m}) (not (is ?c{m} x))" for m in range(1, 10) if m != n)
        + ")"
        for n in range(1, 10)
    )
}
(is x x)
(<= (row {_LINE}) {" ".join(f"(true (cell {n} ?c{n}))" for n in range(1, 10))})
(<= (first ?n) (row {_LINE}) (only ?n {_LINE}))
(<= (legal robot (mark ?n)) (true (cell ?n b)))
(<= (next (cell ?n x)) (does robot (mark ?n)))
(<= (next (cell ?n ?c)) (true (cell ?n ?c)) (does robot (mark ?m)) (distinct ?m ?n))
(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
(<= terminal (true (step 9)))
(<= (goal robot 100) (first ?n)) (<= (goal robot 0) (not (marked))) (<= marked (first ?n))
""".replace("(marked)", "marked")
"""Nine cells of three values: which of them is the only one that is marked. Ten arguments."""

LISTS = """
(role robot) (item a) (item b) (item c) (item d) (item e) (item f) (item g) (item h) (item i)
(init (rest (cons a (cons b (cons c (cons d (cons e (cons f (cons g (cons h nil))))))))))
(init (taken nil))
(list nil 0)
(<= (list (cons ?x ?tail) ?n) (item ?x) (below ?m ?n) (list ?tail ?m))
(below 0 1) (below 1 2) (below 2 3) (below 3 4) (below 4 5) (below 5 6) (below 6 7) (below 7 8)
(<= (member ?x (cons ?x ?tail)) (list (cons ?x ?tail) ?n))
(<= (member ?x (cons ?y ?tail)) (list (cons ?y ?tail) ?n) (member ?x ?tail))
(<= (without ?x (cons ?x ?tail) ?tail) (list (cons ?x ?tail) ?n))
(<= (without ?x (cons ?y ?tail) (cons ?y ?left)) (list (cons ?y ?tail) ?n) (distinct ?x ?y)
    (without ?x ?tail ?left))
(<= (legal robot (take ?x)) (true (rest ?list)) (item ?x) (member ?x ?list))
(<= (next (rest ?left)) (true (rest ?list)) (does robot (take ?x)) (without ?x ?list ?left))
(<= (next (taken (cons ?x ?list))) (true (taken ?list)) (does robot (take ?x)))
(<= terminal (true (rest nil)))
(<= (goal robot 100) (true (taken (cons a ?tail))))
(<= (goal robot 0) (true (taken ?list)) (not (last ?list)))
(<= (last (cons a ?tail)) (list (cons a ?tail) ?n))
"""
"""Takes eight items from a list: there are 48 million lists of nine items as long as that."""

_ROLES = ("r1", "r2", "r3", "r4", "r5", "r6")

TWO_THIRDS = f"""
{" ".join(f"(role {role})" for role in _ROLES)} {numbers(600)} (number 0)
(<= (number ?n) (succ ?m ?n))
(<= (legal ?r (guess ?n)) (role ?r) (upto ?n 100))
(<= (upto ?n ?n) (number ?n)) (<= (upto ?m ?n) (succ ?k ?n) (upto ?m ?k))
(<= (next (guessed ?r ?n)) (does ?r (guess ?n)))
(<= (sum ?x 0 ?x) (number ?x))
(<= (sum ?x ?y ?z) (succ ?v ?y) (sum ?x ?v ?w) (succ ?w ?z))
(<= (total ?s6) (true (guessed r1 ?n1)) (sum 0 ?n1 ?s1)
{" ".join(f"(true (guessed r{n} ?n{n})) (sum ?s{n - 1} ?n{n} ?s{n})" for n in range(2, 7))})
(ninth 0 0)
{
    "(<= (ninth ?a ?n) (succ ?b ?a) (succ ?v1 ?n) "
    + " ".join(f"(succ ?v{n + 1} ?v{n})" for n in range(1, 9))
    + " (ninth ?b ?v9))"
}
(<= (near ?a) (total ?n) (ninth ?a ?n))
(<= (goal ?r 100) (near ?a) (true (guessed ?r ?a)))
(<= (goal ?r 0) (role ?r) (not (hit ?r))) (<= (hit ?r) (near ?a) (true (guessed ?r ?a)))
(<= terminal (true (guessed r1 ?n)))
"""
"""Six roles guess two thirds of their mean: sums of all numbers up to 600."""

_CELLS = " ".join(f"?d{n}" for n in range(1, 9))

ALL_DIFFERENT = f"""
(role robot) (init (step 0)) {numbers(8)}
(<= (digit ?n) (succ ?m ?n))
(<= (legal robot (write ?d)) (digit ?d))
(<= (next (cell ?b ?d)) (true (step ?a)) (succ ?a ?b) (does robot (write ?d)))
(<= (next (cell ?n ?d)) (true (cell ?n ?d)))
(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
(<= terminal (true (step 8)))
(<= (different {_CELLS}) {" ".join(f"(digit ?d{n})" for n in range(1, 9))}
{" ".join(f"(distinct ?d{m} ?d{n})" for n in range(2, 9) for m in range(1, n))}
    (not (banned {_CELLS})))
(<= (banned {_CELLS}) (different_but {_CELLS}) (true (cell 9 9)))
(<= (different_but {_CELLS}) {" ".join(f"(digit ?d{n})" for n in range(1, 9))})
(<= solved {" ".join(f"(true (cell {n} ?d{n}))" for n in range(1, 9))} (different {_CELLS}))
(<= (goal robot 100) solved) (<= (goal robot 0) (not solved))
"""
"""Eight digits that are all different: eight arguments, 16 million rows."""

HEAVY = {
    "exactly one": EXACTLY_ONE,
    "lists": LISTS,
    "two thirds": TWO_THIRDS,
    "all different": ALL_DIFFERENT,
}


ARITIES = {"p": 1, "q": 1, "r": 2, "s": 2, "t": 0, "e": 2}
TERM = st.sampled_from(["?x", "?y", "?z", "a", "b", "c", "(f a)", "(f ?x)"])
FRAME = """
(role one) (role two) (dom a) (dom b) (dom c) (dom (f a)) (init (at a)) (init (at b))
(<= (legal ?r (go ?x)) (role ?r) (q ?x)) (<= (legal ?r (pair ?x ?y)) (role ?r) (s ?x ?y))
(<= (next (at ?x)) (does one (go ?x))) (<= (next (at b)) (p b)) (<= (next (at ?x)) (r a ?x))
(<= (goal ?r 100) (role ?r) t) (<= (goal one 50) (r ?x ?y)) (<= terminal (p c))
"""


@st.composite
def sentences(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(["p", "q", "r", "s", "t", "e", "e", "true", "at"]))
    if name in ("true", "at"):
        return f"(true (at {draw(TERM)}))"
    parts = [draw(TERM) for _ in range(ARITIES[name])]
    return f"({' '.join([name, *parts])})" if parts else name


@st.composite
def programs(draw: st.DrawFn) -> str:
    rules = [FRAME]
    for pair in draw(st.lists(st.tuples(*[st.sampled_from("abc")] * 2), max_size=5)):
        rules.append(f"(e {pair[0]} {pair[1]})")
    for _ in range(draw(st.integers(1, 9))):
        head = draw(sentences().filter(lambda text: not text.startswith(("(true", "(e"))))
        body = draw(st.lists(sentences(), min_size=1, max_size=3))
        body += [f"(not {text})" for text in draw(st.lists(sentences(), max_size=1))]
        if draw(st.integers(0, 3)) == 0:
            body.append(f"(distinct {draw(TERM)} {draw(TERM)})")
        if draw(st.integers(0, 3)) == 0:
            body.append(f"(or {draw(sentences())} {draw(sentences())})")
        # Terms that grow in a recursion may do so for ever; only a state's fluents are bounded.
        head = head.replace("(f ?x)", "(f a)")
        body = [s if "(true" in s else s.replace("(f ?x)", "(f b)") for s in body]
        # Some literal has to bind each variable.
        body += [f"(dom {name})" for name in ("?x", "?y", "?z") if name in " ".join([head, *body])]
        rules.append(f"(<= {head} {' '.join(draw(st.permutations(body)))})")
    return "\n".join(rules)
