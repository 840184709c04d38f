"""What surely holds is known before the state: its denial keeps wide rules small."""

from __future__ import annotations

from itertools import combinations

import pytest

from neurogame.errors import LimitError
from neurogame.gdl.parse import parse_rules
from neurogame.ground import ground as ground_module
from neurogame.ground.certain import with_certain
from neurogame.ground.clause_parts import dynamic_predicates
from neurogame.ground.clauses import clauses_of
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits
from tests.ground.test_demand import assert_alike

FILES = "abcdefg"

CLASHES = f"""
(role white) (init (step 1))
{" ".join(f"(succ {n} {n + 1})" for n in range(1, 8))} {
    " ".join(f"(rank {n})" for n in range(1, 6))
}
(<= (legal white (place ?y)) (rank ?y))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (filled ?m ?y)) (true (step ?m)) (does white (place ?y)))
(<= (next (filled ?m ?y)) (true (filled ?m ?y)))
(<= (free ?x ?y) (rank ?x) (rank ?y) (not (true (filled ?x ?y))))
(<= (clash ?x1 ?y ?x2 ?y) (succ ?x1 ?x2) (rank ?y))
(<= (clash ?x1 ?y ?x3 ?y) (succ ?x1 ?x2) (free ?x2 ?y) (clash ?x2 ?y ?x3 ?y))
(<= (clash ?x1 ?y1 ?x2 ?y2) (succ ?x1 ?x2) (succ ?y1 ?y2) (rank ?y2))
(<= (clash ?x1 ?y2 ?x2 ?y1) (succ ?x1 ?x2) (succ ?y1 ?y2) (rank ?y2))
(<= (solution {" ".join(f"?{f}" for f in FILES)}) {" ".join(f"(rank ?{f})" for f in FILES)}
    {
    " ".join(
        f"(not (clash {m} ?{f} {n} ?{g}))"
        for (m, f), (n, g) in combinations(enumerate(FILES, 1), 2)
    )
})
(<= terminal (true (step 8)))
(<= hope (true (filled 1 ?a)) (solution {" ".join(f"?{f}" for f in FILES)}))
(<= (goal white 100) hope) (<= (goal white 0) (not hope))
"""
"""Seven files of five ranks: of 78,125 combinations few have no neighbours that clash."""

LIMITS = GroundLimits(rules=20_000)


def test_denied_neighbours_are_left_out_before_the_state_is_known() -> None:
    rules = parse_rules(CLASHES)
    program = ground(rules, LIMITS, trial_rows=15_000)
    assert 100 < program.rule_count < 10_000
    assert_alike(rules, program, seed=3, plies=8)


def test_without_what_is_sure_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground_module, "with_certain", lambda clauses, *_: (clauses, set()))
    with pytest.raises(LimitError):
        ground(parse_rules(CLASHES), LIMITS, trial_rows=15_000)


def test_only_rules_that_no_state_changes_are_sure() -> None:
    clauses = clauses_of(parse_rules(CLASHES))
    found, sure = with_certain(clauses, dynamic_predicates(clauses), {"succ/2", "rank/1"})
    assert sure == {"*sure.clash/4"}
    assert sum(c.head.predicate == "*sure.clash/4" for c in found) == 3
    (solution,) = [c for c in found if c.head.predicate == "solution/7"]
    assert sum(x.negated and x.predicate == "*sure.clash/4" for x in solution.body) == 21
    others = [c for c in found if c.head.predicate not in ("*sure.clash/4", "solution/7")]
    assert others == [c for c in clauses if c.head.predicate != "solution/7"]
