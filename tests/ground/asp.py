"""The independent twin of the grounder: clingo on a plain translation of the rules."""

from __future__ import annotations

from collections.abc import Iterable

import clingo

from neurogame.gdl.terms import Compound, Distinct, Formula, Not, Or, Rules, Symbol, Term, Variable
from neurogame.gdl.write import term_text


class Translation:
    """A rulesheet as an answer set program, with reversible names."""

    def __init__(self, rules: Rules) -> None:
        self.names: dict[str, str] = {}
        self.spelling = rules.spelling
        lines = []
        for rule in rules:
            for body in self._bodies(rule.body):
                head = self._term(rule.head)
                lines.append(f"{head} :- {', '.join(body)}." if body else f"{head}.")
        self.program = "\n".join(lines)

    def _name(self, name: str) -> str:
        return self.names.setdefault(name, f"n{len(self.names)}")

    def _term(self, term: Term) -> str:
        if isinstance(term, Variable):
            return "V" + "".join(c if c.isalnum() else f"_{ord(c)}_" for c in term.name)
        if isinstance(term, Symbol):
            return self._name(term.name)
        return f"{self._name(term.name)}({','.join(map(self._term, term.arguments))})"

    def _bodies(self, formulas: tuple[Formula, ...]) -> list[list[str]]:
        bodies: list[list[str]] = [[]]
        for formula in formulas:
            bodies = [b + e for b in bodies for e in self._literal(formula)]
        return bodies

    def _literal(self, formula: Formula) -> list[list[str]]:
        if isinstance(formula, Or):
            return [x for f in formula.formulas for x in self._literal(f)]
        if isinstance(formula, Not):
            assert isinstance(formula.formula, Symbol | Compound)
            return [[f"not {self._term(formula.formula)}"]]
        if isinstance(formula, Distinct):
            return [[f"{self._term(formula.left)} != {self._term(formula.right)}"]]
        assert isinstance(formula, Symbol | Compound)
        return [[self._term(formula)]]

    def model(self, state: Iterable[Term], does: Iterable[tuple[Term, Term]]) -> set[str]:
        """Return the texts of all derived atoms of interest in a state under a joint move."""
        facts = [f"{self._name('true')}({self._term(f)})." for f in state]
        facts += [f"{self._name('does')}({self._term(r)},{self._term(m)})." for r, m in does]
        shown = [("legal", 2), ("next", 1), ("terminal", 0), ("goal", 2), ("init", 1)]
        shows = [f"#show {self._name(n)}/{k}." for n, k in shown]
        defined = [f"#defined {self._name(n)}/{k}." for n, k in (*shown, ("does", 2), ("true", 1))]
        control = clingo.Control(["--warn=none"])
        control.add("base", [], "\n".join([self.program, *facts, *shows, *defined]))
        control.ground([("base", [])])
        back = {v: k for k, v in self.names.items()}
        found: set[str] = set()

        def text(symbol: clingo.Symbol) -> Term:
            name = back[symbol.name]
            if not symbol.arguments:
                return Symbol(name)
            return Compound(name, tuple(text(a) for a in symbol.arguments))

        def keep(model: clingo.Model) -> None:
            found.update(term_text(text(s), self.spelling) for s in model.symbols(shown=True))

        control.solve(on_model=keep)
        return found
