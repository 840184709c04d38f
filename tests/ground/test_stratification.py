"""Negation through itself: exactly the programs that are stratified on ground atoms are accepted.

The twin instantiates every rule over all constants, by definition and without joins. A program is
refused if and only if some atom of the twin's graph lies on a cycle through a negation; and one
that is accepted has, in every state, exactly the one stable model that clingo finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurogame.circuit.build import build_circuit
from neurogame.errors import GroundingError
from neurogame.gdl.check import check_rules
from neurogame.gdl.graph import strong_components
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Compound, Formula, Not, Rule, Rules, Sentence, Symbol, Variable
from neurogame.gdl.walk import arguments_of
from neurogame.gdl.write import rules_text, term_text
from neurogame.ground.ground import ground
from tests.circuit.evaluate import evaluate_circuit
from tests.ground.asp import Translation

CONSTANTS = ("a", "b", "c")
STATIC, DYNAMIC = ("e", "f"), ("p", "q", "s")
FRAME = "(role r) (legal r go) (goal r 0) (<= terminal (true over))"
# All of p, q, s matter: their instances are fluents of the next state.
OUTPUTS = "".join(f"(<= (next (is {x} ?x)) ({x} ?x))" for x in DYNAMIC)
STATES = "".join(f"(init (on {c}))" for c in CONSTANTS[:2])
Atom: TypeAlias = str

VARIABLES = st.sampled_from(["x", "y"]).map(Variable)
TERMS = st.one_of(VARIABLES, VARIABLES, st.sampled_from(CONSTANTS).map(Symbol))


def atoms(names: tuple[str, ...], arity: int) -> st.SearchStrategy[Compound]:
    arguments = st.tuples(*[TERMS] * arity)
    return st.builds(Compound, st.sampled_from(names), arguments)


@st.composite
def programs(draw: st.DrawFn) -> Rules:
    """Return safe rules about p, q and s over facts e and f and the fluents on(...)."""
    rules = []
    pairs = st.tuples(st.sampled_from(CONSTANTS), st.sampled_from(CONSTANTS))
    for name in STATIC:
        for pair in draw(st.sets(pairs, max_size=4)):
            rules.append(Rule(Compound(name, tuple(map(Symbol, pair)))))
    for _ in range(draw(st.integers(1, 4))):
        head = draw(atoms(DYNAMIC, 1))
        body: list[Formula] = [draw(atoms(STATIC, 2))]
        on = st.builds(lambda t: Compound("true", (Compound("on", (t,)),)), TERMS)
        positive = draw(st.lists(st.one_of(atoms(DYNAMIC, 1), on), max_size=1))
        negative = draw(st.lists(st.one_of(atoms(DYNAMIC, 1), on), max_size=2))
        bound = {v.name for x in [*body, *positive] for v in variables(x)}
        free = {v.name for x in [head, *negative] for v in variables(x)} - bound
        body += [Compound("any", (Variable(name),)) for name in sorted(free)]
        rules.append(Rule(head, (*body, *positive, *map(Not, negative))))
    rules += [Rule(Compound("any", (Symbol(c),))) for c in CONSTANTS]
    return parse_rules(FRAME + OUTPUTS + STATES + rules_text(Rules(tuple(rules))))


def variables(sentence: Formula) -> Iterator[Variable]:
    assert isinstance(sentence, Compound)
    for argument in sentence.arguments:
        if isinstance(argument, Variable):
            yield argument
        elif isinstance(argument, Compound):
            yield from variables(argument)


def instances(rule: Rule) -> Iterator[tuple[Atom, list[Atom], list[Atom]]]:
    """Yield head, positive and negative atoms of every instance over all constants."""
    names = sorted({v for x in (rule.head, *map(_inner, rule.body)) for v in _names(x)})
    for values in product(CONSTANTS, repeat=len(names)):
        binding = dict(zip(names, values, strict=True))
        positive = [_ground(f, binding) for f in rule.body if not isinstance(f, Not)]
        negative = [_ground(_inner(f), binding) for f in rule.body if isinstance(f, Not)]
        yield _ground(rule.head, binding), positive, negative


def _inner(formula: Formula) -> Sentence:
    inner = formula.formula if isinstance(formula, Not) else formula
    assert isinstance(inner, Symbol | Compound)
    return inner


def _names(sentence: Sentence) -> set[str]:
    return {v.name for v in variables(sentence)} if isinstance(sentence, Compound) else set()


def _ground(sentence: Formula, binding: Mapping[str, str]) -> Atom:
    assert isinstance(sentence, Symbol | Compound)

    def put(term: object) -> object:
        if isinstance(term, Variable):
            return Symbol(binding[term.name])
        if isinstance(term, Compound):
            return Compound(term.name, tuple(map(put, term.arguments)))  # type: ignore[arg-type]
        return term

    return term_text(put(sentence))  # type: ignore[arg-type]


def unstratified(rules: Rules) -> bool:
    """Return whether an atom depends on its own negation; only what may hold counts."""
    ground_rules = [instance for rule in rules for instance in instances(rule)]
    fluents = {f"(true (on {c}))" for c in CONSTANTS[:2]}
    fixed = static_names(rules)
    certain = {head for head, positive, negative in ground_rules if not positive and not negative}
    while True:
        # Negations are granted, as the fluents may come and go, but for facts and what is static.
        ground_rules = [r for r in ground_rules if not certain & set(r[2])]
        possible = _closure([(h, p) for h, p, _ in ground_rules], fluents)
        sure = [(h, p) for h, p, n in ground_rules if _name(h) in fixed and not possible & set(n)]
        found = _closure(sure, certain)
        if found == certain:
            break
        certain = found
    edges: dict[Atom, list[Atom]] = {}
    for head, positive, negative in ground_rules:
        if possible >= set(positive):
            edges.setdefault(head, []).extend(a for a in (*positive, *negative) if a in possible)
    component = {a: n for n, c in enumerate(strong_components(list(edges), edges)) for a in c}
    return any(
        component[head] == component.get(atom)
        for head, positive, negative in ground_rules
        if possible >= set(positive)
        for atom in negative
    )


def static_names(rules: Rules) -> set[str]:
    """Return the relations that depend neither on the state nor on their own negation."""
    parts = [
        (_inner(rule.head), [(_inner(f), isinstance(f, Not)) for f in rule.body]) for rule in rules
    ]
    uses: dict[str, list[str]] = {}
    for head, body in parts:
        uses.setdefault(head.name, []).extend(x.name for x, _ in body)
    component = {a: n for n, c in enumerate(strong_components(list(uses), uses)) for a in c}
    moving = {
        head.name
        for head, body in parts
        if any(no and component.get(x.name) == component[head.name] for x, no in body)
    } | {"true"}
    while True:
        found = {head.name for head, body in parts if any(x.name in moving for x, _ in body)}
        if found <= moving:
            return set(uses) - moving
        moving |= found


def _name(atom: Atom) -> str:
    return atom.strip("(").split()[0]


def _closure(positive_rules: list[tuple[Atom, list[Atom]]], given: set[Atom]) -> set[Atom]:
    """Return all that follows from some atoms."""
    found, grown = set(given), True
    while grown:
        following = {head for head, body in positive_rules if found >= set(body)}
        grown = not following <= found
        found |= following
    return found


@settings(suppress_health_check=list(HealthCheck))
@given(programs())
def test_exactly_the_stratified_ground_programs_are_accepted(rules: Rules) -> None:
    found = {f.code for f in check_rules(rules)}
    doubted = bool(found & {"doubtful-negation", "unstratified-negation"})
    program = ground(rules)
    if unstratified(rules):
        assert doubted
        with pytest.raises(GroundingError, match="depends on its own negation") as caught:
            build_circuit(program, rules)
        assert str(caught.value).startswith("<text>:")
        return
    circuit = build_circuit(program, rules)
    # The one stable model of every state, by another program.
    twin = Translation(rules)
    fluents = program.fluents
    for held in product((False, True), repeat=2):
        chosen = [f"(on {c})" for c, on in zip(CONSTANTS, held, strict=False) if on]
        state = np.array([[fluent in chosen for fluent in fluents]])
        values = evaluate_circuit(circuit, state, np.ones((1, 1), np.bool_))
        following = {f"(next {f})" for f, on in zip(fluents, values.next[0], strict=True) if on}
        terms = [arguments_of(parse_rules(f"(p {text})").rules[0].head)[0] for text in chosen]
        expected = {a for a in twin.model(terms, []) if a.startswith("(next ")}
        assert following == expected


@pytest.mark.parametrize(
    ("edges", "accepted"),
    [("(e a b) (e b c)", True), ("(e a b) (e b a)", False), ("(e a a)", False)],
)
def test_the_same_rule_is_accepted_or_refused_by_its_facts(edges: str, accepted: bool) -> None:
    rules = parse_rules(
        f"{FRAME}{edges}(init s)(<= (w ?x) (e ?x ?y) (true s) (not (w ?y)))\n"
        "(<= (next (is ?x)) (w ?x))",
        "win.kif",
    )
    (finding,) = [f for f in check_rules(rules) if f.code == "doubtful-negation"]
    assert finding.severity == "warning"
    program = ground(rules)
    if accepted:
        assert build_circuit(program, rules).gate_count >= 0
        return
    with pytest.raises(GroundingError) as caught:
        build_circuit(program, rules)
    message = str(caught.value)
    assert message.startswith("win.kif:1:")
    assert "(w a) depends on its own negation: (w a) needs " in message or "(w b) dep" in message
    assert "*" not in message


def test_a_predicate_that_negates_itself_is_stratified_by_its_values() -> None:
    rules = parse_rules(
        "(role r) (legal r go) (init s) (<= (goal ?r 100) (role ?r) (true s))"
        "(<= (goal ?r 0) (role ?r) (not (goal ?r 100))) (<= terminal (true s))"
    )
    assert check_rules(rules) == []
    circuit = build_circuit(ground(rules))
    values = evaluate_circuit(circuit, np.ones((1, 1), np.bool_), np.zeros((1, 1), np.bool_))
    assert values.goals == [{("r", 100)}]
