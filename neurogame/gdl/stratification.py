"""Stratified negation: no sentence may depend on its own negation."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import final

from neurogame.gdl.dependencies import Relation, cyclic_relations
from neurogame.gdl.finding import Finding, shown
from neurogame.gdl.graph import strong_components
from neurogame.gdl.terms import Compound, Rule, Sentence, Term, Variable
from neurogame.gdl.unify import may_unify
from neurogame.gdl.walk import body_sentences, relation_of, substitute, term_size, variables_in
from neurogame.gdl.write import term_text

SEARCH_LIMIT = 2000
"""Most sentences looked at in the search for a certain cycle through one negation."""

TRIES_LIMIT = 1_000_000
"""Most comparisons of a name with one of a head in all those searches together."""

PAIR_LIMIT = 2_000_000
"""Most comparisons of a name with one of a head when the graph of the rules is made."""

_Edge = tuple[int, int, Sentence]
"""A rule, the rule (or the relation, a negative number) that it needs, and the sentence."""


def check_stratification(rules: Sequence[Rule]) -> list[Finding]:
    """Return the findings about negations that depend on themselves.

    What counts is the ground program, and only grounding knows it. So there are three cases, on
    a graph with a node per rule and an edge to every rule whose head unifies with a sentence of
    its body:

    - no negation lies on a cycle of that graph, as in ``(<= (goal ?r 0) (not (goal ?r 100)))``:
      no finding;
    - some way round a cycle comes back, in every instance of its rules, to the very sentence it
      started from, as in ``(<= (p ?x) (q ?x) (not (p ?x)))``: an error;
    - any other cycle, as in ``(<= (win ?x) (succ ?x ?y) (not (win ?y)))``: a warning; grounding
      accepts it if no ground atom depends on its own negation, and refuses it otherwise.
    """
    by_relation, negative = _negative_cycles(rules)
    search = _Search(rules, by_relation)
    findings: dict[int, Finding] = {}
    for index, _, sentence in negative:
        if id(sentence) in findings:
            continue
        head = shown(term_text(rules[index].head))
        negation = shown(f"(not {term_text(sentence)})")
        through = f"{head} depends on its own negation through {negation}"
        if search.returns(index, sentence):
            message = f"{through}; negation must be stratified: break the cycle"
            findings[id(sentence)] = Finding(
                "error", sentence.position, message, "unstratified-negation"
            )
        else:
            message = (
                f"{through}, unless its instances never form a cycle; grounding the rules "
                "decides that"
            )
            findings[id(sentence)] = Finding(
                "warning", sentence.position, message, "doubtful-negation"
            )
    return list(findings.values())


def _negative_cycles(
    rules: Sequence[Rule],
) -> tuple[Mapping[Relation, list[int]], list[_Edge]]:
    """Return the recursive rules by relation, and the negative edges that lie on a cycle.

    Beyond :data:`PAIR_LIMIT` a sentence is taken to unify with all
    heads of its relation, through one node for the relation: that may add warnings, not errors.
    """
    recursive = cyclic_relations(rules)
    by_relation: dict[Relation, list[int]] = defaultdict(list)
    for index, rule in enumerate(rules):
        if relation_of(rule.head) in recursive:
            by_relation[relation_of(rule.head)].append(index)
    chosen = [index for members in by_relation.values() for index in members]
    hubs = {relation: -1 - number for number, relation in enumerate(by_relation)}
    edges: dict[int, list[int]] = defaultdict(list)
    negative: list[_Edge] = []
    left = PAIR_LIMIT
    for index in chosen:
        for sentence, negated in body_sentences(rules[index].body):
            members = by_relation.get(relation_of(sentence), [])
            left -= _cost(sentence, members)
            if left >= 0:
                targets = [m for m in members if may_unify(sentence, rules[m].head)]
            else:
                targets = [hubs[relation_of(sentence)]] if members else []
            edges[index] += targets
            if negated:
                negative += [(index, target, sentence) for target in targets]
    if left < 0:
        edges.update((hub, by_relation[relation]) for relation, hub in hubs.items())
    component = {
        index: number
        for number, members in enumerate(strong_components([*chosen, *hubs.values()], edges))
        for index in members
    }
    inside = [edge for edge in negative if component[edge[0]] == component[edge[1]]]
    return by_relation, inside


def _cost(sentence: Sentence, candidates: Sequence[int]) -> int:
    return term_size(sentence) * len(candidates)


@final
class _Search:
    """Looks for certain cycles; all searches of a rulesheet together have a bounded cost."""

    def __init__(
        self, rules: Sequence[Rule], by_relation: Mapping[Relation, Sequence[int]]
    ) -> None:
        self._rules = rules
        self._by_relation = by_relation
        self._left = TRIES_LIMIT

    def returns(self, start: int, sentence: Sentence) -> bool:
        """Return whether a sentence of a rule's body needs the rule's own head in every instance.

        A rule is followed only if its head is the sentence at hand up to the names of variables,
        so that nothing is assumed about the instances. Variables that a rule does not share with
        its head get the first names that are free, which keeps the number of sentences finite.
        """
        goal = self._rules[start].head
        seen = {sentence}
        todo = [sentence]
        for current in todo:
            if current == goal:
                return True
            candidates = self._by_relation.get(relation_of(current), ())
            self._left -= _cost(current, candidates)
            if len(seen) > SEARCH_LIMIT or self._left < 0:
                return False
            for index in candidates:
                renaming = _variant(self._rules[index].head, current)
                if renaming is None:
                    continue
                for needed, _ in body_sentences(self._rules[index].body):
                    after = _renamed(needed, renaming)
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
        return False


def _variant(head: Sentence, sentence: Sentence) -> dict[str, str] | None:
    """Return the one-to-one renaming of variables that turns a head into a sentence, if any."""
    renaming: dict[str, str] = {}
    todo: list[tuple[Term, Term]] = [(head, sentence)]
    while todo:
        left, right = todo.pop()
        if isinstance(left, Variable) and isinstance(right, Variable):
            if renaming.setdefault(left.name, right.name) != right.name:
                return None
        elif isinstance(left, Compound) and isinstance(right, Compound):
            if left.name != right.name or len(left.arguments) != len(right.arguments):
                return None
            todo += zip(left.arguments, right.arguments, strict=True)
        elif left != right:
            return None
    return renaming if len(set(renaming.values())) == len(renaming) else None


def _renamed(sentence: Sentence, renaming: Mapping[str, str]) -> Sentence:
    """Rename the variables of a sentence; the others get the first names that are not in use."""
    used = set(renaming.values())
    # No name that was parsed holds a space, so these differ from all of the rules.
    free = (name for name in map("fresh {}".format, itertools.count()) if name not in used)
    names = dict(renaming)
    for variable in variables_in(sentence):
        if variable.name not in names:
            names[variable.name] = next(free)
    renamed = substitute(sentence, {name: Variable(other) for name, other in names.items()})
    assert not isinstance(renamed, Variable)
    return renamed
