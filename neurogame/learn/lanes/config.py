"""The configuration of learning by self-play in lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class LaneConfig(Settings):
    """How a rules network, or goal networks, play themselves, and learn."""

    SUBJECT = "learning: "

    network: RulesNetworkConfig = setting(RulesNetworkConfig(), "what learns, as it begins")
    evaluator: EvaluatorConfig | None = setting(
        None, "goal networks that learn; none: a rules network does"
    )
    seed: int = setting(0, "every random choice follows from this number", least=0, most=10**18)
    lanes: int = setting(1024, "games at once, on all cores together", least=1, most=65_536)
    cores: int = setting(
        1,
        "groups of lanes, each played and learned from by itself, on a processor core of this "
        "process or by workers, for whom 'train' makes 4; each number plays other games",
        least=1,
        most=64,
    )
    round_plies: int = setting(
        16,
        "plies of each lane after which the groups agree on weights; 128 where workers play",
        least=1,
        most=4096,
    )
    plies: int = setting(512, "a game is cut off after this many plies", least=2, most=65_536)
    lambda_: float = setting(0.7, "trace decay of TD(lambda)", least=0, most=1)
    epsilon: float = setting(0.1, "chance of a random move", least=0, most=1)
    openings: int = setting(
        8,
        "most random plies at the start of a game; how many is drawn for each",
        least=0,
        most=65_536,
    )
    # From steps of 10 on weights of goal networks become no numbers.
    table_rate: float = setting(
        0.02,
        "step size of pattern tables, before temporal coherence makes it smaller",
        least=0,
        most=1,
    )
    step_size: float = setting(0.008, "step size of Adam for everything else", least=0, most=1)
    doublings: int = setting(
        2,
        "how many times a run doubles the units and look-ups of a rules network as it goes on, at "
        "3 and 60 million plies; none where a number of units or look-ups is given",
        least=0,
        most=2,
    )
    pull: float = setting(
        0.0,
        "by how much each step of Adam draws weights of a rule unit that its condition does not "
        "name towards 0",
        least=0,
        most=1,
    )
    step_every: int = setting(2048, "positions of one step of Adam", least=1, most=10**12)
    memory: float = setting(
        8.0,
        "how many times shorter than the whole run the time is over which weights are averaged; "
        "0: over all of it",
        least=0,
    )
