"""What depends on what: the order of the keywords, and the recursion restriction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from neurogame.gdl.finding import Finding, Severity, shown
from neurogame.gdl.graph import reachable, strong_components
from neurogame.gdl.terms import And, Compound, Formula, Or, Rule, Sentence, Symbol, Term
from neurogame.gdl.walk import arguments_of, body_sentences, relation_of, variable_names
from neurogame.gdl.write import term_text

Relation = tuple[str, int]

FORBIDDEN = {
    "legal": ("does",),
    "goal": ("does",),
    "terminal": ("does",),
    "init": ("true", "does"),
    "base": ("true", "does"),
    "input": ("true", "does"),
}
"""Which relations must not depend, directly or not, on which others."""

MOVE_FREE = ("goal", "terminal")
"""What is asked where no move is made: ``does`` has one meaning there, it holds of nothing."""

LONGEST_WAY = 10
"""Most names that a message lists of a chain of relations."""

OUTPUTS: frozenset[Relation] = frozenset(
    {("role", 1), ("init", 1), ("legal", 2), ("next", 1), ("terminal", 0), ("goal", 2)}
)
"""The relations that a game is played with."""


def used_relations(rules: Iterable[Rule]) -> set[Relation]:
    """Return the relations that playing the game depends on."""
    return reachable(OUTPUTS, _needs(rules))


def cyclic_relations(rules: Sequence[Rule]) -> set[Relation]:
    """Return the relations that depend on themselves, through negations too."""
    needs = _needs(rules)
    cyclic: set[Relation] = set()
    for members in strong_components(list(needs), needs):
        if len(members) > 1 or members[0] in needs.get(members[0], ()):
            cyclic.update(members)
    return cyclic


def recursive_conditions(rules: Sequence[Rule]) -> set[Relation]:
    """Return the relations that depend on themselves and on the state or on moves."""
    needs = _needs(rules)
    given = {("true", 1), ("does", 2)}
    return {one for one in cyclic_relations(rules) if reachable([one], needs) & given}


def relations_that_need(keyword: str, rules: Iterable[Rule]) -> set[Relation]:
    """Return the relations that depend on a keyword, directly or not, and the keyword's own."""
    return set(_ways_to(keyword, _needs(rules)))


def check_dependencies(rules: Sequence[Rule]) -> list[Finding]:
    """Return the findings about dependencies between relations."""
    return [*_keyword_order(rules), *_recursion(rules)]


def _needs(rules: Iterable[Rule]) -> dict[Relation, list[Relation]]:
    needs: dict[Relation, list[Relation]] = defaultdict(list)
    for rule in rules:
        needs[relation_of(rule.head)] += [relation_of(s) for s, _ in body_sentences(rule.body)]
    return needs


def _keyword_order(rules: Sequence[Rule]) -> list[Finding]:
    """Find rules through which, say, ``legal`` depends on ``does``."""
    needs = _needs(rules)
    ways = {keyword: _ways_to(keyword, needs) for keyword in ("true", "does")}
    findings = []
    for rule in rules:
        for forbidden in FORBIDDEN.get(rule.head.name, ()):
            for sentence, _ in body_sentences(rule.body):
                if relation_of(sentence) in ways[forbidden]:
                    via = _via(relation_of(sentence), ways[forbidden])
                    findings.append(_forbidden(rule.head.name, sentence, forbidden, via))
                    break
    return findings


def _forbidden(head: str, sentence: Sentence, forbidden: str, via: str) -> Finding:
    """Return the finding that a keyword looks at another one that it must not look at."""
    message = f"'{head}' must not depend on '{forbidden}', but it does{via}; "
    severity: Severity = "nonstandard" if head in MOVE_FREE else "error"
    if head in MOVE_FREE:
        message += f"no move is made where '{head}' is asked, so it is read as false: remove it"
    else:
        message += (
            "only 'next' may look at moves, and the start of the game at nothing that changes"
        )
    return Finding(severity, sentence.position, message, "forbidden-dependency")


def _ways_to(
    keyword: str, needs: Mapping[Relation, Sequence[Relation]]
) -> dict[Relation, Relation | None]:
    """Return, for every relation that needs a keyword, the next one on a shortest way to it."""
    needed_by: dict[Relation, list[Relation]] = defaultdict(list)
    for relation, needed in needs.items():
        for other in dict.fromkeys(needed):
            needed_by[other].append(relation)
    way: dict[Relation, Relation | None] = {r: None for r in needed_by if r[0] == keyword}
    todo = list(way)
    for relation in todo:
        for user in needed_by.get(relation, ()):
            if user not in way:
                way[user] = relation
                todo.append(user)
    return way


