"""The prover says what the reference interpreter says, of rules that nobody has written."""

from __future__ import annotations

from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.errors import GroundingError
from neurogame.gdl.parse import parse_rules
from neurogame.prover.game import ProverGame
from tests.prover.random_rules import programs
from tests.reference.interpreter import ReferenceGame


@settings(max_examples=100)
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
            # Some are asked for and left; then all.
            assert set(islice(fast.legal_moves(state, role), choose % 3)) <= moves[role]
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
