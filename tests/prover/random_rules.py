"""Rules that nobody has written: recursion, negation, functions, two roles."""

from __future__ import annotations

from hypothesis import strategies as st

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
