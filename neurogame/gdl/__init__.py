"""Rulesheet text to :class:`Rules` and back: parsing, printing, checks, scrambling, the library.

>>> from neurogame.gdl.parse import parse_rules
>>> rules = parse_rules("(role robot) (<= terminal (true done))")
>>> len(rules)
2
"""
