"""The configuration of an evaluator: what a checkpoint stores to build it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.settings import Settings, setting

KINDS = ("cilp", "cilp-paper", "random", "mlp", "fuzzy", "fluxplayer")
SHARES = ("auto", "network", "game")


@final
@dataclass(frozen=True, kw_only=True)
class EvaluatorConfig(Settings):
    """Everything that makes one evaluator different from another, the seed apart."""

    SUBJECT = "evaluator: "

    kind: str = setting(
        "cilp",
        "cilp: C-IL2P in log space, logically sound and with full resolution; cilp-paper: C-IL2P "
        "as published; random: its neurons and edges with random weights; mlp: a plain "
        "multi-layer perceptron; fuzzy: the goal formulas in fuzzy logic, without weights; "
        "fluxplayer: the goals and the end of the game under a threshold t-norm, without weights",
        choices=KINDS,
    )
    weight: float | str = setting(
        1.0,
        "kind cilp-paper: the absolute weight W of every edge, eq4 for the sound weight of "
        "equation (4), or a positive number (the paper: 1)",
        above=0,
        choices=("eq4",),
    )
    alpha: float = setting(
        0.2,
        "kinds cilp and cilp-paper: where the truth threshold of equation (5) lies between 1 (at "
        "0) and its least value (at 1); the paper: 0.2",
        above=0,
        below=1,
    )
    beta: float = setting(1.0, "steepness of the activation; the paper: 1", above=0)
    noise: float = setting(
        0.0,
        "kinds cilp-paper and cilp: absolute weights grow by up to this much at random. The paper "
        "adds a small random float against symmetry and does not say how much; neurons that read "
        "different fluents are not symmetric, hence 0.",
        least=0,
    )
    exponent: float = setting(
        2.0,
        "kinds with goal networks: the p of equation (7), by which high goals outweigh low ones. "
        "With 2, the paper names none, a win is four times as much as a draw of goal value 50.",
        least=1,
    )
    share: str = setting(
        "auto",
        "whether sub-formulas are shared by all networks of the game (game) or within each "
        "network only (network); auto: the latter up to 100 000 edges",
        choices=SHARES,
    )
    temperature: float = setting(
        1.0,
        "kind cilp: how gently the log-odds of a network are squashed, in units of what one more "
        "satisfied literal changes them by",
        above=0,
    )
    detail: float = setting(
        0.5,
        "kind cilp: how much of the gap between falsity and truth the soft (W = 1) reading of the "
        "same weights may use to tell states apart; 0: none",
        least=0,
        below=1,
    )
    train_readout: bool = setting(True, "kind cilp: whether training may change the squashing, too")
    hidden: tuple[int, ...] = setting(
        (64,), "kind mlp: widths of the hidden layers, at least one", least=1, some=True
    )
    neurons: int = setting(
        200_000,
        "kinds with goal networks: how many neurons they may have in all. Deeper parts of larger "
        "goals become inputs that logic computes.",
        least=1,
        most=100_000_000,
    )
    confidence: float = setting(0.9, "kind fuzzy: truth of a fluent that holds", above=0.5, below=1)
    flux_p: float = setting(
        0.75, "kind fluxplayer: truth of a fluent that holds", above=0.5, below=1
    )
    flux_t: float = setting(
        0.6, "kind fluxplayer: least truth of a formula that holds, at most flux_p", above=0.5
    )
    flux_q: float = setting(
        25.0,
        "kind fluxplayer: order of the Yager t-norm. At small orders a few literals that do not "
        "hold make a conjunction as false as can be, at large ones their number hardly counts.",
        least=1,
        most=100,
    )

    def check(self) -> None:
        """Refuse a threshold above the truth of what holds."""
        if self.flux_t > self.flux_p:
            raise self.refused("flux_t", f"above 0.5 and at most flux_p, {self.flux_p}")
