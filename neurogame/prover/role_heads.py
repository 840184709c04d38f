"""Rules for ``legal`` and ``goal`` that do not say whose they are: they are everybody's."""

from __future__ import annotations

from neurogame.gdl.terms import Compound, Distinct, Formula, Not, Rule, Symbol, Term, Variable
from neurogame.gdl.walk import relation_of
from neurogame.prover.values import variables

_HEADS = (("legal", 2), ("goal", 2))
_SOME = Variable("some role")


def with_role(rule: Rule) -> Rule:
    """Return a rule in which the role of a ``legal`` or ``goal`` head ranges over the roles.

    That is how grounding reads such rules (:func:`neurogame.ground.clauses.bind_variables`): a
    negated literal about the role is asked before it is known, as in GGP-Base, so it holds if it
    holds for some role.

    Args:
        rule: a rule without ``or``; returned as it is if its body binds the role.
    """
    if relation_of(rule.head) not in _HEADS or not isinstance(rule.head, Compound):
        return rule
    role = rule.head.arguments[0]
    positive = [x for x in rule.body if isinstance(x, Symbol | Compound)]
    if not isinstance(role, Variable) or any(role.name in variables(x) for x in positive):
        return rule
    body: list[Formula] = [Compound("role", (role,))]
    for literal in rule.body:
        if isinstance(literal, Not) and role.name in variables(literal):
            body += [Compound("role", (_SOME,)), _renamed(literal, role.name)]
        else:
            body.append(literal)
    return Rule(rule.head, tuple(body), rule.position)


def _renamed(formula: Formula, name: str) -> Formula:
    """Return a negated literal about some role instead of the one of that name."""
    assert isinstance(formula, Not)
    inner = formula.formula
    if isinstance(inner, Distinct):
        return Not(Distinct(_put(inner.left, name), _put(inner.right, name)))
    if isinstance(inner, Compound):
        return Not(Compound(inner.name, tuple(_put(a, name) for a in inner.arguments)))
    return formula


def _put(term: Term, name: str) -> Term:
    if isinstance(term, Variable):
        return _SOME if term.name == name else term
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_put(a, name) for a in term.arguments))
    return term
