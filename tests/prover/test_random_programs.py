"""The prover says what the reference interpreter says, of rules that nobody has written."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.errors import GroundingError
from neurogame.gdl.parse import parse_rules
from neurogame.prover.game import ProverGame
from neurogame.reference.interpreter import ReferenceGame

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


@settings(max_examples=400, deadline=None)
@given(programs(), st.integers(0, 7))
def test_it_says_what_the_reference_says(text: str, choose: int) -> None:
    rules = parse_rules(text)
    try:
        slow = ReferenceGame(rules)
    except GroundingError:
        return
    fast = ProverGame(rules)
    state = slow.initial()
    assert fast.initial() == state
    for ply in range(3):
        try:
            moves = [slow.legal(state, role) for role in range(2)]
        except GroundingError:
            return
        for role in range(2):
            assert set(fast.legal_moves(state, role)) == moves[role]
            assert fast.goals(state, role) == slow.goals(state, role)
            assert fast.legal(state, role) == moves[role]
        assert fast.terminal(state) == slow.terminal(state)
        if not all(moves) or slow.terminal(state):
            return
        joint = [sorted(own, key=str)[(choose + ply) % len(own)] for own in moves]
        try:
            following = slow.next(state, joint)
        except GroundingError:
            return
        assert fast.next(state, joint) == following
        state = following
