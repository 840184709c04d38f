"""Rules for ``legal`` and ``goal`` that do not say whose they are: they are everybody's."""

from __future__ import annotations

from neurogame.gdl.terms import Compound, Distinct, Formula, Not, Rule, Symbol, Variable
from neurogame.gdl.walk import relation_of, substitute_in, variable_names

_HEADS = (("legal", 2), ("goal", 2))
_SOME = Variable("some role")


def with_role(rule: Rule) -> Rule:
    """Return a rule in which the role of a ``legal`` or ``goal`` head ranges over the roles.

    The checks warn of such rules. A negated literal about the role is asked before it is known, as
    in GGP-Base, so it holds if it holds for some role.

    Args:
        rule: a rule without ``or``; returned as it is if its body binds the role.
    """
    if relation_of(rule.head) not in _HEADS or not isinstance(rule.head, Compound):
        return rule
    role = rule.head.arguments[0]
    positive = [x for x in rule.body if isinstance(x, Symbol | Compound)]
    if not isinstance(role, Variable) or any(role.name in variable_names(x) for x in positive):
        return rule
    body: list[Formula] = [Compound("role", (role,))]
    for literal in rule.body:
        is_denied = isinstance(literal, Not) and not isinstance(literal.formula, Distinct)
        if is_denied and role.name in variable_names(literal):
            body += [Compound("role", (_SOME,)), substitute_in(literal, {role.name: _SOME})]
        else:
            body.append(literal)
    return Rule(rule.head, tuple(body), rule.position)
