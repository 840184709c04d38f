"""The configuration of an evaluator: what a checkpoint stores to build it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from neurogame.errors import ConfigurationError

KINDS = ("cilp", "cilp-paper", "random", "mlp", "fuzzy", "fluxplayer")
FRESH = {"random-net" if kind == "random" else kind: kind for kind in KINDS}
"""Fresh evaluators: the name in a player string -> the kind of evaluator."""

SHARES = ("auto", "network", "game")


@dataclass(frozen=True, kw_only=True)
class EvaluatorConfig:
    """Everything that makes one evaluator different from another, the seed apart.

    Attributes:
        kind: ``"cilp"``: C-IL2P in log space, logically sound and with full resolution;
            ``"cilp-paper"``: C-IL2P as published; ``"random"``: its neurons and edges with random
            weights; ``"mlp"``: a plain multi-layer perceptron; ``"fuzzy"``: the goal formulas
            in fuzzy logic, without weights; ``"fluxplayer"``: the goals and the end of the game
            under a threshold t-norm, without weights.
        weight: kind ``"cilp-paper"``: the absolute weight W of every edge, ``"eq4"`` for the sound
            weight of equation (4), or a positive number (the paper: 1).
        alpha: equation (5), in the open (0, 1); the paper: 0.2.
        beta: steepness of the activation, positive; the paper: 1.
        noise: kinds ``"cilp-paper"`` and ``"cilp"``: absolute weights grow by up to this much at
            random, at least 0. The paper adds "a small random float" against symmetry and does
            not say how much; neurons that read different fluents are not symmetric, hence 0.
        exponent: the p of equation (7), at least 1; the paper gives none. With 2 a win is four
            times as much as a draw of goal value 50.
        share: whether sub-formulas are shared by all networks of the game (``"game"``) or within
            each network only (``"network"``); ``"auto"``: the latter up to 100 000 edges.
        temperature: kind ``"cilp"``: how gently the log-odds of a network are squashed, in
            units of what one more satisfied literal changes them by; positive.
        detail: kind ``"cilp"``: how much of the gap between falsity and truth the soft (W = 1)
            reading of the same weights may use to tell states apart; 0 (none) up to below 1.
        train_readout: kind ``"cilp"``: whether training may change the squashing, too.
        hidden: kind ``"mlp"``: widths of the hidden layers; at least one, each at least 1.
        neurons: kinds with goal networks: how many neurons they may have in all; at least 1.
            Deeper parts of larger goals become inputs that logic computes.
        confidence: kind ``"fuzzy"``: truth of a fluent that holds, in the open (0.5, 1).
        flux_p: kind ``"fluxplayer"``: truth of a fluent that holds, in the open (0.5, 1).
        flux_t: kind ``"fluxplayer"``: least truth of a formula that holds; above 0.5, at most
            ``flux_p``.
        flux_q: kind ``"fluxplayer"``: order of the Yager t-norm, 1 to 100. At small orders a few
            literals that do not hold make a conjunction as false as can be, at large ones their
            number hardly counts.
    """

    kind: str = "cilp"
    weight: float | str = 1.0
    alpha: float = 0.2
    beta: float = 1.0
    noise: float = 0.0
    exponent: float = 2.0
    share: str = "auto"
    temperature: float = 1.0
    detail: float = 0.5
    train_readout: bool = True
    hidden: tuple[int, ...] = (64,)
    neurons: int = 200_000
    confidence: float = 0.9
    flux_p: float = 0.75
    flux_t: float = 0.6
    flux_q: float = 25.0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        _need(self.kind in KINDS, "kind", self.kind, f"one of {', '.join(KINDS)}")
        _need(self.share in SHARES, "share", self.share, f"one of {', '.join(SHARES)}")
        number = not isinstance(self.weight, str) and self.weight > 0
        _need(number or self.weight == "eq4", "weight", self.weight, "'eq4' or a positive number")
        _need(0 < self.alpha < 1, "alpha", self.alpha, "strictly between 0 and 1")
        _need(self.beta > 0, "beta", self.beta, "positive")
        _need(self.noise >= 0, "noise", self.noise, "at least 0")
        _need(self.exponent >= 1, "exponent", self.exponent, "at least 1")
        _need(self.temperature > 0, "temperature", self.temperature, "positive")
        _need(0 <= self.detail < 1, "detail", self.detail, "at least 0 and below 1")
        widths = len(self.hidden) > 0 and all(width >= 1 for width in self.hidden)
        _need(widths, "hidden", self.hidden, "one or more widths of at least 1")
        _need(self.neurons >= 1, "neurons", self.neurons, "at least 1")
        _need(0.5 < self.confidence < 1, "confidence", self.confidence, "between 0.5 and 1")
        _need(0.5 < self.flux_p < 1, "flux_p", self.flux_p, "between 0.5 and 1")
        above = f"above 0.5 and at most flux_p, {self.flux_p}"
        _need(0.5 < self.flux_t <= self.flux_p, "flux_t", self.flux_t, above)
        _need(1 <= self.flux_q <= 100, "flux_q", self.flux_q, "1 to 100")

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-able values."""
        return {**asdict(self), "hidden": list(self.hidden)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> EvaluatorConfig:
        """Return the configuration with the given fields.

        Args:
            values: field values by name, as from :meth:`as_dict`.

        Raises:
            ConfigurationError: a name is unknown or a value out of range.
        """
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ConfigurationError(
                f"unknown evaluator setting {', '.join(unknown)}; known are "
                f"{', '.join(sorted(known))}"
            )
        ready = dict(values)
        if "hidden" in ready:
            ready["hidden"] = tuple(int(width) for width in ready["hidden"])
        return cls(**ready)


def _need(condition: bool, name: str, found: object, allowed: str) -> None:
    if not condition:
        raise ConfigurationError(f"evaluator setting {name} is {found!r}; it must be {allowed}")
