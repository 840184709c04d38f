"""Which constants may be goal values: the only names of a rulesheet whose spelling has a meaning.

Most rulesheets name the value in the head, ``(<= (goal ?r 100) ...)``. Some look it up,
``(<= (goal ?r ?v) (true (points ?r ?v)))``; there the value is followed back through the rules to
the constants that can arrive.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from neurogame.errors import NeurogameWarning
from neurogame.gdl.keywords import clamped_goal, is_goal_value
from neurogame.gdl.terms import Compound, Rule, Rules, Symbol, Term, Variable
from neurogame.gdl.walk import body_sentences

Place: TypeAlias = tuple[tuple[str, int], ...]
"""Where a term stands: relation and argument number, then function and argument number, ..."""

LONGEST_PLACE = 6
"""Places nested deeper are not followed: rules that unwrap terms would have no deepest one."""

_SAME_ARGUMENTS = {"init": "true", "next": "true", "base": "true", "legal": "does", "input": "does"}
"""Keywords that pass their terms on to another one, from step to step."""


def goal_values(rules: Rules) -> set[str]:
    """Return the names that stand as goal values, or that a variable goal value may take.

    The second kind is an over-approximation: it looks at places only, not at what is true.
    """
    wanted: set[Place] = {(("goal", 1),)}
    values: set[str] = set()
    heads = [list(_places(rule.head)) for rule in rules]
    grows = True
    while grows:
        before = len(wanted)
        for rule, places in zip(rules, heads, strict=True):
            for place, term in places:
                if isinstance(term, Symbol) and place in wanted:
                    direct = rule.head.name == "goal"
                    if direct or is_goal_value(term.name):
                        values.add(term.name)
                elif isinstance(term, Variable):
                    _follow(rule, place, term, wanted)
        grows = len(wanted) > before
    return values


def met_goal(number: int, role: str) -> int:
    """Return the goal value in 0..100 that an integer counts as which a role has got in play.

    One outside 0..100 counts as the nearest value inside, with a warning that is shown once.
    """
    value = clamped_goal(number)
    if value != number:
        warnings.warn(
            f"role {role} has the goal {number}, outside 0..100; it counts as {value} (said once)",
            NeurogameWarning,
            stacklevel=3,
        )
    return value


def _follow(rule: Rule, place: Place, variable: Variable, wanted: set[Place]) -> None:
    """Add the places of a body that a head's variable takes its wanted terms from."""
    ends = [w[len(place) :] for w in wanted if w[: len(place)] == place]
    if not ends:
        return
    sources: dict[str, set[Place]] = defaultdict(set)
    for sentence, negated in body_sentences(rule.body):
        if not negated:
            for source, term in _places(sentence):
                if isinstance(term, Variable):
                    sources[term.name].add(source)
    for source in sources[variable.name]:
        wanted.update(source + end for end in ends if len(source + end) <= LONGEST_PLACE)


def _places(sentence: Term) -> Iterator[tuple[Place, Term]]:
    """Yield every symbol and variable inside a sentence, with its place."""
    todo: list[tuple[Place, Term]] = [((), sentence)]
    while todo:
        place, term = todo.pop()
        if isinstance(term, Compound):
            name = term.name if place else _SAME_ARGUMENTS.get(term.name, term.name)
            todo += [((*place, (name, i)), a) for i, a in enumerate(term.arguments)]
        elif place:
            yield place, term
