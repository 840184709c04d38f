"""Walking through formulas: their sentences, terms and variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

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


def variables_in(node: Formula | Term) -> Iterator[Variable]:
    """Yield every variable of a formula or term, repetitions included."""
    if isinstance(node, Variable):
        yield node
    elif isinstance(node, Compound):
        for argument in node.arguments:
            yield from variables_in(argument)
    elif isinstance(node, Not):
        yield from variables_in(node.formula)
    elif isinstance(node, Distinct):
        yield from variables_in(node.left)
        yield from variables_in(node.right)
    elif isinstance(node, Or | And):
        for formula in node.formulas:
            yield from variables_in(formula)


def subterms(term: Term) -> Iterator[Symbol | Compound]:
    """Yield a term and all its parts that are no variables."""
    if not isinstance(term, Variable):
        yield term
        for argument in term.arguments if isinstance(term, Compound) else ():
            yield from subterms(argument)