def _via(relation: Relation, way: Mapping[Relation, Relation | None]) -> str:
    """Return the names on the way to a keyword for a message, some left out of a long one."""
    names: list[str] = []
    following = way[relation]
    while following is not None:
        names.append(shown(relation[0]))
        relation, following = following, way[following]
    if len(names) > LONGEST_WAY:
        names[LONGEST_WAY // 2 : -LONGEST_WAY // 2] = ["..."]
    return f" through {' -> '.join(names)}" if names else ""


def _recursion(rules: Sequence[Rule]) -> list[Finding]:
    """Find recursion that breaks GDL's recursion restriction.

    It is an error where terms may grow without end: where the head of a rule on the cycle wraps a
    variable that nothing outside the cycle binds. Otherwise only finitely many terms can appear.
    """
    needs = _needs(rules)
    cycles: dict[Relation, set[Relation]] = {}
    for members in strong_components(list(needs), needs):
        cycle = set(members)
        cycles.update((relation, cycle) for relation in cycle)
    recursive: list[tuple[Rule, list[tuple[Sentence, Term]]]] = []
    growing: set[Relation] = set()
    for rule in rules:
        cycle = cycles[relation_of(rule.head)]
        if not any(relation_of(sentence) in cycle for sentence, _ in body_sentences(rule.body)):
            continue
        head = arguments_of(rule.head)
        broken = []
        for sentence, supplied in _recursive_sentences(rule.body, frozenset(), cycle):
            bound = variable_names(*supplied)
            broken += [
                (sentence, argument)
                for argument in arguments_of(sentence)
                if argument not in (*head, *supplied) and variable_names(argument) - bound
            ]
            there = {part for argument in arguments_of(sentence) for part in _parts(argument)}
            wrapping = {a for a in head if isinstance(a, Compound)} - there
            if variable_names(*wrapping) & variable_names(*there) - bound:
                growing.add(relation_of(rule.head))
        recursive.append((rule, broken))
    return [
        _restriction(rule.head, sentence, argument, not growing & cycles[relation_of(rule.head)])
        for rule, broken in recursive
        for sentence, argument in broken
    ]


def _recursive_sentences(
    body: Iterable[Formula], supplied: frozenset[Term], cycle: Collection[Relation]
) -> Iterator[tuple[Sentence, frozenset[Term]]]:
    """Yield the positive sentences of a cycle, each with the terms that others supply."""
    formulas = list(body)
    supplied = supplied.union(*(_supplied(formula, cycle) for formula in formulas))
    for formula in formulas:
        if isinstance(formula, And):
            yield from _recursive_sentences(formula.formulas, supplied, cycle)
        elif isinstance(formula, Or):
            for branch in formula.formulas:
                yield from _recursive_sentences([branch], supplied, cycle)
        elif isinstance(formula, Symbol | Compound) and relation_of(formula) in cycle:
            yield formula, supplied


def _supplied(formula: Formula, cycle: Collection[Relation]) -> frozenset[Term]:
    """Return the terms that positive sentences outside a cycle give, whatever branch holds.

    These are their arguments and what stands in them: of ``(true (on ?x ?y))`` ``?x``, too.
    """
    if isinstance(formula, And):
        return frozenset[Term]().union(*(_supplied(f, cycle) for f in formula.formulas))
    if isinstance(formula, Or) and formula.formulas:
        return frozenset.intersection(*(_supplied(f, cycle) for f in formula.formulas))
    if isinstance(formula, Symbol | Compound) and relation_of(formula) not in cycle:
        return frozenset(part for a in arguments_of(formula) for part in _parts(a))
    return frozenset()


def _parts(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, Compound):
        for argument in term.arguments:
            yield from _parts(argument)


def _restriction(head: Sentence, sentence: Sentence, argument: Term, is_finite: bool) -> Finding:
    name = shown(head.name)
    may = "breaks GDL's recursion restriction" if is_finite else "may not end"
    message = (
        f"the recursion of '{name}' through {shown(term_text(sentence))} {may}: its "
        f"argument {shown(term_text(argument))} must be ground, or an argument of the head, or "
        f"bound by a positive sentence that does not depend on '{name}'"
    )
    if is_finite:
        message += "; it is played, since no term grows in it"
    severity: Severity = "nonstandard" if is_finite else "error"
    return Finding(severity, argument.position, message, "recursion-restriction")
