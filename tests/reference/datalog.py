"""A small Datalog engine on Python sets: the perfect model of rules with negation and functions.

It shares no code with the grounder: the slow twin of all that is fast is made of it. Strongly
connected predicates are closed by semi-naive iteration; a cycle through negation, such as
``(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))``, is decided atom by atom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import final

from neurogame.errors import GroundingError, LimitError
from neurogame.gdl.role_heads import with_role
from neurogame.gdl.terms import Compound, Formula, Not, Rule, Rules, Symbol
from neurogame.gdl.walk import arguments_of, relation_of
from neurogame.gdl.write import term_text
from neurogame.prover.values import Predicate, Row, sentence_of, value_of
from tests.reference.disjunctions import without_or
from tests.reference.joins import Database, IndexedRows, Path, RulePlan

LONGEST_CHAIN = 15
"""How many questions may wait for each other; each needs up to some 20 Python frames."""

LONGEST_ASKED = 15
"""Most literals of a rule that answers questions: each takes a Python frame."""

LONGEST_BODY = 250
"""Most literals of any rule, for the same reason."""


def signed_predicates(body: Sequence[Formula]) -> Iterator[tuple[Predicate, bool]]:
    """Yield each predicate of a body with True where it stands negated."""
    for literal in body:
        inner = literal.formula if isinstance(literal, Not) else literal
        if isinstance(inner, Symbol | Compound):
            yield relation_of(inner), isinstance(literal, Not)


@final
class Demand:
    """A predicate that is computed only for the arguments that somebody asks for, once each.

    Rules are written for a prover that asks with most arguments known; computing such a predicate
    for all arguments can take a thousand times longer.

    Args:
        stratum: the predicate and its rules.
        database: where the rules look up what they use.
    """

    def __init__(self, stratum: Stratum, database: Database) -> None:
        self._stratum = stratum
        self._database = database
        self._answers: dict[tuple[tuple[int, ...], Row], IndexedRows] = {}

    def matching(self, paths: tuple[Path, ...], key: Row) -> Iterable[Row]:
        """Return the rows whose subterms at ``paths`` are ``key``."""
        whole = [(path[0], value) for path, value in zip(paths, key, strict=True) if len(path) == 1]
        answer = self._ask(tuple(p for p, _ in whole), tuple(v for _, v in whole))
        return answer.matching(paths, key) if len(whole) < len(paths) else answer.rows

    def contains(self, row: Row) -> bool:
        """Return whether a row is there."""
        return bool(self._ask(tuple(range(len(row))), row).rows)

    def _ask(self, places: tuple[int, ...], values: Row) -> IndexedRows:
        answer = self._answers.get((places, values))
        if answer is None:
            answer = self._answers[(places, values)] = IndexedRows()
            asked = IndexedRows([values])
            for plan in self._stratum.plans_for(places):
                answer.rows |= plan.run(self._database, delta=asked, known=answer.rows)
        return answer


@final
class Stratum:
    """A strongly connected component of predicates: evaluated together, after those below.

    Args:
        members: the predicates.
        rules: all their rules, without ``or``.
        source: file name for messages.
        on_demand: whether a single predicate that does not use itself is made a
            :class:`Demand`; all others are computed in full.
    """

    def __init__(
        self, members: frozenset[Predicate], rules: Sequence[Rule], source: str, on_demand: bool
    ) -> None:
        self.members = members
        self._source = source
        self._rules = rules
        self._facts = [rule.head for rule in rules if not rule.body]
        derived = [rule for rule in rules if rule.body]
        used = [signed for rule in derived for signed in signed_predicates(rule.body)]
        self._negative_cycle = any(negated and name in members for name, negated in used)
        recursive = any(name in members for name, _ in used)
        longest = max((len(rule.body) for rule in rules), default=0)
        if longest > LONGEST_BODY:
            raise LimitError(
                f"{source}: a rule has {longest:,} literals, joined from below it may have at "
                f"most {LONGEST_BODY}; split the rule, or use the circuit"
            )
        short = longest <= LONGEST_ASKED
        self.on_demand = on_demand and bool(derived) and not recursive and short
        self._asked_plans: dict[tuple[int, ...], list[RulePlan]] = {}
        self._plans = [RulePlan(rule, source, members) for rule in derived]
        self._deltas = [
            (relation_of(literal), RulePlan(rule, source, members, delta=place))
            for rule in derived
            for place, literal in enumerate(rule.body)
            if isinstance(literal, Symbol | Compound) and relation_of(literal) in members
        ]

    def plans_for(self, places: tuple[int, ...]) -> list[RulePlan]:
        """Return plans that start from known head arguments, given as their delta relation."""
        if places not in self._asked_plans:
            self._asked_plans[places] = [
                RulePlan(self._asked(rule, places), self._source, self.members, delta=0)
                for rule in self._rules
            ]
        return self._asked_plans[places]

    def _asked(self, rule: Rule, places: tuple[int, ...]) -> Rule:
        arguments = arguments_of(rule.head)
        question = Compound("*asked", tuple(arguments[place] for place in places))
        return Rule(rule.head, (question, *rule.body), rule.position)

    def evaluate(self, database: Database) -> None:
        """Add the tables of this stratum to a database that holds all strata below.

        A negative cycle is decided by the alternating fixpoint: what holds when every doubtful
        negation is granted bounds the model from above, what holds when none is granted that
        the upper bound forbids bounds it from below; where the atoms are stratified, both meet.

        Raises:
            GroundingError: an atom depends on its own negation.

        *Reference:* A. Van Gelder, The alternating fixpoint of logic programs with negation
        (1989), section 3.
        """
        if self.on_demand:
            (member,) = self.members
            database[member] = Demand(self, database)
            return
        if not self._negative_cycle:
            self._close(database, {})
            return
        lower: dict[Predicate, set[Row]] = {member: set() for member in self.members}
        while True:
            upper = self._close(database, lower)
            raised = self._close(database, upper)
            if raised == lower:
                break
            lower = raised
        if upper != lower:
            self._refuse(upper, lower)

    def _close(
        self, database: Database, assumed: Mapping[Predicate, set[Row]]
    ) -> dict[Predicate, set[Row]]:
        """Compute the least fixpoint, with negations on a cycle read from ``assumed``."""
        relations = {member: IndexedRows() for member in self.members}
        database.update(relations)
        for fact in self._facts:
            row = tuple(value_of(a) for a in arguments_of(fact))
            relations[relation_of(fact)].update([row])
        fresh = {member: set(relation.rows) for member, relation in relations.items()}
        for plan in self._plans:
            known = relations[plan.head].rows
            fresh[plan.head] |= plan.run(database, known=known, assumed=assumed)
        while any(fresh.values()):
            deltas = {member: IndexedRows(rows) for member, rows in fresh.items() if rows}
            for member, delta in deltas.items():
                relations[member].update(delta.rows)
            fresh = {member: set() for member in self.members}
            for used, plan in self._deltas:
                if used in deltas:
                    known = relations[plan.head].rows
                    found = plan.run(database, delta=deltas[used], known=known, assumed=assumed)
                    fresh[plan.head] |= found
        return {member: relation.rows for member, relation in relations.items()}

    def _refuse(
        self, upper: Mapping[Predicate, set[Row]], lower: Mapping[Predicate, set[Row]]
    ) -> None:
        doubtful = [
            term_text(sentence_of(member[0], row))
            for member, rows in upper.items()
            for row in rows - lower[member]
        ]
        raise GroundingError(
            f"{self._source}: not stratified: {min(doubtful)} depends on its own negation; "
            "in valid GDL no atom may"
        )


@final
class DatalogProgram:
    """Rules as strata in an order in which each may be evaluated after the ones before it.

    Args:
        rules: the rulesheet; ``or`` is expanded, so a body with many of them is costly.
        inputs: predicates that the caller supplies; rules for them are ignored.

    Raises:
        RulesError: a rule is unsafe.
        LimitError: a rule is longer than Python's stack allows, or has too many branches.
    """

    def __init__(self, rules: Rules, inputs: frozenset[Predicate]) -> None:
        self._uses: dict[Predicate, set[Predicate]] = {}
        by_head: dict[Predicate, list[Rule]] = {}
        for rule in rules:
            head = relation_of(rule.head)
            if head in inputs:
                continue
            for branch in map(with_role, without_or(rule, rules.source)):
                by_head.setdefault(head, []).append(branch)
                used = {predicate for predicate, _ in signed_predicates(branch.body)}
                self._uses.setdefault(head, set()).update(used)
        self.strata: list[Stratum] = []
        chain: dict[Predicate, int] = {}
        for component in _components(self._uses):
            # Questions nest, and so do Python's frames: every so often a full table ends a chain.
            length = 1 + max(
                (chain.get(used, 0) for member in component for used in self._uses[member]),
                default=0,
            )
            defining = [rule for member in component for rule in by_head[member]]
            stratum = Stratum(component, defining, rules.source, length <= LONGEST_CHAIN)
            chain.update(dict.fromkeys(component, length if stratum.on_demand else 0))
            self.strata.append(stratum)

    def below(self, goals: Iterable[Predicate]) -> set[Predicate]:
        """Return the given predicates and all that they depend on."""
        reached: set[Predicate] = set()
        waiting = list(goals)
        while waiting:
            predicate = waiting.pop()
            if predicate not in reached:
                reached.add(predicate)
                waiting.extend(self._uses.get(predicate, ()))
        return reached


def _components(uses: Mapping[Predicate, set[Predicate]]) -> list[frozenset[Predicate]]:
    """Return the strongly connected components of the defined predicates, lowest first.

    *Reference:* R. Tarjan, Depth-first search and linear graph algorithms (1972); iterative,
    because rule chains are deeper than Python's stack.
    """
    number: dict[Predicate, int] = {}
    low: dict[Predicate, int] = {}
    path: list[Predicate] = []
    on_path: set[Predicate] = set()
    components: list[frozenset[Predicate]] = []
    for root in uses:
        work = [] if root in number else [(root, iter(uses[root]))]
        while work:
            node, successors = work[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                path.append(node)
                on_path.add(node)
            for successor in successors:
                if successor in uses and successor not in number:
                    work.append((successor, iter(uses[successor])))
                    break
                if successor in on_path:
                    low[node] = min(low[node], number[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component = path[path.index(node) :]
                    del path[path.index(node) :]
                    on_path.difference_update(component)
                    components.append(frozenset(component))
    return components
