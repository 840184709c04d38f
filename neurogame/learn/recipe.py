"""The recipe: settings of the lane learner that fit a game, from its structure and random play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.learn.lanes.config import LaneConfig
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out

_GAMES, _LONGEST, _FEW_GATES = 256, 1000, 70_000
_MEMORY = 256_000_000
"""Bytes for what is kept of all lanes' games."""
_MANY_FLUENTS, _MANY_MOVES = 300, 24
_FEW_UNITS, _MANY_UNITS, _MANY_CONDITIONS = 128, 256, 76
_FEATURES = 0.3
"""Share of hidden units that begin as features: with conditions of the rules, nearly all."""
_ROUND = 4096.0
"""Plies of a round in which goal networks play: less than a second."""
_RANDOM_MOVES = 3.0
"""Random moves in a game, about: enough to see other positions, too few to blur who wins."""


@final
@dataclass(frozen=True, kw_only=True)
class GameLengths:
    """How long random games are.

    Attributes:
        mean: plies.
        longest: plies of the longest one, at most 1000.
    """

    mean: float
    longest: int

    @property
    def reach(self) -> int:
        """Plies by which most random games are over: half more than they have on average."""
        return min(int(1.5 * self.mean), self.longest)


def random_lengths(game: Game) -> GameLengths:
    """Return how long 256 random games are, always the same ones."""
    # So few games are over before code for them is compiled.
    backend = "torch" if game.circuit.gate_count < _FEW_GATES else None
    played = play_out(game.simulator(), _GAMES, 0, _LONGEST, backend=backend)
    lengths = played.lengths.float()
    return GameLengths(mean=float(lengths.mean()), longest=int(lengths.max()))


def fitted(game: Game, given: Mapping[str, Any] | None = None, *, seed: int = 0) -> LaneConfig:
    """Return the settings of the lane learner for a game.

    Nothing in them depends on names.

    Args:
        game: the game.
        given: settings that are not to be chosen, by name; those of the rules network
            under ``network``, as a mapping of its own.
        seed: of the run.
    """
    given = dict(given or {})
    network = dict(given.pop("network", {}))
    if network.keys() & {"hidden", "lookups"}:
        # Who says how large a network is gets one of that size.
        given.setdefault("doublings", 0)
    lengths = random_lengths(game)
    fluents = int((game.structure.variable_of >= 0).sum())
    wide = max(len(moves) for moves in game.moves) > _MANY_MOVES
    plies = min(_LONGEST, max(16, int(1.5 * lengths.longest)))
    small = fluents <= _MANY_FLUENTS
    # Goals of more conditions than few units can hold: more units are worth their time.
    many = len(game.structure.conditions) > _MANY_CONDITIONS
    hidden = _MANY_UNITS if small and (many or not wide) else _FEW_UNITS
    chosen = RulesNetworkConfig(hidden=hidden, lookups=96, features=_FEATURES)
    words, roles = -(-len(game.fluents) // 64), len(game.roles)
    each = plies * (8 * words + 12 * roles + 8)
    if given.get("evaluator") is not None:
        given = {"lanes": _networks_lanes(lengths), "step_size": 0.02, "step_every": 512} | given
    config = LaneConfig(
        network=replace(chosen, **network),
        seed=seed,
        lanes=max(64, min(1024, _MEMORY // each)),
        plies=plies,
        epsilon=min(0.1, max(0.02, _RANDOM_MOVES / max(lengths.mean, 1.0))),
        openings=int(min(20, max(2, lengths.mean / 4))),
        # Where there are many moves, there are fewer games to learn from in a second.
        step_size=0.004 if wide else 0.008,
    )
    return replace(config, **given)


def _networks_lanes(lengths: GameLengths) -> int:
    """Return how many games goal networks play in a round, which ends with the longest of them."""
    return int(min(256, max(16, _ROUND // max(lengths.mean, 1.0))))


def fresh_rules_network(game: Game, config: LaneConfig) -> RulesNetwork:
    """Return the evaluator that a configuration names, before it has learned."""
    return make_rules_network(game, config.network, opposed=opposed(game), seed=config.seed)
