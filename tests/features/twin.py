"""Features once more, slowly: one state after the other, from their definition."""

from __future__ import annotations

import numpy as np

from neurogame.features.feature import Feature
from neurogame.simulate.game import Game, State


def value(feature: Feature, game: Game, state: State) -> float:
    """Return a feature of a state."""
    held = set(state.fluents.nonzero().view(-1).tolist())
    total = sum(float(feature.fluents[fluent]) for fluent in held)
    for role, legal in enumerate(state.legal_moves):
        first = int(game.circuit.move_offsets[role])
        total += sum(float(feature.moves[first + move]) for move in legal)
    for weight, goal in zip(feature.goals.tolist(), state.goals, strict=True):
        total += weight * (goal or 0.0) / 100
    tables = feature.lookups
    if tables is not None:
        rows = tables.first.tolist()
        for fluent, lookup, addend in zip(tables.fluent, tables.lookup, tables.addend, strict=True):
            rows[lookup] += int(addend) if int(fluent) in held else 0
        total += sum(float(tables.values[row]) for row in rows)
    return total


def walked(game: Game, seed: int, games: int) -> list[list[State]]:
    """Return the states of random games, the last ones too."""
    random, found = np.random.default_rng(seed), []
    for _ in range(games):
        states = [game.initial_state()]
        while not states[-1].is_terminal:
            moves = [int(random.choice(legal)) for legal in states[-1].legal_moves]
            states.append(states[-1].next(moves))
        found.append(states)
    return found
