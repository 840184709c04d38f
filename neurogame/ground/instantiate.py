"""The second half of grounding: every rule over the reachable domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.errors import GroundingError
from neurogame.gdl.terms import Rules
from neurogame.ground.atoms import AtomTable, IntArray, TermTable
from neurogame.ground.clauses import Clause
from neurogame.ground.join import Query, build_rows, solve
from neurogame.ground.limits import Watch
from neurogame.ground.program import GroundProgram
from neurogame.ground.relation import Database

DROPPED = -1
"""In a body: a negated atom that never holds, so the literal is true."""


def instantiate(
    clauses: Sequence[Clause],
    dynamic: set[str],
    database: Database,
    rules: Rules,
    watch: Watch,
    key: str,
) -> GroundProgram:
    """Return the ground program.

    Args:
        clauses: the clauses whose heads are dynamic.
        dynamic: the predicates that may differ between states.
        database: the static relations, and the domains of the dynamic ones.
        rules: the rulesheet.
        watch: limits.
        key: hash of the rules.

    Raises:
        GroundingError: if a goal value is not an integer from 0 to 100, or there is no role.
        LimitError: if a limit is reached.
    """
    layout = _layout(clauses, database, rules)
    parts = [_instances(c, dynamic, database, layout, rules, watch) for c in clauses]
    counts = np.concatenate([np.zeros(0, np.int64), *(p.counts for p in parts)])
    count = len(counts)
    watch.check_count(count, "collecting the ground rules")
    return GroundProgram(
        roles=layout.roles,
        fluents=layout.fluents,
        moves=layout.moves,
        initial=layout.initial,
        rule_head=np.concatenate([np.zeros(0, np.int64), *(p.heads for p in parts)]),
        rule_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        rule_body=np.concatenate([np.zeros(0, np.int64), *(p.bodies for p in parts)]),
        rule_source=np.repeat(
            np.array([c.source for c in clauses], np.int64), [len(p.heads) for p in parts]
        ),
        legal=layout.legal,
        next=layout.next,
        terminal=layout.terminal,
        goals=layout.goals,
        atoms=layout.table,
        key=key,
    )


@final
@dataclass(frozen=True, eq=False)
class _Part:
    """The instances of one clause."""

    heads: IntArray
    counts: IntArray
    bodies: IntArray


@final
@dataclass(frozen=True, eq=False)
class _Layout:
    """The numbering of the atoms: ``atom_of[predicate][relation row]`` is the atom or -1."""

    roles: tuple[str, ...]
    fluents: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...]
    initial: np.ndarray[tuple[int], np.dtype[np.bool_]]
    atom_of: dict[str, IntArray]
    legal: IntArray
    next: IntArray
    terminal: int
    goals: tuple[tuple[tuple[int, int], ...], ...]
    table: AtomTable

    def numbers(self, predicate: str) -> IntArray:
        """Return the atom of each relation row, with -1 at the end for row -1 (none)."""
        return np.append(self.atom_of.get(predicate, np.zeros(0, np.int64)), -1)


def _instances(
    clause: Clause,
    dynamic: set[str],
    database: Database,
    layout: _Layout,
    rules: Rules,
    watch: Watch,
) -> _Part:
    tracked = [i for i, x in enumerate(clause.body) if x.predicate in dynamic]
    checked = [i for i, x in enumerate(clause.body) if x.negated and x.predicate not in dynamic]
    query = Query(clause, tracked=frozenset(tracked), checked=frozenset(checked))
    where = rules.rules[clause.source].position
    doing = f"instantiating the rule at {rules.source}:{where.line}:{where.column}"
    table = solve(query, database, watch, doing)
    heads = database.relation(clause.head.predicate).rows.find(
        build_rows(clause.head.arguments, table, database)
    )
    heads = layout.numbers(clause.head.predicate)[heads]
    body = np.full((table.count, len(tracked)), DROPPED, np.int64)
    for column, place in enumerate(tracked):
        literal = clause.body[place]
        rows = table.tracked[place]
        atoms = layout.numbers(literal.predicate)[rows]
        body[:, column] = np.where(atoms < 0, DROPPED, 2 * atoms + literal.negated)
        if not literal.negated:
            # A positive atom outside the numbering (a move of no role) never holds.
            heads = np.where(atoms < 0, -1, heads)
    good = heads >= 0
    heads, body = heads[good], body[good]
    kept = body != DROPPED
    return _Part(heads, kept.sum(axis=1).astype(np.int64), body[kept])


def _layout(clauses: Sequence[Clause], database: Database, rules: Rules) -> _Layout:
    """Number the atoms: fluents and moves by their text, derived atoms by relation."""
    table = database.pool.table(rules.spelling)
    role_terms = database.relation("role/1").rows.rows[:, 0]
    if not len(role_terms):
        raise GroundingError(f"{rules.source}: no role is defined; add a fact such as (role white)")
    fluent_rows = database.relation("true/1").rows.rows[:, 0]
    fluents, fluent_order = _sorted_texts(fluent_rows, table)
    does = database.relation("does/2").rows.rows
    moves: list[tuple[str, ...]] = []
    move_order: list[IntArray] = []
    for role in role_terms:
        own = np.flatnonzero(does[:, 0] == role)
        texts, order = _sorted_texts(does[own, 1], table)
        moves.append(texts)
        move_order.append(own[order])
    all_moves = np.concatenate(move_order)
    blocks = ["true/1", "does/2"]
    orders = [fluent_order, all_moves]
    for predicate in dict.fromkeys(c.head.predicate for c in clauses):
        blocks.append(predicate)
        orders.append(np.arange(database.relation(predicate).rows.count))
    atom_of, atoms = _number(blocks, orders, database, rules, table)
    find = _Finder(database, atom_of)
    initial = np.zeros(len(fluents), np.bool_)
    initial[find.atoms("true/1", database.relation("init/1").rows.rows)] = True
    terminal = find.atoms("terminal/0", np.zeros((1, 0), np.int64))
    return _Layout(
        roles=tuple(table.text(int(r)) for r in role_terms),
        fluents=fluents,
        moves=tuple(moves),
        initial=initial,
        atom_of=atom_of,
        legal=find.atoms("legal/2", does[all_moves]),
        next=find.atoms("next/1", fluent_rows[fluent_order][:, None]),
        terminal=int(terminal[0]),
        goals=tuple(_goals(int(r), database, find, rules) for r in role_terms),
        table=atoms,
    )


@final
@dataclass(frozen=True, eq=False)
class _Finder:
    """Looks atoms up by their arguments; -1 where there is none."""

    database: Database
    atom_of: dict[str, IntArray]

    def atoms(self, predicate: str, rows: IntArray) -> IntArray:
        found = self.database.relation(predicate).rows.find(rows)
        numbers = self.atom_of.get(predicate, np.zeros(0, np.int64))
        return np.append(numbers, -1)[found]


def _sorted_texts(terms: IntArray, table: TermTable) -> tuple[tuple[str, ...], IntArray]:
    """Return the terms' texts sorted by code point, and the order that sorts them."""
    texts = [table.text(int(t)) for t in terms]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    return tuple(texts[i] for i in order), np.array(order, np.int64)


