"""Rules written as Python functions: nested loops over answers, in the order of the body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, final

from neurogame.gdl.terms import Compound, Distinct, Formula, Not, Sentence, Symbol, Term, Variable
from neurogame.gdl.walk import arguments_of, variable_names
from neurogame.prover.values import functor_of

MOST_LOOPS = 15
"""Loops in one function; Python takes 20."""

Names: TypeAlias = "dict[str, str]"


@final
class FunctionText:
    """The text of one function that is being written.

    Attributes:
        lines: the text so far.
        loops: how many loops the next line stands in.
    """

    def __init__(self, name: str, parameters: Sequence[str]) -> None:
        self.lines = [f"def {name}({', '.join(parameters)}):"]
        self.loops = 0
        self._locals = 0

    def write(self, line: str) -> None:
        """Add a line."""
        self.lines.append(" " * (1 + self.loops) + line)

    def loop(self, target: str, over: str) -> None:
        """Begin a loop; all that follows stands in it."""
        self.write(f"for {target} in {over}:")
        self.loops += 1

    def leave_unless(self, condition: str) -> None:
        """Try the next answer unless something holds."""
        self.write(f"if not ({condition}): {'continue' if self.loops else 'return False'}")

    def fresh(self) -> str:
        """Return a name that is not taken in any function of a rule."""
        self._locals += 1
        return f"w{self.loops}_{self._locals}"


def built(term: Term, names: Names) -> str:
    """Return the expression of a term whose variables are known."""
    if isinstance(term, Symbol):
        return repr(term.name)
    if isinstance(term, Variable):
        return names[term.name]
    parts = [repr(functor_of(term)), *(built(argument, names) for argument in term.arguments)]
    return f"({', '.join(parts)})"


def row_of(terms: Sequence[Term], names: Names) -> str:
    """Return the expression of a row."""
    return "(" + "".join(f"{built(term, names)}, " for term in terms) + ")"


def local(name: str, names: Names) -> str:
    """Give a variable its Python name: by number, because names may be anything."""
    names[name] = f"v{len(names)}"
    return names[name]


def match(term: Term, value: str, names: Names, text: FunctionText) -> None:
    """Write the comparison of a term with a value, and give the term's variables their parts."""
    if isinstance(term, Variable) and term.name not in names:
        text.write(f"{local(term.name, names)} = {value}")
    elif not isinstance(term, Compound) or variable_names(term) <= names.keys():
        text.leave_unless(f"{value} == {built(term, names)}")
    else:
        # No first letter of a constant is a functor: this is false for constants, too.
        text.leave_unless(f"{value}[0] == {functor_of(term)!r}")
        for place, argument in enumerate(term.arguments, start=1):
            match(argument, f"{value}[{place}]", names, text)


def sorter_text(arguments: Sequence[Term], known: Sequence[str], free: Sequence[str]) -> str:
    """Return a function that sorts rows for a literal: ``sort(rows, table)``.

    Args:
        arguments: of the literal.
        known: its variables that the key holds.
        free: its other variables, which an entry holds.
    """
    text = FunctionText("sort", ("rows", "table"))
    names: Names = {}
    text.loop("row", "rows")
    for place, argument in enumerate(arguments):
        match(argument, f"row[{place}]", names, text)
    key, entry = (row_of([Variable(n) for n in some], names) for some in (known, free))
    text.write(f"table.setdefault({key}, []).append({entry})")
    return "\n".join(text.lines)


# From a literal and its known variables: what to loop over. See `RuleCompiler` for both.
Looker: TypeAlias = "Callable[[Sentence, Names, FunctionText], None]"
Tester: TypeAlias = "Callable[[Sentence, Names, bool, FunctionText], None]"


