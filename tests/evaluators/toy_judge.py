"""A toy judge of moves: all of it in this file, as the guide ``add-a-judge`` says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.array_types import Bools, Float32s
from neurogame.evaluators.attribution import Attribution, Contribution
from neurogame.evaluators.kind import Learned, Lesson, MoveJudgeKind, Row, Wish
from neurogame.inspect.judges.rows import move_rows
from neurogame.judges.moves import LINEAR
from neurogame.settings import Settings, setting
from neurogame.simulate.game import Game, State


@final
@dataclass(frozen=True, kw_only=True)
class ToySettings(Settings):
    """How a toy learns."""

    games: int = setting(20, "random games to learn from; at least 1", least=1)


@final
class ToyJudge(nn.Module):
    """A move is worth what random games with it have ended with, on average.

    Args:
        game: the game.
    """

    kind = "toy"
    scale = LINEAR

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.offsets = game.move_offsets
        self.worth = nn.Parameter(torch.full((game.move_offsets[-1],), 0.5))
        self.asked = 0

    def describe(self) -> dict[str, Any]:
        """Return nothing: the game says all."""
        return {}

    def compiled_scores(self) -> None:
        """Return that there is no compiled form."""

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        """Return what the moves of a role are worth, in all states alike."""
        self.asked += 1
        own = self.worth[self.offsets[role] : self.offsets[role + 1]].detach().numpy()
        return np.repeat(own[None], len(fluents), axis=0)

    def learn(self, game: Game, seed: int) -> None:
        """Learn from one random game."""
        draw = np.random.default_rng(seed)
        state, made = game.initial_state(), []
        while not state.is_terminal:
            joint = [int(draw.choice(moves)) for moves in state.legal_moves]
            made += [(role, self.offsets[role] + move) for role, move in enumerate(joint)]
            state = state.next(joint)
        with torch.no_grad():
            for (role, move), times in Counter(made).items():
                self.worth[move].lerp_(torch.tensor((state.goals[role] or 0) / 100), 0.1 * times)


@final
class ToyKind(MoveJudgeKind[ToyJudge]):
    """All that the package has to know of toys."""

    name, about = "toy", "what random games with a move have ended with"
    settings = ToySettings
    options, options_of = ("games",), ToySettings
    is_from_rules = True

    def make(self, wish: Wish) -> ToyJudge:
        """Return a judge that has learned from as many games as are asked for, if any."""
        judge = ToyJudge(wish.game)
        for number in range(int(wish.options.get("games", 0))):
            judge.learn(wish.game, wish.seed + number)
        return judge

    def rebuild(
        self, game: Game, description: dict[str, Any], weights: Mapping[str, Tensor]
    ) -> ToyJudge:
        """Return the judge of a checkpoint."""
        return ToyJudge(game)

    def learn(self, lesson: Lesson) -> Learned:
        """Return a judge that has learned from random games."""
        config = ToySettings.from_texts(lesson.settings)
        judge, done = ToyJudge(lesson.game), lesson.begin(config.games, "games")
        for game in range(config.games):
            judge.learn(lesson.game, lesson.seed + game)
            done(1)
        return Learned(judge=judge, settings=config, counters={"games": config.games})

    def is_sum(self, judge: ToyJudge) -> bool:
        """Return that a score is a sum: of one number."""
        return True

    def explain(self, judge: ToyJudge, state: State, role: int, move: int) -> Attribution:
        """Return that a score is that of the move, whatever the state."""
        worth = float(judge.worth[judge.offsets[role] + move])
        part = Contribution(kind="move", label="its games", fluents=(), amount=worth)
        return Attribution(
            method="exact",
            unit="score",
            role=role,
            move=move,
            value=worth,
            total=worth,
            base=0.0,
            contributions=(part,),
            by_fluent=(0.0,) * len(state.fluents),
            gap=0.0,
        )

    def known(self, judge: ToyJudge, game: Game, top: int) -> Row:
        """Return the moves that are worth most and least."""
        rows = move_rows(game, judge.worth.tolist(), top)
        return {"sizes": {"moves": len(judge.worth)}, "moves": rows}


KIND = ToyKind()
