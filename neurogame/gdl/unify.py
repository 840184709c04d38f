"""Unification of two sentences whose variables are different ones."""

from __future__ import annotations

from neurogame.gdl.terms import Compound, Symbol, Term, Variable


def may_unify(left: Term, right: Term) -> bool:
    """Return whether two terms have a common instance, their variables renamed apart.

    The occurs check is left out, so the answer errs towards true on terms without an end. Every
    pair of subterms is compared once, so such terms cannot keep the comparison going either.
    """
    binding: dict[tuple[int, str], tuple[int, Term]] = {}

    def resolve(side: int, term: Term) -> tuple[int, Term]:
        while isinstance(term, Variable) and (side, term.name) in binding:
            side, term = binding[side, term.name]
        return side, term

    compared: set[tuple[tuple[int, Compound], tuple[int, Compound]]] = set()
    todo: list[tuple[tuple[int, Term], tuple[int, Term]]] = [((0, left), (1, right))]
    while todo:
        (side, one), (other_side, other) = (resolve(*x) for x in todo.pop())
        if isinstance(one, Variable):
            if (side, one) != (other_side, other):
                binding[side, one.name] = (other_side, other)
        elif isinstance(other, Variable):
            binding[other_side, other.name] = (side, one)
        elif isinstance(one, Symbol) or isinstance(other, Symbol):
            if not (isinstance(one, Symbol) and isinstance(other, Symbol) and one == other):
                return False
        elif isinstance(one, Compound) and isinstance(other, Compound):
            if one.name != other.name or len(one.arguments) != len(other.arguments):
                return False
            pair = ((side, one), (other_side, other))
            if pair not in compared:
                compared.add(pair)
                arguments = zip(one.arguments, other.arguments, strict=True)
                todo += [((side, a), (other_side, b)) for a, b in arguments]
    return True
