"""The options of a player string that are the player's own, neither its limit nor its search's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.evaluators.kinds import move_kinds
from neurogame.settings import Settings, setting

_OWN = {
    "alphabeta": ("noise", "device", "refine", "learn"),
    "mcts": ("noise", "device", "refine", "gate", "learn"),
    "heuristic": (),
    "solve": (),
    "auto": ("prepare", "threads", "self_play"),
}


def own_names(player: str) -> tuple[str, ...]:
    """Return the own options of a kind of player; a tree search has those of its judges, too."""
    judged = move_kinds().values() if player == "mcts" else ()
    options = [name for kind in judged for name in kind.options]
    return (*_OWN.get(player, ()), *dict.fromkeys(options))


@final
@dataclass(frozen=True, kw_only=True)
class OwnOptions(Settings):
    """What players do beside searching; :func:`own_names` says which player has which of these."""

    noise: float = setting(
        0.0,
        "fresh cilp and cilp-paper evaluators: weights grow by up to this much at random, anew "
        "for every match",
        least=0,
    )
    device: str = setting("cpu", "of the evaluator: cpu, cuda, ...")
    refine: float = setting(
        0.0,
        "seconds of self-play, before the first match, by which an evaluator is refined; in a "
        "start clock no more than fits. Refined weights that are not better are dropped.",
        least=0,
    )
    gate: float = setting(
        60.0,
        "MCTS with tree=gated or playout=gated, or with an evaluator of which nothing says what "
        "it is for: seconds that trials may take before the first match",
        least=0,
    )
    prepare: float = setting(
        30.0, "auto: seconds for the choice where nobody says how long a start may take", least=0.01
    )
    threads: int = setting(
        1, "auto: trees that a tree search grows side by side in the match", least=1
    )
    self_play: bool = setting(
        True,
        "auto: whether it learns by self-play, in a part of its start and while others think, "
        "where no checkpoint of the game is given",
    )
    learn: str = setting(
        "",
        "a checkpoint into which the player goes on learning, after each match, from its own and "
        "the others' moves; it is made if it is not there, and else it, not SOURCE, has the "
        "evaluator to play with",
    )
