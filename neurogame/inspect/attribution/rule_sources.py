"""Which rule a condition comes from: its head, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, final
from weakref import WeakKeyDictionary

import numpy as np

from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.terms import Rules
from neurogame.graph.graph import Graph
from neurogame.graph.positive import positive
from neurogame.simulate.game import Game
from neurogame.structure.any_of import any_of_conditions
from neurogame.structure.lines import conditions_by_gate

_WORK = 4_000_000
Literals: TypeAlias = frozenset[int]
"""``2 * fluent`` for one that shall hold, ``2 * fluent + 1`` for one that shall not."""


@final
@dataclass(frozen=True, kw_only=True)
class RuleSource:
    """The rule behind a condition.

    Attributes:
        head: what the rule concludes, ground: ``(row 1 x)``; empty where no single rule is behind.
        where: file and line, such as ``tictactoe.kif:52``; empty where they are not known.
    """

    head: str
    where: str

    @property
    def relation(self) -> str:
        """What the rule is about; of no single rule, that it is one of the goals' conditions."""
        return self.head.strip("()").partition(" ")[0] or "condition of the goals"


_sources: WeakKeyDictionary[Game, dict[Literals, RuleSource]] = WeakKeyDictionary()


def rule_source(game: Game, literals: Iterable[int]) -> RuleSource:
    """Return the rule that a condition comes from; rules are looked through once per game.

    Args:
        game: the game.
        literals: of the condition.
    """
    if game not in _sources:
        _sources[game] = _all_sources(game)
    known, literals = _sources[game], frozenset(literals)
    nothing = RuleSource(head="", where="")
    return known.get(literals) or known.get(_positive(literals)) or nothing


def _all_sources(game: Game) -> dict[Literals, RuleSource]:
    """Return the rule of each condition of goals, of the end and of legal moves."""
    circuit = game.circuit
    outputs = np.concatenate([circuit.goal_literals, [circuit.terminal], circuit.legal])
    graph, leaves = positive(circuit.graph.with_outputs(outputs))
    structure = game.structure
    turned = structure.mode_fluents.tolist()
    turns = frozenset(literal for f in turned for literal in (2 * f, 2 * f + 1))
    users, sheet = _users(graph), _rulesheet(game)
    sources: dict[Literals, RuleSource] = {}
    by_gate = conditions_by_gate(graph, leaves, len(circuit.fluents), work=_WORK)
    by_gates = list(enumerate(by_gate))
    if any(len(set(structure.variable_of[[*one]])) < len(one) for one in structure.conditions):
        wide = any_of_conditions(graph, leaves, structure.variables, structure.variable_of)
        by_gates += [(gate, frozenset([frozenset(one.tolist())])) for gate, one in wide]
    for gate, conditions in by_gates:
        if conditions:
            source = _source(game, sheet, graph, users, gate)
            for condition in conditions:
                for part in (condition, condition - turns, _positive(condition)):
                    # What is nearest to the fluents says it in the fewest words.
                    sources.setdefault(part, source)
    return sources


def _rulesheet(game: Game) -> Rules:
    """Return the rules where people can read them: of the library, if these are the same."""
    if game.name in library_names():
        rules = load_rules(game.name)
        if rules.rules == game.rules.rules:
            return rules
    return game.rules


def _positive(literals: Literals) -> Literals:
    return frozenset(literal for literal in literals if literal % 2 == 0)


def _users(graph: Graph) -> dict[int, int]:
    """Return for each gate that is read the first gate that reads it."""
    reader = np.repeat(np.arange(graph.gate_count), graph.fan_in)
    read = (graph.inputs >> 1) - graph.input_count
    return dict(zip(read[::-1].tolist(), reader[::-1].tolist(), strict=True))


def _source(game: Game, sheet: Rules, graph: Graph, users: dict[int, int], gate: int) -> RuleSource:
    """Return the nearest named atom that needs a gate, and the nearest rule."""
    atoms, head, rule, at = game.circuit.atoms, "", -1, gate
    while at >= 0 and not head:
        rule = rule if rule >= 0 else int(graph.rule[at])
        atom = int(graph.atom[at])
        head = "" if atom < 0 or atoms.auxiliary[atom] else atoms.text(atom)
        at = users.get(at, -1)
    if not head:
        head = _output(game, graph, gate, users)
    line = sheet.rules[rule].position.line if rule >= 0 else 0
    where = f"{Path(sheet.source).name}:{line}" if line else ""
    return RuleSource(head=head, where=where)


def _output(game: Game, graph: Graph, gate: int, users: dict[int, int]) -> str:
    """Return the legal move or goal that a gate, or what needs it, is; else nothing."""
    circuit = game.circuit
    while gate in users:
        gate = users[gate]
    places = np.flatnonzero(graph.outputs == 2 * (gate + graph.input_count)).tolist()
    goals = zip(game.roles, circuit.named_goals, strict=True)
    legal = zip(game.roles, game.moves, strict=True)
    names = [f"(goal {role} {value})" for role, values in goals for value in values]
    names.append("terminal")
    names += [f"(legal {role} {move})" for role, moves in legal for move in moves]
    return names[places[0]] if places else ""
