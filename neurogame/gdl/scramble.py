"""Scrambling: consistent renaming, as game servers do it, so that no name gives a hint."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from neurogame.gdl.kept import kept_names
from neurogame.gdl.keywords import UNRENAMED_WORDS, is_integer
from neurogame.gdl.renaming import renamed_rule
from neurogame.gdl.terms import Compound, Rules, Symbol, Variable
from neurogame.gdl.walk import nodes_in


@final
@dataclass(frozen=True)
class Scrambled:
    """A scrambled rulesheet and the way back.

    Attributes:
        rules: the scrambled rules.
        to_scrambled: folded original name -> scrambled name.
        to_original: scrambled name -> folded original name.
    """

    rules: Rules
    to_scrambled: Mapping[str, str]
    to_original: Mapping[str, str]


def scramble(rules: Rules, seed: int, numbers: bool = False) -> Scrambled:
    """Rename all constants, functions, relations and variables one to one.

    Args:
        rules: a rulesheet.
        seed: makes the renaming reproducible.
        numbers: whether integers are renamed as well; goal values never are, they have a
            meaning.
    """
    nodes = [node for rule in rules for node in nodes_in(rule.head, *rule.body)]
    names = dict.fromkeys(node.name for node in nodes if isinstance(node, Symbol | Compound))
    variables = dict.fromkeys(node.name for node in nodes if isinstance(node, Variable))
    kept = kept_names(rules)
    renamed = [n for n in names if n not in kept and (numbers or not is_integer(n))]
    choose = random.Random(seed)
    taken = set(names) | UNRENAMED_WORDS
    to_scrambled = {name: _fresh_word(choose, taken) for name in renamed}
    to_variable = {name: _fresh_word(choose, taken) for name in variables}
    scrambled = tuple(renamed_rule(rule, to_scrambled, to_variable) for rule in rules)
    back = {new: old for old, new in to_scrambled.items()}
    return Scrambled(Rules(scrambled, {}, rules.source), to_scrambled, back)


def _fresh_word(choose: random.Random, taken: set[str]) -> str:
    """Return a pronounceable word that is not taken yet, and take it."""
    while True:
        word = "".join(
            choose.choice("bcdfghjklmnprstvwz") + choose.choice("aeiou")
            for _ in range(choose.randint(2, 4))
        )
        if word not in taken:
            taken.add(word)
            return word
