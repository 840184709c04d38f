"""The abstract syntax of GDL: terms, formulas, rules and whole rulesheets.

All names are folded to lower case; :attr:`Rules.spelling` remembers the first spelling of each
name for output. Positions never take part in comparison, so ``parse(print(rules)) == rules``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from neurogame.gdl.finding import NOWHERE, Finding, Position


@dataclass(frozen=True, slots=True)
class Symbol:
    """An object constant, or a relation without arguments such as ``terminal``.

    Attributes:
        name: the name, folded to lower case.
        position: where it stands in the source.
    """

    name: str
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable.

    Attributes:
        name: the name without the leading ``?``, folded to lower case.
        position: where it stands in the source.
    """

    name: str
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compound:
    """A name applied to one or more arguments: a function term or an atomic sentence.

    Attributes:
        name: the function or relation name, folded to lower case.
        arguments: the arguments, in order; at least one.
        position: where it starts in the source.
    """

    name: str
    arguments: tuple[Term, ...]
    position: Position = field(default=NOWHERE, compare=False, repr=False)


Term: TypeAlias = Symbol | Variable | Compound
Sentence: TypeAlias = Symbol | Compound


@dataclass(frozen=True, slots=True)
class Not:
    """A negated formula; valid GDL negates sentences only."""

    formula: Formula
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction; with no formulas it is false."""

    formulas: tuple[Formula, ...]
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction (an extension: the public corpus never uses it); empty it is true."""

    formulas: tuple[Formula, ...]
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """``(distinct left right)``: the two terms are syntactically different."""

    left: Term
    right: Term
    position: Position = field(default=NOWHERE, compare=False, repr=False)


Formula: TypeAlias = Symbol | Compound | Not | Or | And | Distinct


@dataclass(frozen=True, slots=True)
class Rule:
    """A fact (empty body) or a rule ``(<= head body...)``.

    Attributes:
        head: the atomic sentence that holds if all of the body does.
        body: formulas, read as their conjunction; empty for a fact.
        position: where the fact or rule starts in the source.
    """

    head: Sentence
    body: tuple[Formula, ...] = ()
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rules:
    """A rulesheet.

    Attributes:
        rules: facts and rules in source order.
        spelling: folded name -> first spelling in the source, for output; variables have keys
            and values that start with ``?``.
        source: the file name, or ``<text>``; used in messages only.
        remarks: warnings about what the syntax trees no longer show, such as ``(foo)`` written
            for ``foo``; :func:`neurogame.gdl.check.check_rules` reports them.
    """

    rules: tuple[Rule, ...]
    spelling: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    source: str = field(default="<text>", compare=False)
    remarks: tuple[Finding, ...] = field(default=(), compare=False, repr=False)

    def __iter__(self) -> Iterator[Rule]:
        """Iterate over the facts and rules in source order."""
        return iter(self.rules)

    def __len__(self) -> int:
        """Return the number of facts and rules."""
        return len(self.rules)
