"""The names of a rulesheet that mean something by themselves and so are never renamed."""

from __future__ import annotations

from neurogame.gdl.keywords import UNRENAMED_WORDS, is_integer
from neurogame.gdl.terms import Rules, Symbol, Variable
from neurogame.gdl.walk import arguments_of, body_sentences, relation_of, subterms


def kept_names(rules: Rules) -> frozenset[str]:
    """Return the keywords and the goal values of a rulesheet.

    Where a rule computes the goal value, as in ``(<= (goal ?r ?n) (score ?r ?n))``, every integer
    of the rulesheet may become one, and all of them are kept.
    """
    values: set[str] = set()
    computed = False
    for rule in rules:
        for sentence in (rule.head, *(s for s, _ in body_sentences(rule.body))):
            if relation_of(sentence) == ("goal", 2):
                value = arguments_of(sentence)[1]
                computed |= isinstance(value, Variable) and sentence is rule.head
                if isinstance(value, Symbol):
                    values.add(value.name)
    if computed:
        values |= {name for name in _constants(rules) if is_integer(name)}
    return UNRENAMED_WORDS | values


def _constants(rules: Rules) -> set[str]:
    """Return the names of constants and functions in the sentences of a rulesheet."""
    return {
        term.name
        for rule in rules
        for sentence in (rule.head, *(s for s, _ in body_sentences(rule.body)))
        for argument in arguments_of(sentence)
        for term in subterms(argument)
    }
