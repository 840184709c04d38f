"""What the relations of a game are for: counters, coordinates, boards, pieces, quantities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.analysis.analyse import GameAnalysis
from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit
from neurogame.gdl.terms import Rules
from neurogame.structure.boards import GameBoard, find_boards
from neurogame.structure.coordinates import OrderedArgument, find_ordered_arguments
from neurogame.structure.counters import StepCounter, find_counters
from neurogame.structure.evidence import GroupEvidence
from neurogame.structure.fluent_relations import FluentRelation, fluent_relations
from neurogame.structure.pieces import Marker, find_markers
from neurogame.structure.quantities import Quantity, find_quantities
from neurogame.structure.static_relations import find_static_relations
from neurogame.structure.successors import SuccessorRelation, successors_among
from neurogame.structure.witnesses import RelationLimits, find_witnesses

_SAMPLE = 512


@final
@dataclass(frozen=True, eq=False)
class Relations:
    """What the relations of a game are for; names play no part in it.

    Attributes:
        state: the relations of the state, in the order of their first fluents.
        successors: the successor relations, in source order.
        ordered: the ordered arguments of the relations of the state.
        counters: the relations that count steps.
        boards: the boards.
        markers: what stands on them; those whose ``piece`` holds are pieces.
        quantities: the relations that hold one number for each value of their other arguments.
        sample: some of the states looked at, the initial one first; bool ``[S, F]``.
    """

    state: tuple[FluentRelation, ...]
    successors: tuple[SuccessorRelation, ...]
    ordered: tuple[OrderedArgument, ...]
    counters: tuple[StepCounter, ...]
    boards: tuple[GameBoard, ...]
    markers: tuple[Marker, ...]
    quantities: tuple[Quantity, ...]
    sample: Bools

    @property
    def pieces(self) -> tuple[Marker, ...]:
        """The markers that are on at most one square at a time."""
        return tuple(marker for marker in self.markers if marker.piece.holds)

    def order_of(self, relation: FluentRelation, place: int) -> OrderedArgument | None:
        """Return what is known about the order of an argument, 0-based; None if it has none."""
        for argument in self.ordered:
            if argument.relation is relation and argument.place == place:
                return argument
        return None


def find_relations(
    rules: Rules,
    circuit: Circuit,
    *,
    analysis: GameAnalysis | None = None,
    seed: int = 0,
    limits: RelationLimits | None = None,
) -> Relations:
    """Find out what the relations of a game are for.

    What is found does not depend on an analysis, but with one more of it is proved.

    Args:
        rules: the rulesheet.
        circuit: made from it.
        analysis: of the circuit, if there is one.
        seed: of random play, where the states are too many to enumerate.
        limits: what looking at states may cost.
    """
    state = fluent_relations(circuit)
    static = find_static_relations(rules)
    successors = successors_among(static.joins)
    ordered = find_ordered_arguments(rules, state, successors, static.domains)
    witnesses = find_witnesses(rules, circuit, seed=seed, limits=limits)
    evidence = GroupEvidence(witnesses, analysis)
    counters = find_counters(circuit, ordered, evidence)
    boards = find_boards(state, {(o.relation, o.place) for o in ordered}, evidence)
    return Relations(
        state=state,
        successors=successors,
        ordered=ordered,
        counters=counters,
        boards=boards,
        markers=find_markers(boards, evidence),
        quantities=find_quantities(ordered, {c.argument for c in counters}, evidence),
        sample=witnesses.sample(_SAMPLE),
    )
