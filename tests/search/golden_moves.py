"""What searches answered at one time: moves, visits, values, lines, for the same seeds.

python -m tests.search.golden_moves            writes the file anew
python -m tests.search.golden_moves --compare  says what differs

A search that is written anew is to give the same answers, to the last bit, on every processor.
Networks therefore answer in rounded values: their sums end in other last bits on other
processors, and a last bit decides between moves that are alike.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.judges.moves import CompiledScores, MoveJudge
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.opposition import opposition
from neurogame.search.result import SearchResult
from neurogame.simulate.game import State
from tests.evaluators.rules_networks import network_of
from tests.kernels.leaves.judges import Guess
from tests.library import load as _game

FILE = Path(__file__).with_name("golden_moves.json")
GAMES = (
    "tictactoe",
    "connectfour5",
    "breakthrough6",
    "nim",
    "tictactoe3p",
    "rockpaperscissors",
    "bidding_tictactoe",
    "pursuit",
    "eightpuzzle",
)
SEED = 11
SIMULATIONS = 80
DIGITS = 6
QUICK = ("tictactoe", "connectfour5", "nim", "rockpaperscissors", "pursuit")
"""Games on which every kind of evaluator and judge answers."""
KINDS = ("cilp-paper", "random", "mlp", "fluxplayer", "rules-network")
"""Evaluators beside those that all searches are given."""
JUDGED: dict[str, dict[str, Any]] = {
    "action": {"tree": "action", "playout": "action", "lanes": 8},
    "knowledge": {"tree": "knowledge", "playout": "knowledge", "lanes": 8},
}
"""Settings of searches that are given a judge of moves as it is made, by its name."""
TREES: dict[str, dict[str, Any]] = {
    "plain": {},
    "lanes": {"lanes": 64},
    "secure": {"lanes": 16, "final": "secure"},
    "parent": {"urgency": "parent", "backup": "blend"},
    "no solver": {"solver": False, "final": "max"},
    "no graph": {"graph": False, "lanes": 3},
    "several playouts": {"playouts": 3, "lanes": 8},
    "mast": {"playout": "mast"},
    "gibbs": {"playout": "mast", "choice": "gibbs", "lanes": 16},
    "rave": {"tree": "rave"},
    "rave lanes": {"tree": "rave", "lanes": 32, "urgency": 0.6, "graph": False},
    "grave": {"tree": "grave", "ref": 20},
    "grave mast": {"tree": "grave", "ref": 7, "playout": "mast", "lanes": 16},
    "cutoff": {"cutoff": 3, "lanes": 16},
    "cutoff mast": {"cutoff": 2, "playout": "mast"},
    "bias": {"bias": 1.0, "minimax": 0.3},
    "bias lanes": {"bias": 2.0, "lanes": 16, "tree": "rave"},
    "action": {"tree": "action"},
    "knowledge": {"tree": "knowledge", "mix": "seed", "lanes": 16, "ripe": 3},
    "action playout": {"playout": "action", "lanes": 8, "blend": 0.5},
    "both": {"tree": "action", "playout": "knowledge", "minimax": 0.2, "lanes": 32},
    "small": {"capacity": 60, "lanes": 8},
    "two threads": {"threads": 2, "tree": "grave", "playout": "mast"},
}
"""Settings of Monte-Carlo tree search by name."""
SEARCHES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "depth 1": ({}, {"depth": 1}),
    "depth 2": ({}, {"depth": 2}),
    "depth 3": ({}, {"depth": 3, "nodes": 1000}),
    "nodes": ({}, {"nodes": 800}),
    "maxn": ({"opponents": "maxn"}, {"depth": 3, "nodes": 1000}),
    "paranoid": ({"opponents": "paranoid"}, {"depth": 3, "nodes": 1000}),
    "paranoid nodes": ({"opponents": "paranoid"}, {"nodes": 600}),
    "plain": (
        {"transpositions": False, "history": 0.0, "killers": 0.0, "aspiration": None},
        {"depth": 2},
    ),
    "margin": ({"outlook": "margin", "scout": False}, {"depth": 3}),
    "foresight": ({"foresight": True}, {"depth": 2}),
}
"""Settings and limits of alpha-beta by name; without foresight where they say nothing of it."""

Found = dict[str, Any]


class _Rounded(Evaluator):
    """The values of an evaluator in double precision, rounded to `DIGITS` digits."""

    def __init__(self, exact: Evaluator) -> None:
        super().__init__(exact.fluent_count, exact.role_count, {})
        self.exact = exact.double()
        # All searches of a game look at much the same states.
        self.known: dict[bytes, torch.Tensor] = {}

    def forward(self, fluents: torch.Tensor) -> torch.Tensor:
        keys = [row.tobytes() for row in fluents.numpy()]
        missing = {key: row for row, key in enumerate(keys) if key not in self.known}
        if missing:
            values = self.exact(fluents[list(missing.values())].double())
            rounded = torch.round(values, decimals=DIGITS).float()
            self.known.update(zip(missing, rounded, strict=True))
        return torch.stack([self.known[key] for key in keys])


@cache
def _evaluator(name: str, kind: str) -> Evaluator:
    game = _game(name)
    made = network_of(game) if kind == "rules-network" else make_evaluator(game, kind)
    return _Rounded(made)


class _RoundedJudge:
    """The scores of a judge of moves, rounded; only those of Python are asked."""

    def __init__(self, exact: MoveJudge) -> None:
        self.exact, self.scale = exact, exact.scale

    def compiled_scores(self) -> CompiledScores | None:
        return None

    def move_scores(self, fluents: Any, legal: Any, role: int) -> Any:
        return np.round(self.exact.move_scores(fluents, legal, role), 4)


@cache
def _judge(name: str, kind: str) -> MoveJudge:
    game = _game(name)
    if kind == "action":
        return _RoundedJudge(make_action_circuit(game))
    return _RoundedJudge(learn_knowledge(game, KnowledgeConfig(games=64), seed=2))


@cache
def _positions(name: str) -> tuple[State, ...]:
    """Return the first state of a game, and one in which something has happened."""
    state = _game(name).initial_state()
    found = [state]
    for ply in range(4):
        following = state.next([moves[(7 * ply + 3) % len(moves)] for moves in state.legal_moves])
        if following.is_terminal:
            break
        state = following
    return (*found, state)


def _role(state: State) -> int:
    """Return the first role with a choice."""
    deciders = [role for role, moves in enumerate(state.legal_moves) if len(moves) > 1]
    return deciders[0] if deciders else 0


def _told(result: SearchResult) -> Found:
    return {
        "move": result.move,
        "value": list(result.value),
        "proved": result.proved,
        "nodes": result.nodes,
        "depth": result.depth,
        "line": [list(joint) for joint in result.line],
        "scores": {str(move): score for move, score in sorted(result.scores.items())},
        "tries": {str(move): tries for move, tries in sorted(result.tries.items())},
    }


def _monte_carlo(
    name: str,
    changes: dict[str, Any],
    kind: str = "cilp",
    judges: Mapping[str, MoveJudge] | None = None,
) -> Iterator[Found]:
    """Yield what a search answers, one position after the other with the same tree."""
    settings, game = MctsSettings(**{"foresight": False, **changes}), _game(name)
    search = Mcts(
        game,
        settings=settings,
        evaluator=_evaluator(name, kind) if settings.needs_evaluator else None,
        judges=judges or {"action": Guess(game), "knowledge": Guess(game, seed=9)},
        seed=SEED,
    )
    # Evaluators of torch are slow, and asked for one state after the other.
    simulations = SIMULATIONS // 2 if settings.needs_evaluator else SIMULATIONS
    for state in _positions(name):
        yield _told(search.search(state, _role(state), Limit(simulations=simulations)))


def _alpha_beta(name: str, kind: str, own: str) -> Iterator[Found]:
    changes, limit = SEARCHES[own]
    search = AlphaBeta(
        _game(name),
        _evaluator(name, kind),
        settings=SearchSettings(**{"foresight": False, "reductions": 0.0, **changes}),
        seed=SEED,
    )
    relation = opposition(_game(name))
    doubtful = search.opponents == "paranoid" and not (
        len(_game(name).roles) == 1 or (len(_game(name).roles) == 2 and relation.constant_sum)
    )
    for state in _positions(name):
        found = _told(search.search(state, _role(state), Limit(**limit)))
        # Paranoid search where goals do not sum to a constant, or of more than two roles.
        yield {**found, "paranoid": True} if doubtful else found


def golden(name: str) -> Iterator[tuple[str, list[Found]]]:
    """Yield the name of each search of a game, and what it answers in each position.

    Args:
        name: of the game.
    """
    for own, changes in TREES.items():
        yield f"{name} / mcts / {own}", list(_monte_carlo(name, changes))
    for kind in ("cilp", "fuzzy") if name in QUICK else ("cilp",):
        for own in SEARCHES:
            yield f"{name} / alphabeta / {kind} / {own}", list(_alpha_beta(name, kind, own))
    if name in QUICK:
        yield from _kinds(name)


def _kinds(name: str) -> Iterator[tuple[str, list[Found]]]:
    """Yield what both searches answer with every other evaluator and judge."""
    for kind in KINDS:
        yield f"{name} / alphabeta / {kind}", list(_alpha_beta(name, kind, "depth 2"))
        settings = {"cutoff": 1, "bias": 1.0, "lanes": 16}
        yield f"{name} / mcts / {kind}", list(_monte_carlo(name, settings, kind))
    if name == "pursuit":
        return  # Judges of moves have much to look at there, and do it as in the other games.
    for judge, settings in JUDGED.items():
        answers = _monte_carlo(name, settings, judges={judge: _judge(name, judge)})
        yield f"{name} / mcts / judge {judge}", list(answers)


def main() -> None:
    """Write the file, or compare."""
    torch.set_num_threads(1)
    found = {key: value for name in GAMES for key, value in golden(name)}
    if "--compare" in sys.argv:
        known = json.loads(FILE.read_text())
        for key in sorted({*known, *found}):
            if known.get(key) != found.get(key):
                print(key)
        return
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
