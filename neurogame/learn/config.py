"""The configuration of a training run: every number that influences what is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.errors import ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class TrainConfig(Settings):
    """How matches are played, what is learned from them, and when results are measured.

    The text of each field, with unit and range, is its documentation and its command-line help.

    Raises:
        ConfigurationError: a field is out of its range.
    """

    REFUSED = "{option} must be {allowed}, found {value!r}"
    UNKNOWN = "unknown configuration key {names}; allowed are: {known}"

    evaluator: EvaluatorConfig = setting(EvaluatorConfig(), "what learns, before it has learned")
    matches: int | None = setting(
        None, "stop after this many matches of self-play in total", least=1
    )
    seconds: float | None = setting(
        None, "stop after this many seconds of training in total, at least one round", least=0
    )
    seed: int = setting(0, "every random choice follows from this number", least=0)
    depth: int = setting(
        2,
        "plies that both sides look ahead in training matches; at 1 nobody sees a threat, and "
        "above 2 matches are played one by one; the paper: 1",
        least=1,
    )
    opponent: str = setting(
        "self",
        "who plays the other roles: self, untrained (the fixed initial evaluator), a fixed fresh "
        "evaluator such as fuzzy, or a player string such as alphabeta:cilp,depth=2",
    )
    outlook: str = setting(
        "own",
        "what a role reads from a state's values, in games of two roles whose goals sum to 100: "
        "own value alone (the paper), or margin: (own + 1 - other) / 2; as in player strings",
        choices=("own", "margin"),
    )
    concurrent: int = setting(
        32, "matches played at the same time, before learning from them; the paper: 1", least=1
    )
    epsilon: float = setting(
        0.05, "chance of a random move instead of the best, per role and ply", least=0, most=1
    )
    random_plies: int = setting(
        4, "a match starts with a uniformly drawn number of random plies, up to this", least=0
    )
    max_plies: int = setting(
        1000, "a match is cut off, and has no outcome, after this many plies", least=1
    )
    target: str = setting(
        "td",
        "what to learn: outcome (the paper's discounted outcomes, equations 9 and 10) or "
        "td (true TD(lambda) with bootstrapping)",
        choices=("outcome", "td"),
    )
    lambda_: float = setting(0.8, "discount per ply (outcome) or trace decay (td)", least=0, most=1)
    minimum_share: float = setting(
        0.1,
        "least share of the states of a match that target outcome learns from, counted from the "
        "end; proved states are always used",
        least=0,
        most=1,
    )
    proofs: bool = setting(True, "replace targets by values that the search has proved")
    loss: str = setting(
        "squared",
        "error between output and target",
        choices=("squared", "cross-entropy"),
    )
    optimiser: str = setting("adam", "rule for the weight updates", choices=("adam", "sgd"))
    learning_rate: float = setting(0.001, "step size; the paper: 0.001, with sgd", least=0)
    winning_rate: float = setting(
        1.0,
        "share of the learning rate that is left after matches won against an opponent "
        "(win or learn fast); has no effect on self-play",
        least=0,
        most=1,
    )
    gradient_limit: float = setting(
        1.0, "a longer gradient is scaled down to this length; 0: no limit", least=0
    )
    buffer: int = setting(
        20000, "states kept for replay; 0: learn from the newest matches only", least=0
    )
    batch: int = setting(64, "largest number of states per update", least=1)
    updates: float = setting(
        1.0,
        "updates of the weights per match; without replay each is made with states of the newest "
        "matches",
        least=0,
    )
    evaluate_every: int = setting(
        500, "matches between two evaluations against the untrained evaluator; 0: never", least=0
    )
    evaluate_matches: int = setting(
        100, "matches of each such evaluation, roles swapped in turn", least=2
    )
    checkpoint_every: int = setting(
        2000, "matches between two kept checkpoint files; 0: only the latest and best", least=0
    )

    threads: int = setting(
        1, "torch threads; more pay off for large games only, and change the last bits", least=1
    )

    def check(self) -> None:
        """Refuse to learn from nothing."""
        if self.minimum_share == 0 and self.target == "outcome" and not self.proofs:
            raise ConfigurationError(
                "minimum-share 0 without proofs leaves nothing to learn from; use a share above 0"
            )
