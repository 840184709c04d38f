"""Walking through formulas: their sentences, terms and variables, and what replaces these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Sentence,
    Symbol,
    Term,
    Variable,
)


def with_negations_inside(
    formula: Formula, leaf: Callable[[Sentence | Distinct, bool], Formula], negated: bool = False
) -> Formula:
    """Return a formula, or its negation, with negations before sentences and ``distinct`` alone.

    Args:
        formula: the formula.
        leaf: makes a formula of one of these; it is told whether it is negated, and negates by
            itself.
        negated: whether the negation is wanted.
    """
    if isinstance(formula, Not):
        return with_negations_inside(formula.formula, leaf, not negated)
    if isinstance(formula, And | Or):
        kind = And if isinstance(formula, And) != negated else Or
        parts = (with_negations_inside(part, leaf, negated) for part in formula.formulas)
        return kind(tuple(parts), formula.position)
    return leaf(formula, negated)


def signed_sentences(formula: Formula, negated: bool = False) -> Iterator[tuple[Sentence, bool]]:
    """Yield every atomic sentence of a formula, and whether it stands under ``not``."""
    if isinstance(formula, Not):
        yield from signed_sentences(formula.formula, not negated)
    elif isinstance(formula, Or | And):
        for inner in formula.formulas:
            yield from signed_sentences(inner, negated)
    elif not isinstance(formula, Distinct):
        yield formula, negated


def body_sentences(body: Iterable[Formula]) -> Iterator[tuple[Sentence, bool]]:
    """Yield every atomic sentence of a body, and whether it stands under ``not``."""
    for formula in body:
        yield from signed_sentences(formula)


def arguments_of(sentence: Sentence) -> tuple[Term, ...]:
    """Return the arguments of a sentence, none for a relation without arguments."""
    return sentence.arguments if isinstance(sentence, Compound) else ()


def relation_of(sentence: Sentence) -> tuple[str, int]:
    """Return relation name and number of arguments."""
    return sentence.name, len(arguments_of(sentence))


def nodes_in(*nodes: Formula | Term) -> Iterator[Formula | Term]:
    """Yield formulas or terms and all of their parts, from left to right, the whole first."""
    todo = list(reversed(nodes))
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, Symbol | Variable):
            continue
        if isinstance(node, Compound):
            todo += reversed(node.arguments)
        elif isinstance(node, Not):
            todo.append(node.formula)
        elif isinstance(node, Distinct):
            todo += (node.right, node.left)
        else:
            todo += reversed(node.formulas)


def variables_in(*nodes: Formula | Term) -> Iterator[Variable]:
    """Yield every variable of some formulas or terms, repetitions included."""
    # Asked for most of all in grounding: nothing but variables is handed up.
    for node in nodes:
        if isinstance(node, Variable):
            yield node
        elif isinstance(node, Compound):
            yield from variables_in(*node.arguments)
        elif isinstance(node, Not):
            yield from variables_in(node.formula)
        elif isinstance(node, Distinct):
            yield from variables_in(node.left, node.right)
        elif isinstance(node, Or | And):
            yield from variables_in(*node.formulas)


def variable_names(*nodes: Formula | Term) -> set[str]:
    """Return the names of the variables of some formulas or terms."""
    return {variable.name for variable in variables_in(*nodes)}


def substitute(term: Term, solved: Mapping[str, Term]) -> Term:
    """Return a term with its variables replaced; those that are not named stay."""
    if isinstance(term, Variable):
        return solved.get(term.name, term)
    if isinstance(term, Compound):
        arguments = tuple([substitute(argument, solved) for argument in term.arguments])
        return Compound(term.name, arguments, term.position)
    return term


def substitute_in(formula: Formula, solved: Mapping[str, Term]) -> Formula:
    """Return a formula with its variables replaced; those that are not named stay."""
    match formula:
        case Not():
            return Not(substitute_in(formula.formula, solved), formula.position)
        case And() | Or():
            parts = tuple(substitute_in(inner, solved) for inner in formula.formulas)
            return type(formula)(parts, formula.position)
        case Distinct():
            left, right = (substitute(term, solved) for term in (formula.left, formula.right))
            return Distinct(left, right, formula.position)
    sentence = substitute(formula, solved)
    assert not isinstance(sentence, Variable)
    return sentence


def negated_if(formula: Formula, negated: bool) -> Formula:
    """Return a formula, or its negation."""
    return Not(formula, formula.position) if negated else formula


def term_size(term: Term) -> int:
    """Return how many symbols and variables a term has."""
    return sum(1 for _ in nodes_in(term))


def subterms(*terms: Term) -> Iterator[Symbol | Compound]:
    """Yield terms and all their parts that are no variables."""
    return (node for node in nodes_in(*terms) if isinstance(node, Symbol | Compound))
