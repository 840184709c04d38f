"""The relaxed game: what can still happen, whatever is done from a state on.

In the relaxed game a fluent never loses a value: it *can hold*, *can fail* (not hold), or both. A
move can be made once its formula can be true; a step makes all such moves, each alone, and adds
what any of them brings about. The fixpoint covers all states that can be reached, and more, so a
goal that cannot hold in it is out of reach: a cell marked wrongly for ever, a cell for which no
digit is left, a piece that will be missing. It is the relaxation of planners, here with both values
of a fluent, as GDL's rules are full of negation.

The relaxed game is a circuit like any other, and is evaluated by the same code, many states at
once.

*Reference:* Bonet and Geffner, "Planning as heuristic search" (2001), section 3 (the relaxation);
Trutman and Schiffel, section 3 (fluents that stay as they are, which it finds by itself).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph
from neurogame.graph.positive import positive
from neurogame.graph.prune import prune_by_level
from neurogame.graph.rewrite import rewrite
from neurogame.graph.store import GateStore
from neurogame.regress.specialise import next_of_moves


def relaxed(circuit: Circuit) -> Circuit:
    """Return the relaxed game of a game of one role.

    Args:
        circuit: the game; ``F`` fluents, ``M`` moves.

    Returns:
        A circuit of ``2 F`` fluents: first whether each can hold, then whether each can fail. The
        next state takes back nothing and reads no move. Its legal moves are those that can be
        made, its goals those that can hold where the game can end (or be stuck, which ends it,
        too). It is terminal nowhere.

    Raises:
        GameError: the game has several roles.
    """
    if len(circuit.roles) != 1:
        raise GameError(f"a game of {len(circuit.roles)} roles cannot be relaxed, only one of one")
    fluents, moves = len(circuit.fluents), circuit.move_count
    store = GateStore(1 + 2 * fluents + moves)
    holds = 2 * (1 + np.arange(fluents))
    leaf = np.zeros(2 * circuit.input_count, np.int64)
    leaf[TRUE] = TRUE
    leaf[holds], leaf[holds + 1] = holds, holds + 2 * fluents

    def made(graph: Graph) -> Int64s:
        form, leaves = positive(graph)
        return rewrite(form, np.concatenate([[FALSE], leaf[leaves]]), store)

    def of(literals: Int64s) -> Int64s:
        return made(circuit.graph.with_outputs(literals))

    terminal, going = of(np.array([circuit.terminal, circuit.terminal ^ 1]))
    legal = store.pairs(AND, of(circuit.legal), int(going))
    stuck = store.rows(AND, of(circuit.legal ^ 1)[None])
    over = store.rows(OR, np.append(stuck, terminal)[None])
    # Where moves are not told apart, each can be made and left out.
    does = 2 * (1 + fluents + np.arange(moves))
    leaf[does], leaf[does + 1] = legal, TRUE
    formulas = next_of_moves(circuit)
    both = np.concatenate([formulas.literals, formulas.literals ^ 1])
    brought = made(formulas.graph.with_outputs(both.reshape(-1)))
    kept = 2 * (1 + np.arange(2 * fluents))
    outputs = [
        legal,
        _brought_about(brought.reshape(both.shape), legal, kept, store),
        np.array([FALSE]),
        store.pairs(AND, of(circuit.goal_literals), int(over[0])),
    ]
    graph = prune_by_level(store.graph(np.concatenate(outputs).astype(np.int64)))
    return replace(
        circuit,
        fluents=tuple(f"{what} {text}" for what in ("can", "not") for text in circuit.fluents),
        initial=np.concatenate([circuit.initial, ~circuit.initial]),
        graph=graph,
        # What is compiled is kept by this key, and must not outlive another version of this file.
        key=f"relaxed {graph.digest} {circuit.key}",
    )


def _brought_about(made: Int64s, legal: Int64s, kept: Int64s, store: GateStore) -> Int64s:
    """Return whether some move that can be made brings something about, or it could hold before.

    Args:
        made: literal of the store of what each move may make of each fluent; ``[N, M]``.
        legal: whether each move can be made; ``[M]``.
        kept: whether it could hold before; ``[N]``.
        store: where the gates are made.
    """
    # What leaves a fluent as it is adds nothing.
    row, move = np.nonzero((made != FALSE) & (made != kept[:, None]))
    literal = made[row, move]
    order = np.lexsort((literal, row))
    row, move, literal = row[order], move[order], literal[order]
    is_new = (row[1:] != row[:-1]) | (literal[1:] != literal[:-1])
    head = np.flatnonzero(np.append(True, is_new)) if len(row) else row
    some = store.make(OR, legal[move], np.append(head, len(row)))
    cause = store.pairs(AND, some, literal[head])
    count = np.bincount(row[head], minlength=len(kept))
    start = np.append(0, np.cumsum(count + 1))
    inputs = np.empty(int(start[-1]), np.int64)
    caused = np.zeros(len(inputs), np.bool_)
    caused[start[:-1]] = True
    inputs[caused], inputs[~caused] = kept, cause
    return store.make(OR, inputs, start)
