"""What tells the rules that a file of weighted rules is for: their text, names included."""

from __future__ import annotations

import hashlib

from neurogame.gdl.terms import Rules
from neurogame.gdl.write import rule_text

_DIGITS = 16


def rules_signature(rules: Rules) -> str:
    """Return 16 hexadecimal digits that name a rulesheet with its names.

    The order of the rules, comments and layout play no part, and neither does the case of names.
    Unlike :func:`~neurogame.gdl.signature.structural_signature` it changes with every renaming:
    what is written down in terms of names is only right for these names.
    """
    texts = sorted({rule_text(rule) for rule in rules})
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:_DIGITS]
