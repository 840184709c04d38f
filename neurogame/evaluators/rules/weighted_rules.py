"""Weighted rules: what their text says, before it is brought together with a game.

A file of weighted rules is GDL in KIF syntax with these statements::

    (game connectfour)                    the game, by its name in the library
    (signature 4f0c...)                   of its rules, see rules_signature
    opposed                               two roles: what is worth to one costs the other as much
    (lines 1 1 2 1 3 1 4 1)               a fact of the file's own, of any name and any length
    (worth red -0.05)                     what always counts for a role
    (<= (worth ?me 0.41)                  what counts once for each way in which the body holds
        (sides ?me ?other)                facts of this file, which bind the variables
        (lines ?a ?b ?c ?d ?e ?f ?g ?h)
        (true (control ?me))              a fluent holds
        (not (true (cell 4 1 ?other)))    or does not
        (exactly 3 (true (cell ?a ?b ?me)) (true (cell ?c ?d ?me))
                   (true (cell ?e ?f ?me)) (true (cell ?g ?h ?me)))
        (atmost 0 (true (cell ?a ?b ?other)) ...)      M of N; likewise (atleast 2 ...)

Worths are log-odds: the value of a role is ``sigmoid`` of the sum of all that count for it, less
all that count for its opponent if the roles are opposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, final

from neurogame.gdl.finding import NOWHERE, Position
from neurogame.gdl.terms import Sentence, Term

GAME, SIGNATURE, OPPOSED, WORTH = "game", "signature", "opposed", "worth"
EXACTLY, AT_LEAST, AT_MOST = "exactly", "atleast", "atmost"
COUNTS = (EXACTLY, AT_LEAST, AT_MOST)
KEPT = (GAME, SIGNATURE, OPPOSED, WORTH, *COUNTS)
"""Words that no fact of a file may have as its name."""

Facts: TypeAlias = Mapping[str, tuple[tuple[Term, ...], ...]]
"""Name of a relation -> its rows, which may differ in length."""


@final
@dataclass(frozen=True, kw_only=True)
class Count:
    """That so many of some fluents hold.

    Attributes:
        low: how many at least, 0 to their number.
        high: how many at most, ``low`` to their number; less than ``low``: never.
        fluents: terms with variables, at least one.
        position: where it stands in the text.
    """

    low: int
    high: int
    fluents: tuple[Term, ...]
    position: Position = field(default=NOWHERE, compare=False)


@final
@dataclass(frozen=True, kw_only=True)
class WeightedRule:
    """What is worth something to a role.

    Attributes:
        role: a role, or a variable.
        weight: log-odds that each instance adds.
        conditions: facts of the file that bind the variables.
        counts: of fluents, all of which must be right.
        position: where the rule starts in the text.
    """

    role: Term
    weight: float
    conditions: tuple[Sentence, ...] = ()
    counts: tuple[Count, ...] = ()
    position: Position = field(default=NOWHERE, compare=False)


@final
@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """A file of weighted rules.

    Attributes:
        game: name of the game.
        signature: see :func:`~neurogame.evaluators.rules.signature.rules_signature`.
        opposed: whether there are two roles, and what is worth to one costs the other as much.
        facts: of the file's own.
        rules: the weighted rules, in the order of the text.
        source: file name, for messages.
    """

    game: str
    signature: str
    opposed: bool
    facts: Facts
    rules: tuple[WeightedRule, ...]
    source: str = field(default="<text>", compare=False)
