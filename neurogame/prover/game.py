"""A game played straight from its rules: what is asked of a state is proved, nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import final

from neurogame.errors import GameError, RulesError
from neurogame.gdl.goal_values import met_goal
from neurogame.gdl.keywords import goal_number
from neurogame.gdl.parse import parse_term
from neurogame.gdl.terms import Rules, Sentence, Term
from neurogame.gdl.write import term_text
from neurogame.prover.compiler import RuleCompiler
from neurogame.prover.estimates import Estimates
from neurogame.prover.lazily import CycleError
from neurogame.prover.program import DOES, TRUE, Lifetime, SortedRules
from neurogame.prover.questions import NegativeCycleError, Tabling
from neurogame.prover.values import Predicate, Row, Value, term_of, value_of

_ROLE: Predicate = ("role", 1)
_INIT: Predicate = ("init", 1)
_NEXT: Predicate = ("next", 1)
_LEGAL: Predicate = ("legal", 2)
_GOAL: Predicate = ("goal", 2)
_TERMINAL: Predicate = ("terminal", 0)

ProverState = frozenset[Sentence]


@final
class ProverGame:
    """A game whose questions are answered by goal-directed proof.

    Only what is asked for is derived. A question that depends on its own negation, atom for atom
    or because more is asked at once than one atom, is decided or refused by
    :class:`~neurogame.prover.estimates.Estimates`, atom by atom.

    Args:
        rules: a rulesheet; it is not checked beyond what proofs need.
        stop: is asked every so often; True interrupts with a LimitError.

    Attributes:
        rules: the rulesheet.
        roles: the roles' text in the rulesheet's spelling, in the order of the role facts.

    Raises:
        RulesError: a rule is unsafe, or there is no role.
        LimitError: the disjunctions of a rule expand to too many conjunctions.
    """

    def __init__(self, rules: Rules, stop: Callable[[], bool] | None = None) -> None:
        self.rules = rules
        self._tabling = Tabling(rules.source)
        self._tabling.stop = stop
        self._program = SortedRules(rules)
        self._compiler = RuleCompiler(self._program, self._tabling)
        self._values: dict[Term, Value] = {}
        self._terms: dict[Value, Sentence] = {}
        self._state: ProverState | None = None
        self._joint: tuple[Row, ...] | None = None
        self._estimates = Estimates(self._program, stop)
        roles = dict.fromkeys(row[0] for row in self._program.facts(_ROLE))
        if not roles:
            raise RulesError(f"{rules.source}: no (role NAME) fact; a game needs at least one")
        self._roles = tuple(roles)
        self.roles = tuple(self.text(self._term(role)) for role in self._roles)

    def initial(self) -> ProverState:
        """Return the initial state."""
        return frozenset(self._term(row[0]) for row in self._ask(_INIT, ()))

    def legal(self, state: ProverState, role: int) -> frozenset[Sentence]:
        """Return the moves of one role for which ``legal`` is derived, in terminal states too.

        Args:
            state: ground terms.
            role: index of the role.
        """
        self._enter(state)
        rows = self._ask(_LEGAL, (self._roles[role],))
        return frozenset(self._term(row[0]) for row in rows)

    def choices(self, state: ProverState) -> list[list[Sentence]]:
        """Return the same moves of all roles, those of each in code point order of their texts."""
        return [sorted(self.legal(state, role), key=self.text) for role in range(len(self.roles))]

    def legal_moves(self, state: ProverState, role: int) -> Iterator[Sentence]:
        """Yield the same moves one by one, each as soon as it is proved.

        Args:
            state: ground terms.
            role: index of the role.
        """
        question, key = self._compiler.question(_LEGAL, (0,)), (self._roles[role],)
        rows: Iterator[Row] | None = None
        told: set[Row] = set()
        while True:
            self._enter(state)
            try:
                with self._tabling.asking():
                    if rows is None:
                        rows = iter(question.table.get(key) or self._tabling.lazily(question, key))
                    row = next(rows, None)
            except CycleError:
                rows = None
                continue
            except NegativeCycleError:
                for row in self._decided(_LEGAL, key):
                    if row not in told:
                        yield self._term(row[0])
                return
            if row is None:
                return
            if row not in told:
                told.add(row)
                yield self._term(row[0])

    def terminal(self, state: ProverState) -> bool:
        """Return whether ``terminal`` holds in a state."""
        self._enter(state)
        return bool(self._ask(_TERMINAL, ()))

    def goals(self, state: ProverState, role: int) -> list[int]:
        """Return all goal values derived for a role in 0..100, ascending: none, one or several.

        Integers outside count as the nearest value inside; what is no integer is no goal value.
        """
        self._enter(state)
        values = set()
        for (value,) in self._ask(_GOAL, (self._roles[role],)):
            text = value if isinstance(value, str) else term_text(self._term(value))
            number = goal_number(text)
            if number is None:
                continue
            values.add(met_goal(number, self.roles[role]))
        return sorted(values)

    def next(self, state: ProverState, joint: Sequence[Term]) -> ProverState:
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
        for role, move in enumerate(joint):
            if not self.is_legal(state, role, move):
                if next(self.legal_moves(state, role), None) is None:
                    raise GameError(
                        f"role {self.roles[role]} has no legal move although the state is not "
                        "terminal: no step leads on"
                    )
                raise GameError(f"{self.text(move)} is not a legal move of {self.roles[role]}")
        pairs = zip(self._roles, joint, strict=True)
        self._enter(state, tuple((role, self._value(move)) for role, move in pairs))
        return frozenset(self._term(row[0]) for row in self._ask(_NEXT, ()))

    def playout(self, state: ProverState, seed: int, most: int) -> tuple[ProverState, int]:
        """Play random legal moves until the game is over.

        Args:
            state: ground terms.
            seed: decides the moves.
            most: most plies.

        Returns:
            The last state, and the plies played: fewer than ``most`` where the game is over, or
            some role has no legal move.
        """
        chance = random.Random(seed)
        for ply in range(most):
            if self.terminal(state):
                return state, ply
            choices = [
                sorted(self.legal(state, role), key=term_text) for role in range(len(self._roles))
            ]
            if not all(choices):
                return state, ply
            state = self.next(state, [chance.choice(moves) for moves in choices])
        return state, most

    def text(self, term: Term) -> str:
        """Return the compact KIF text of a term in the rulesheet's spelling."""
        return term_text(term, self.rules.spelling)

    def term(self, text: str) -> Sentence:
        """Return the ground term that a KIF text in any case stands for.

        Raises:
            RulesError: the text is not one ground term.
        """
        return term_of(value_of(parse_term(text)))

    def is_legal(self, state: ProverState, role: int, move: Term) -> bool:
        """Return whether one move is legal, from the moves of its role if they are known.

        Args:
            state: ground terms.
            role: index of the role.
            move: a ground term.
        """
        self._enter(state)
        known = self._compiler.question(_LEGAL, (0,)).table.get((self._roles[role],))
        if known is not None:
            return (self._value(move),) in known
        return bool(self._ask(_LEGAL, (self._roles[role], self._value(move))))

    def _ask(self, predicate: Predicate, key: Row) -> tuple[Row, ...]:
        """Return all answers about a predicate whose first arguments are known."""
        try:
            return self._compiler.ask(predicate, key)
        except NegativeCycleError:
            return self._decided(predicate, key)

    def _decided(self, predicate: Predicate, key: Row) -> tuple[Row, ...]:
        """Return the same where a proof meets a negation that it depends on."""
        fluents, moves = (self._compiler.relation(given).rows for given in (TRUE, DOES))
        return self._estimates.answers(predicate, key, fluents, moves)

    def _enter(self, state: ProverState, joint: tuple[Row, ...] | None = None) -> None:
        """Let answers be about a state, and about a joint move if one is given."""
        if state is not self._state and state != self._state:
            self._tabling.forget(Lifetime.STATE)
            self._compiler.relation(TRUE).replace((self._value(fluent),) for fluent in state)
            self._state = state
            self._joint = None
        if joint is not None and joint != self._joint:
            self._tabling.forget(Lifetime.MOVE)
            self._compiler.relation(DOES).replace(joint)
            self._joint = joint

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
