"""The judges of moves that a player's settings ask for."""

from __future__ import annotations

import contextlib
import time
from functools import partial
from typing import TYPE_CHECKING

from neurogame.errors import LimitError, PlayerError
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.kernels.leaves.move_scores import MoveJudge
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game

if TYPE_CHECKING:
    from neurogame.learn.checkpoints.checkpoint import Checkpoint

_GATE_SECONDS = 5e-5
"""Seconds that a gate of the game may add to the making of its action heuristic."""


def make_judges(
    game: Game,
    settings: MctsSettings,
    checkpoint: Checkpoint | None = None,
    *,
    learning: KnowledgeConfig | None = None,
    formulas: ActionConfig | None = None,
    seed: int = 0,
    deadline: float | None = None,
) -> dict[str, MoveJudge]:
    """Return the judges that settings ask for, by name; gating may ask for the action heuristic.

    Those that the checkpoint holds are taken from there. Of the others the action heuristic is
    made from the rules, and knowledge is learned, here and now; a policy is not.

    Args:
        game: the game.
        settings: of the search.
        checkpoint: of the game; None: there is none.
        learning: how knowledge is learned; None: from 5000 random games.
        formulas: of the action heuristic; None: those of the paper.
        seed: of these games.
        deadline: when learning has to end, as ``time.monotonic`` tells it, with as many games as
            it allows; gating gets no heuristic then that would take longer. None: all games are
            learned from, however long that takes.

    Raises:
        CheckpointError: the checkpoint is of another game; or nothing in it is asked for.
        PlayerError: a policy is asked for, and there is none.
        LimitError: there is no action heuristic for this game, and gating cannot do without.
    """
    wanted = settings.judges
    if settings.is_gated and "action" not in wanted:
        wanted = ("action", *wanted)
    if checkpoint is not None and not settings.needs_evaluator:
        held = [name for name in wanted if name in checkpoint.judges]
        if wanted and not held:
            checkpoint.judge(wanted[0], game)
    found: dict[str, MoveJudge] = {}
    for name in wanted:
        if checkpoint is not None and name in checkpoint.judges:
            found[name] = checkpoint.judge(name, game)
        elif name == "policy":
            raise PlayerError(
                f"{game.name}: tree=policy needs a checkpoint that holds a policy; "
                "`neurogame learn RULES --policy --into CHECKPOINT` makes one"
            )
        elif name == "knowledge":
            found[name] = _learned(game, learning or KnowledgeConfig(), seed, deadline)
        elif name in settings.judges:
            found[name] = _regressed(game, formulas)
        else:
            # Gating can do without.
            with contextlib.suppress(LimitError):
                make = _regressed if deadline is None else partial(_timely, deadline=deadline)
                found[name] = make(game, formulas)
    return found


def _regressed(game: Game, formulas: ActionConfig | None) -> MoveJudge:
    # Imported here, as in the following: who needs one judge does not need the other.
    from neurogame.evaluators.actions.build import make_action_circuit

    return make_action_circuit(game, formulas)


def _timely(game: Game, formulas: ActionConfig | None, *, deadline: float) -> MoveJudge:
    """Return the action heuristic if it can be made in time.

    Raises:
        LimitError: it cannot, judged by the first step and the size of the game.
    """
    from neurogame.analysis.analyse import analyse
    from neurogame.evaluators.actions.build import make_action_circuit

    begun = time.monotonic()
    analysis = analyse(game.circuit)
    now = time.monotonic()
    if now + (now - begun) + _GATE_SECONDS * game.circuit.gate_count > deadline:
        raise LimitError(f"{game.name}: there is no time to make the action heuristic")
    return make_action_circuit(game, formulas, analysis=analysis)


def _learned(game: Game, learning: KnowledgeConfig, seed: int, deadline: float | None) -> MoveJudge:
    from neurogame.learn.knowledge.learning import learn_knowledge
    from neurogame.learn.knowledge.timed import learn_knowledge_until

    if deadline is None:
        return learn_knowledge(game, learning, seed)
    return learn_knowledge_until(game, learning, seed, deadline)
