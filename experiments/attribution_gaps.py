"""Do attributions add up? The largest error over many states, and the time that a state takes.

States of random games, what is shipped or made from the rules, and goal networks before learning::

    python experiments/attribution_gaps.py --states 1000 --gradient-states 20

Errors are in the unit of the attribution: natural logarithms of odds for patterns and features,
values 0..1 for goal networks, scores for judges of moves, which explain a random legal move each.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import torch
from tqdm import tqdm

from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.attribution import Attribution, Method
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.of_features import make_feature_evaluator
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.of_moves import attribute_move
from neurogame.inspect.move_values import EvaluatorOrJudge
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.simulate.game import Game, State

GAMES = (
    *("tictactoe", "connectfour", "breakthrough6", "qubic", "checkers6"),
    *("reversi6", "hex5", "loa5", "pentago", "knightthrough"),
)

Explain: TypeAlias = Callable[[State], Attribution]


def random_states(game: Game, count: int, seed: int) -> list[State]:
    """Return non-terminal states of random games, one in three plies."""
    chance, ply = random.Random(seed), 0
    found: list[State] = []
    state = game.initial_state()
    while len(found) < count:
        if state.is_terminal:
            state = game.initial_state()
        if ply % 3 == 0:
            found.append(state)
        state = state.next([chance.choice(own) for own in state.legal_moves])
        ply += 1
    return found


def of_state(evaluator: Evaluator, method: Method | None = None) -> Explain:
    """Return what takes the value of a state for the first role apart."""
    return lambda state: attribute(evaluator, state, 0, method=method)


def of_a_move(judge: EvaluatorOrJudge, seed: int) -> Explain:
    """Return what takes the score of a random move of a role with a choice apart."""
    chance = random.Random(seed)

    def explain(state: State) -> Attribution:
        role = max(range(len(state.legal_moves)), key=lambda own: len(state.legal_moves[own]))
        return attribute_move(judge, state, role, chance.choice(state.legal_moves[role]))

    return explain


def subjects(name: str, game: Game, folder: Path, seed: int) -> Iterator[tuple[str, Explain]]:
    """Yield what is taken apart by its name; judges of moves are made when they are asked for."""
    trained = load_checkpoint(folder / f"{name}.pt").evaluator(game)
    assert isinstance(trained, RulesNetwork)
    yield "patterns", of_state(trained)
    yield "features", of_state(make_feature_evaluator(game, seed))
    networks = make_evaluator(game, seed=seed)
    yield "C-IL2P, Shapley", of_state(networks, "shapley")
    yield "C-IL2P, gradients", of_state(networks, "gradients")
    knowledge = learn_knowledge(game, KnowledgeConfig(games=1000, hidden=8), seed=seed)
    yield "knowledge", of_a_move(knowledge, seed)
    yield "actions", of_a_move(make_action_circuit(game), seed)


def worst(explain: Explain, states: Sequence[State], what: str) -> tuple[float, float]:
    """Return the largest gap of attributions, and milliseconds per state."""
    explain(states[0])
    largest, begun = 0.0, time.perf_counter()
    for state in tqdm(states, desc=what, leave=False):
        largest = max(largest, abs(explain(state).gap))
    return largest, 1000 * (time.perf_counter() - begun) / len(states)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--gradient-states", type=int, default=20)
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for row, name in enumerate(options.games):
        game = Game.load(name)
        states = random_states(game, max(options.states, options.gradient_states), options.seed)
        some = states[:: max(len(states) // options.gradient_states, 1)]
        cells, heads = [], []
        for what, explain in subjects(name, game, options.checkpoints, options.seed):
            few = "gradients" in what
            own = some[: options.gradient_states] if few else states[: options.states]
            gap, milliseconds = worst(explain, own, f"{name}, {what}")
            heads.append(what)
            cells.append(f"{gap:.0e}, {milliseconds:.1f}")
        if not row:
            print(f"| game | {' | '.join(heads)} |")
            print("|---|" + "--:|" * len(heads))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