@final
class RuleText:
    """Writes one rule as functions; ``rule(key, found)`` is the first of them.

    Args:
        head: its arguments.
        known: the places of those that the key holds.
        order: the body, in the order in which it is looked at.
        look: writes the loop over the answers of a sentence with unknown variables.
        test: writes the test of a sentence without, or of its negation.
        lazily: write a generator of answers instead of a function that collects them.
    """

    def __init__(
        self,
        head: Sequence[Term],
        known: Sequence[int],
        order: Sequence[Formula],
        look: Looker,
        test: Tester,
        lazily: bool = False,
    ) -> None:
        self._known = [(place, head[place]) for place in known]
        self._asked = [term for place, term in enumerate(head) if place not in known]
        self._asked_names = variable_names(*self._asked)
        self._order = order
        self._look, self._test, self._lazily = look, test, lazily
        self._functions: list[FunctionText] = []

    def text(self) -> str:
        """Return the functions."""
        first = self._function(("key", "found"))
        names: Names = {}
        for number, (_, term) in enumerate(self._known):
            match(term, f"key[{number}]", names, first)
        self._body(0, names, first, exists=not self._asked)
        return "\n".join(line for text in self._functions for line in text.lines)

    def _function(self, parameters: Sequence[str]) -> FunctionText:
        number = len(self._functions)
        text = FunctionText(f"rule{number or ''}", parameters)
        self._functions.append(text)
        return text

    def _body(self, begin: int, names: Names, text: FunctionText, exists: bool) -> None:
        """Write the rest of the body; ``exists``: it is enough that there is a solution."""
        for place in range(begin, len(self._order)):
            rest = self._order[place:]
            if text.loops and not exists and self._is_decided(rest, names):
                text.leave_unless(self._rest(place, names, exists=True))
                break
            if text.loops >= MOST_LOOPS:
                self._call_rest(place, names, text, exists)
                return
            self._literal(self._order[place], names, text)
        if exists:
            text.write("return True")
            if text.loops:
                text.loops = 0
                text.write("return False")
            return
        row = row_of(self._asked, names)
        text.write(f"yield {row}" if self._lazily else f"found.add({row})")
        text.loops = 0
        text.write("return" if self._lazily else "return False")

    def _is_decided(self, rest: Sequence[Formula], names: Names) -> bool:
        """Return whether the rest of the body only says whether a known answer holds."""
        opens = (variable_names(literal) - names.keys() for literal in rest)
        return self._asked_names <= names.keys() and any(opens)

    def _rest(self, place: int, names: Names, exists: bool) -> str:
        """Write the rest of the body as a function of its own; return the call of it."""
        parameters = list(names.values()) + ([] if exists else ["found"])
        text = self._function(parameters)
        call = f"{text.lines[0][4:-1]}"
        self._body(place, dict(names), text, exists)
        return call

    def _call_rest(self, place: int, names: Names, text: FunctionText, exists: bool) -> None:
        call = self._rest(place, names, exists)
        if exists:
            text.write(f"if {call}: return True")
        else:
            text.write(f"yield from {call}" if self._lazily else call)
        text.loops = 0
        text.write("return" if self._lazily and not exists else "return False")

    def _literal(self, literal: Formula, names: Names, text: FunctionText) -> None:
        negated = isinstance(literal, Not)
        inner = literal.formula if isinstance(literal, Not) else literal
        if isinstance(inner, Distinct):
            same = f"{built(inner.left, names)} == {built(inner.right, names)}"
            text.leave_unless(same if negated else f"not ({same})")
            return
        assert isinstance(inner, Symbol | Compound)
        if variable_names(inner) <= names.keys():
            self._test(inner, names, negated, text)
        else:
            self._look(inner, names, text)


def split_arguments(sentence: Sentence, names: Names) -> tuple[tuple[int, ...], list[Term]]:
    """Return the places of a sentence's known arguments, and its other arguments."""
    arguments = arguments_of(sentence)
    known = [p for p, term in enumerate(arguments) if variable_names(term) <= names.keys()]
    return tuple(known), [term for p, term in enumerate(arguments) if p not in known]
