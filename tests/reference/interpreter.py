"""The reference interpreter: what the rules say, computed slowly and by other means.

It derives all of a state from the rulesheet itself, on sets of terms
(:mod:`tests.reference.whole_states`): no proof, never a ground program or a circuit. So an
agreement with the prover or the simulator is evidence for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from neurogame.errors import GameError, RulesError
from neurogame.gdl.goal_values import met_goal
from neurogame.gdl.keywords import goal_number
from neurogame.gdl.parse import parse_term
from neurogame.gdl.terms import Rules, Sentence, Term
from neurogame.gdl.walk import arguments_of, relation_of
from neurogame.gdl.write import term_text
from neurogame.prover.values import Predicate, Row, Value, term_of, value_of
from tests.reference.whole_states import WholeStates

_ROLE: Predicate = ("role", 1)
_INIT: Predicate = ("init", 1)
_NEXT: Predicate = ("next", 1)
_LEGAL: Predicate = ("legal", 2)
_GOAL: Predicate = ("goal", 2)
_TERMINAL: Predicate = ("terminal", 0)

ReferenceState = frozenset[Sentence]


@final
class ReferenceGame:
    """A game interpreted straight from its rules.

    A state is the set of terms ``f`` for which ``(true f)`` holds, with folded names. Legal
    moves and goals are given as derived, in terminal states too; a terminal state is its own
    successor. Where a state is not terminal but a role has no legal move, there is no next
    state: :meth:`next` raises.

    Args:
        rules: a rulesheet; it is not checked beyond what evaluation needs.

    Raises:
        RulesError: a rule is unsafe, or there is no role.
        LimitError: a rule has too many literals or branches for this interpreter.
        GroundingError: an atom depends on its own negation (where only some states show it,
            the query that meets it raises).
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._whole = WholeStates(rules)
        self._values: dict[Term, Value] = {}
        self._terms: dict[Value, Sentence] = {}
        self._roles = self._roles_in_source_order()
        self._held: tuple[ReferenceState, frozenset[Row]] = (frozenset(), frozenset())

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles' text in the rulesheet's spelling, in the order of the role facts."""
        return tuple(self.text(self._term(role)) for role in self._roles)

    def initial(self) -> ReferenceState:
        """Return the initial state."""
        return self._terms_of(self._whole.answers(_INIT, (), frozenset(), frozenset()))

    def legal(self, state: ReferenceState, role: int) -> frozenset[Sentence]:
        """Return the moves of one role for which ``legal`` is derived, in terminal states too.

        Args:
            state: ground terms.
            role: index of the role.
        """
        return self._terms_of(self._of_role(state, _LEGAL, role))

    def terminal(self, state: ReferenceState) -> bool:
        """Return whether ``terminal`` holds in a state."""
        return bool(self._whole.answers(_TERMINAL, (), self._rows(state), frozenset()))

    def goals(self, state: ReferenceState, role: int) -> list[int]:
        """Return all goal values derived for a role in 0..100, ascending: none, one or several.

        Integers outside count as the nearest value inside; what is no integer is no goal value.
        """
        found = []
        for (value,) in self._of_role(state, _GOAL, role):
            text = value if isinstance(value, str) else term_text(self._term(value))
            number = goal_number(text)
            if number is None:
                continue
            found.append(met_goal(number, self.roles[role]))
        return sorted(set(found))

    def next(self, state: ReferenceState, joint: Sequence[Term]) -> ReferenceState:
        """Return the state after a joint move: exactly what ``next`` derives.

        Args:
            state: ground terms.
            joint: one move per role, in role order; each must be legal.

        Returns:
            The successor; a terminal state itself, whatever the moves.

        Raises:
            GameError: the number of moves is wrong, a move is not legal, or some role has none.
        """
        if len(joint) != len(self._roles):
            raise GameError(f"a joint move has {len(self._roles)} moves, not {len(joint)}")
        if self.terminal(state):
            return state
        rows = []
        for role, move in enumerate(joint):
            if not self.legal(state, role):
                raise GameError(
                    f"role {self.roles[role]} has no legal move although the state is not "
                    "terminal: no step leads on"
                )
            if move not in self.legal(state, role):
                raise GameError(f"{self.text(move)} is not a legal move of {self.roles[role]}")
            rows.append((self._roles[role], self._value(move)))
        return self._terms_of(self._whole.answers(_NEXT, (), self._rows(state), frozenset(rows)))

    def text(self, term: Term) -> str:
        """Return the compact KIF text of a term in the rulesheet's spelling."""
        return term_text(term, self.rules.spelling)

    def term(self, text: str) -> Sentence:
        """Return the ground term that a KIF text in any case stands for.

        Raises:
            RulesError: the text is not one ground term.
        """
        return term_of(value_of(parse_term(text)))

    def _roles_in_source_order(self) -> tuple[Value, ...]:
        facts = [rule.head for rule in self.rules if relation_of(rule.head) == _ROLE]
        roles = tuple(dict.fromkeys(value_of(arguments_of(fact)[0]) for fact in facts))
        if not roles:
            raise RulesError(f"{self.rules.source}: no (role NAME) fact; a game needs at least one")
        return roles

    def _of_role(self, state: ReferenceState, predicate: Predicate, role: int) -> tuple[Row, ...]:
        return self._whole.answers(predicate, (self._roles[role],), self._rows(state), frozenset())

    def _rows(self, state: ReferenceState) -> frozenset[Row]:
        """Return what ``true`` holds of in a state."""
        if self._held[0] is not state:
            self._held = state, frozenset((self._value(fluent),) for fluent in state)
        return self._held[1]

    def _terms_of(self, rows: tuple[Row, ...]) -> ReferenceState:
        return frozenset(self._term(value) for (value,) in rows)

    def _value(self, term: Term) -> Value:
        value = self._values.get(term)
        if value is None:
            value = self._values[term] = value_of(term)
        return value

    def _term(self, value: Value) -> Sentence:
        term = self._terms.get(value)
        if term is None:
            term = self._terms[value] = term_of(value)
        return term
