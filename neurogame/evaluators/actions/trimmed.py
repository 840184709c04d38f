"""Trimmed formulas for action heuristics: made from random games, and kept as plain numbers.

A description keeps what is left of them. They could be made again, but the last digits of sums
differ between processors, and with them the order in which parts are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, GameError, LimitError
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.leaf_truth import leaf_truth
from neurogame.graph.graph import Graph, unnamed
from neurogame.regress.action_formulas import ActionFormulas
from neurogame.regress.clockwork import clockwork
from neurogame.regress.trim import Samples, trim
from neurogame.simulate.samples import sample_states
from neurogame.simulate.simulator import Simulator

_STATES = 1024
_SEED = 0
_PLIES = 500


def trimmed_formulas(
    circuit: Circuit,
    formulas: tuple[ActionFormulas, ...],
    analysis: GameAnalysis,
    config: ActionConfig,
) -> tuple[ActionFormulas, ...]:
    """Return formulas without the parts that hardly matter in states of random games.

    Those that cannot be trimmed stay: formulas that all moves share, that are too large, and
    those of roles that hardly ever have a choice.

    Args:
        circuit: the game.
        formulas: of the moves of each role.
        analysis: of the game.
        config: what leaves are worth.
    """
    simulator = Simulator(circuit)
    try:
        states = sample_states(simulator, _STATES, _SEED, _PLIES)
    except GameError:
        # Nobody ever moves.
        return formulas
    legal = simulator.status(states)[0].numpy()
    fluents = states.to_bool().numpy()
    inputs = np.concatenate([fluents, np.zeros_like(legal)], axis=1)
    clock = clockwork(circuit)
    found = []
    for own in formulas:
        first = sum(len(moves) for moves in circuit.moves[: own.role])
        mine = legal[:, first : first + len(circuit.moves[own.role])]
        samples = Samples(inputs=inputs, legal=mine)
        try:
            small, _ = trim(own, lambda x: leaf_truth(x, analysis, config), samples, clock)
            found.append(small)
        except (ConfigurationError, LimitError):
            found.append(own)
    return tuple(found)


def as_numbers(own: ActionFormulas) -> dict[str, Any]:
    """Return formulas as JSON-able values: leaves are the numbers 0..K-1, then come the gates."""
    graph = own.graph
    return {
        "leaves": own.leaves.tolist(),
        "kind": graph.kind.tolist(),
        "start": graph.start.tolist(),
        "inputs": ((graph.inputs >> 1) - 1).tolist(),
        "level": graph.level.tolist(),
        "role": own.role,
        "goals": own.goals.tolist(),
        "outputs": (own.outputs - 1).tolist(),
        "unknown": own.unknown.tolist(),
    }


def of_numbers(values: Mapping[str, Any]) -> ActionFormulas:
    """Return the formulas of which :func:`as_numbers` gave these values."""
    arrays = {
        name: np.array(values[name], np.int64)
        for name in ("leaves", "kind", "start", "inputs", "level", "goals", "outputs")
    }
    none = unnamed(len(arrays["kind"]))
    graph = Graph(
        input_count=1 + len(arrays["leaves"]),
        kind=arrays["kind"].astype(np.uint8),
        start=arrays["start"],
        inputs=2 * (1 + arrays["inputs"]),
        level=arrays["level"],
        outputs=2 * (1 + arrays["outputs"].reshape(-1)),
        atom=none,
        rule=none,
    )
    return ActionFormulas(
        role=int(values["role"]),
        goals=arrays["goals"],
        graph=graph,
        leaves=arrays["leaves"],
        specialised=True,
        unknown=np.array(values["unknown"], np.bool_),
    )


def described(
    formulas: Sequence[ActionFormulas], trimmed: Sequence[ActionFormulas]
) -> list[dict[str, Any] | None]:
    """Return what a description keeps for each role: nothing where formulas stayed as they were."""
    pairs = zip(formulas, trimmed, strict=True)
    return [None if small is own else as_numbers(small) for own, small in pairs]
