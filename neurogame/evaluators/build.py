"""Makes evaluators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from neurogame.circuit.circuit import Circuit, HasCircuit
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.cilp_plain import PlainNetworks
from neurogame.evaluators.cilp_sound import SoundNetworks
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.fluxplayer import FluxplayerGoals
from neurogame.evaluators.fuzzy import FuzzyGoals
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.evaluators.mlp import PlainPerceptron
from neurogame.evaluators.origin import Origin
from neurogame.evaluators.proof_build import build_proof_graph
from neurogame.evaluators.wiring import Wiring, wire
from neurogame.simulate.game import Game, game_of


def make_evaluator(
    game: HasCircuit | str | Path, config: EvaluatorConfig | str | None = None, seed: int = 0
) -> Evaluator:
    """Return a fresh evaluator for a game.

    Args:
        game: the game, its name or path, or its circuit.
        config: what to make, or the kind alone, such as ``"fuzzy"``; the default is the sound
            C-IL2P evaluator.
        seed: decides every random weight.

    Raises:
        ConfigurationError: there is no such kind.
        LimitError: the networks do not fit into ``config.neurons`` neurons.
    """
    if isinstance(game, str | Path):
        game = game_of(game)
    if isinstance(config, str):
        config = EvaluatorConfig(kind=config)
    evaluator = _made(game, config or EvaluatorConfig(), seed)
    if isinstance(game, Game):
        evaluator.origin = Origin(game=game)
    return evaluator


def _made(game: HasCircuit, config: EvaluatorConfig, seed: int) -> Evaluator:
    """Return an evaluator that does not know where it comes from."""
    circuit = game.circuit
    if config.kind == "mlp":
        return PlainPerceptron(len(circuit.fluents), len(circuit.roles), config, seed)
    with_end = config.kind == "fluxplayer"
    proof = build_proof_graph(circuit, config.neurons, end=with_end)
    wiring = wire(proof, "game" if with_end else config.share, config.neurons)
    return _NETWORKS[config.kind](circuit, wiring, config, seed)


_NETWORKS: dict[str, Callable[[Circuit, Wiring, EvaluatorConfig, int], GoalNetworks]] = {
    "cilp": SoundNetworks,
    "cilp-paper": PlainNetworks,
    "random": PlainNetworks,
    "fuzzy": FuzzyGoals,
    "fluxplayer": FluxplayerGoals,
}