def _number(
    blocks: Sequence[str],
    orders: Sequence[IntArray],
    database: Database,
    rules: Rules,
    table: TermTable,
) -> tuple[dict[str, IntArray], AtomTable]:
    """Number the chosen rows of each relation consecutively; return numbers and atoms."""
    atom_of: dict[str, IntArray] = {}
    arities: list[IntArray] = []
    arguments: list[IntArray] = []
    count = 0
    for predicate, order in zip(blocks, orders, strict=True):
        rows = database.relation(predicate).rows
        numbers = np.full(rows.count, -1, np.int64)
        numbers[order] = count + np.arange(len(order))
        atom_of[predicate] = numbers
        count += len(order)
        arities.append(np.full(len(order), rows.arity, np.int64))
        arguments.append(rows.rows[order].reshape(-1))
    names = [b.rpartition("/")[0] for b in blocks]
    return atom_of, AtomTable(
        terms=table,
        predicates=tuple(rules.spelling.get(n, n) for n in names),
        predicate=np.repeat(np.arange(len(blocks)), [len(o) for o in orders]),
        start=np.concatenate([[0], np.cumsum(np.concatenate(arities))]).astype(np.int64),
        arguments=np.concatenate(arguments),
    )


def _goals(
    role: int, database: Database, find: _Finder, rules: Rules
) -> tuple[tuple[int, int], ...]:
    """Return the goal values of a role with their atoms, highest first."""
    rows = database.relation("goal/2").rows.rows
    own = rows[rows[:, 0] == role]
    pairs = []
    for term, atom in zip(own[:, 1], find.atoms("goal/2", own), strict=True):
        name = database.pool.name(int(term))
        if not (name.isascii() and name.isdigit() and int(name) <= 100):
            raise GroundingError(
                f"{rules.source}: the goal value '{name}' of role "
                f"'{database.pool.name(role)}' must be an integer from 0 to 100"
            )
        pairs.append((int(name), int(atom)))
    return tuple(sorted(pairs, reverse=True))
