"""Ground terms as plain strings and tuples, and what a body says of its variables."""

from __future__ import annotations

from typing import TypeAlias

from neurogame.errors import RulesError
from neurogame.gdl.terms import Compound, Rule, Sentence, Symbol, Term, Variable
from neurogame.gdl.walk import variable_names

# A ground term: a constant is its name, f(a, b) is ("f/2", "a", "b"). Plain strings and tuples
# hash several times faster than the dataclasses of the syntax tree.
Value: TypeAlias = "str | tuple[Value, ...]"
Row: TypeAlias = tuple[Value, ...]
Predicate: TypeAlias = tuple[str, int]


def value_of(term: Term) -> Value:
    """Return the prover's form of a ground term.

    Raises:
        RulesError: the term contains a variable.
    """
    if isinstance(term, Symbol):
        return term.name
    if isinstance(term, Variable):
        raise RulesError(f"the variable ?{term.name} stands where a ground term is needed")
    return (functor_of(term), *(value_of(a) for a in term.arguments))


def term_of(value: Value) -> Sentence:
    """Return the syntax tree of a value: the inverse of :func:`value_of`."""
    if isinstance(value, str):
        return Symbol(value)
    functor = value[0]
    assert isinstance(functor, str)
    return Compound(functor.rsplit("/", 1)[0], tuple(term_of(v) for v in value[1:]))


def sentence_of(name: str, row: Row) -> Sentence:
    """Return the syntax tree of the atom that a row of a relation stands for."""
    return Compound(name, tuple(term_of(value) for value in row)) if row else Symbol(name)


def functor_of(term: Compound) -> str:
    """Return the functor of a value."""
    # The arity is part of the functor, so that f(a) and f(a, b) never match each other.
    return f"{term.name}/{len(term.arguments)}"


def require_safe(rule: Rule, source: str) -> None:
    """Refuse a rule with a variable that no positive literal binds.

    Raises:
        RulesError: some variable of the rule is in no positive literal of its body.
    """
    positive = [literal for literal in rule.body if isinstance(literal, Symbol | Compound)]
    unbound = variable_names(rule.head, *rule.body) - variable_names(*positive)
    if unbound:
        names = ", ".join(f"?{name}" for name in sorted(unbound))
        place = f"{source}:{rule.position.line}:{rule.position.column}"
        raise RulesError(
            f"{place}: unsafe rule for {rule.head.name}: {names} must also occur in a positive "
            "literal of the body"
        )
