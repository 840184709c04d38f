"""The judges of moves that a player's settings ask for."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from neurogame.errors import LimitError
from neurogame.evaluators.kind import Wish
from neurogame.evaluators.kinds import move_kind
from neurogame.judges.moves import MoveJudge
from neurogame.search.mcts.settings import GATED_JUDGE, MctsSettings
from neurogame.simulate.game import Game

if TYPE_CHECKING:
    from neurogame.learn.checkpoints.checkpoint import Checkpoint


def make_judges(
    game: Game,
    settings: MctsSettings,
    checkpoint: Checkpoint | None = None,
    *,
    options: Mapping[str, str] | None = None,
    seed: int = 0,
    deadline: float | None = None,
) -> dict[str, MoveJudge]:
    """Return the judges that settings ask for, by name; gating may ask for the action heuristic.

    Those that the checkpoint holds are taken from there. The others are made here and now, as far
    as their kind can be.

    Args:
        game: the game.
        settings: of the search.
        checkpoint: of the game; None: there is none.
        options: how, as texts by name: those of the kinds' options that are not the default.
        seed: of the games that judges learn from.
        deadline: when learning has to end, as ``time.monotonic`` tells it, with as many games as
            it allows; gating gets no heuristic then that would take longer. None: all games are
            learned from, however long that takes.

    Raises:
        CheckpointError: the checkpoint is of another game; or nothing in it is asked for.
        PlayerError: a judge is asked for that is not made here, such as a policy.
        LimitError: there is no action heuristic for this game, and gating cannot do without.
    """
    wanted, options = settings.judges, options or {}
    if settings.is_gated and GATED_JUDGE not in wanted:
        wanted = (GATED_JUDGE, *wanted)
    if checkpoint is not None and not settings.needs_evaluator:
        held = [name for name in wanted if name in checkpoint.judges]
        if wanted and not held:
            checkpoint.judge(wanted[0], game)
    judges: dict[str, MoveJudge] = {}
    for name in wanted:
        kind = move_kind(name)
        wish = Wish(game=game, seed=seed, options=kind.given(options), deadline=deadline)
        if checkpoint is not None and name in checkpoint.judges:
            judges[name] = checkpoint.judge(name, game)
        elif name in settings.judges:
            judges[name] = kind.make(wish)
        else:
            # Gating can do without.
            with contextlib.suppress(LimitError):
                judges[name] = kind.make_in_time(wish)
    return judges
