"""A rulesheet's signature: what stays when every name is changed."""

from __future__ import annotations

from neurogame.gdl.canonical import canonical_form
from neurogame.gdl.kept import kept_names
from neurogame.gdl.terms import Rules


def structural_signature(rules: Rules) -> str:
    """Return 64 hexadecimal digits that name the structure of a rulesheet.

    Two rulesheets have the same signature exactly if they are the same but for a one-to-one
    renaming of constants, numbers, functions, relations and variables, except of keywords and of
    goal values (:func:`~neurogame.gdl.kept.kept_names`), and but for the order of rules, of the
    literals of a body, of the branches of an ``or``, of the sides of a ``distinct``, and for
    anything of these written more than once.

    Raises:
        LimitError: the rulesheet is too regular (:func:`~neurogame.gdl.canonical.canonical_form`).
    """
    return canonical_form(rules, kept_names(rules)).digest
