"""Rules that see one ply ahead: a state is an end where a role has a move that wins at once.

The end that a role wants, regressed by one ply, says which of its moves surely lead to it. In the
*foreseen* rules a state with such a move is an end, with the goals of that end. So whoever searches
them sees a ply further at the price of gates, 64 states to a word, instead of all replies to each
move.

*Reference:* the one-step regression of Trutman and Schiffel, "Creating Action Heuristics for
General Game Playing Agents", here of a won end, over all moves.
"""

from __future__ import annotations

from dataclasses import replace

from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import load_circuit, save_circuit
from neurogame.errors import GameError, LimitError
from neurogame.graph.graph import AND, FALSE, OR
from neurogame.regress.winning_moves import WinningMoves

MOST_GATES, MOST_TIMES = 10_000, 8
"""Gates of a game, and as a multiple of these, of its foreseen rules: more cost more than a ply."""

_FORMAT = "foreseen-3"
"""Changes whenever other circuits come out, so that old files are not used."""


def foreseen(circuit: Circuit, *, cache: bool = True) -> Circuit:
    """Return the rules in which what a role can win with its next move is won.

    Args:
        circuit: the game.
        cache: whether to keep them on disk.

    Returns:
        The same fluents, moves and next states; more ends, and the goals there. The circuit itself
        where there are not two players that move in turn and whose goals sum to 100 (in random
        play, as searches judge them), where one has no goal for losing, and where the gates are too
        many, or would be.
    """
    is_two = len(circuit.roles) == 2 and circuit.chance is None
    if not is_two or circuit.gate_count > MOST_GATES:
        return circuit
    key = f"{circuit.key}-{_FORMAT}"
    made = load_circuit(key) if cache else None
    if made is None:
        made = _worth_it(circuit)
        if cache:
            save_circuit(replace(made, key=key))
    is_other = made.gate_count != circuit.gate_count
    return replace(made, key=key, origin=circuit) if is_other else circuit


def _worth_it(circuit: Circuit) -> Circuit:
    """Return the foreseen rules, or the circuit itself."""
    if any(values[:1] != (100,) or values[-1] != 0 for values in circuit.goal_values):
        return circuit
    try:
        winning = WinningMoves(circuit)
        analysis = winning.analysis
        if not analysis.constant_sum.holds or analysis.goal_sum != 100:
            return circuit
        made = _foreseen(winning)
    except (GameError, LimitError):
        return circuit
    return made if made.gate_count <= MOST_TIMES * circuit.gate_count else circuit


def _foreseen(winning: WinningMoves) -> Circuit:
    """Return the foreseen rules of two opposed roles, however large."""
    store, circuit, outputs = winning.store, winning.old, winning.outputs.copy()
    goes_on = winning.over ^ 1
    wins = [store.pairs(AND, winning.any_of(winning.wins[role]), goes_on) for role in range(2)]
    ends = store.pairs(OR, *wins)
    at = len(outputs) - len(circuit.goal_literals)
    outputs[at - 1] = store.pairs(OR, winning.over, ends)[0]
    for role, values in enumerate(circuit.goal_values):
        for value in values:
            new = wins[role] if value == 100 else wins[1 - role] if value == 0 else FALSE
            old = store.pairs(AND, outputs[[at]], ends ^ 1)
            outputs[at] = store.pairs(OR, old, new)[0]
            at += 1
    return winning.circuit(outputs)
