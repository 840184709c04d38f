"""Safety: every variable of a rule must be bound by a positive sentence of its body."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from neurogame.gdl.finding import Finding, Severity, shown
from neurogame.gdl.terms import And, Compound, Distinct, Formula, Not, Or, Rule, Variable
from neurogame.gdl.walk import arguments_of, relation_of, variable_names, variables_in


def unsafe_variables(rule: Rule) -> list[tuple[Variable, str]]:
    """Return the variables that nothing binds, each once, with where they are used.

    A positive sentence binds its variables, a conjunction those of its parts, a disjunction
    those that all of its branches bind; the order of the literals does not matter. The role in
    the head of ``legal`` and ``goal`` ranges over the roles even where the body does not bind it.
    """
    bound = _bound(rule.body)
    head = rule.head
    role = _role_variable(rule)
    if role is not None:
        bound = bound | {role.name}
    unsafe: dict[str, tuple[Variable, str]] = {}
    uses = [(v, "the head") for v in variables_in(head)]
    for formula in rule.body:
        uses += _uses(formula, bound)
    for variable, where in uses:
        if variable.name not in bound:
            unsafe.setdefault(variable.name, (variable, where))
    return list(unsafe.values())


def check_safety(rules: Iterable[Rule], used: Collection[tuple[str, int]]) -> list[Finding]:
    """Return a finding for every unsafe variable.

    Args:
        rules: facts and rules.
        used: relations that legal moves, next states, terminal or goals depend on. An unsafe
            rule of another relation is never needed: it is left out, which is nonstandard.
    """
    findings = []
    for rule in rules:
        for variable, where in unsafe_variables(rule):
            if not rule.body:
                message = (
                    f"the fact has the variable ?{shown(variable.name)}; facts must be ground: "
                    "write a rule whose body says what it ranges over"
                )
            else:
                message = (
                    f"the variable ?{shown(variable.name)} of {where} is in no positive sentence "
                    "of the body (for an 'or': of each of its branches); add one that binds it"
                )
            needed = relation_of(rule.head) in used
            if not needed:
                message += "; nothing that is played needs it, so it is left out"
            severity: Severity = "error" if needed else "nonstandard"
            code = "unsafe-variable"
            findings.append(Finding(severity, variable.position, message, code, not needed))
        role = _role_variable(rule)
        if role is not None and role.name not in _bound(rule.body):
            name = shown(role.name)
            message = (
                f"the role ?{name} is in no positive sentence of the body: it ranges over all "
                f"roles, but what is negated about it holds if it holds for some role; add "
                f"(role ?{name})"
            )
            findings.append(Finding("warning", role.position, message, "unbound-role"))
    return findings


def _role_variable(rule: Rule) -> Variable | None:
    """Return the variable that stands for the role in the head of ``legal`` or ``goal``."""
    if relation_of(rule.head) in (("legal", 2), ("goal", 2)):
        role = arguments_of(rule.head)[0]
        if isinstance(role, Variable):
            return role
    return None


def _bound(body: Iterable[Formula]) -> set[str]:
    names: set[str] = set()
    for formula in body:
        names |= _bound_by(formula)
    return names


def _bound_by(formula: Formula) -> set[str]:
    if isinstance(formula, Compound):
        return variable_names(formula)
    if isinstance(formula, And):
        return _bound(formula.formulas)
    if isinstance(formula, Or) and formula.formulas:
        return set.intersection(*(_bound_by(f) for f in formula.formulas))
    return set()


def _uses(formula: Formula, bound: set[str]) -> list[tuple[Variable, str]]:
    """Return the variables under ``not`` and ``distinct``, which must be bound."""
    if isinstance(formula, Not):
        return [(v, "a negated sentence") for v in variables_in(formula)]
    if isinstance(formula, Distinct):
        return [(v, "distinct") for v in variables_in(formula)]
    if isinstance(formula, Or):
        # A branch may bind variables that only itself uses.
        uses: list[tuple[Variable, str]] = []
        for branch in formula.formulas:
            bound_here = _bound_by(branch)
            uses += [use for use in _uses(branch, bound) if use[0].name not in bound_here]
        return uses
    if isinstance(formula, And):
        inner = bound | _bound_by(formula)
        return [
            use for f in formula.formulas for use in _uses(f, inner) if use[0].name not in inner
        ]
    return []
