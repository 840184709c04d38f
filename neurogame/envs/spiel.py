"""Games for OpenSpiel, and players of the package as its bots.

*Reference:* Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from neurogame.analysis.analyse import GameAnalysis, analyse
from neurogame.envs.observation import check_not_stuck, reward_of
from neurogame.errors import GameError
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State
from neurogame.simulate.play_out import MAX_PLIES

_THEIRS: dict[str, tuple[str, Callable[[int], str]]] = {
    "tic_tac_toe": ("tictactoe", lambda action: f"(mark {action // 3 + 1} {action % 3 + 1})"),
    "connect_four": ("connectfour", lambda action: f"(drop {action + 1})"),
}
"""Games that both have: ours, and the move that an action of theirs is."""
_REGISTERED: dict[str, SpielGame] = {}


@final
@dataclass(frozen=True)
class _Here:
    """Where a game has come to; copies of a state share it.

    Attributes:
        state: of our game.
        moves: chosen already, while chance is to draw: role -> move.
        plies: made before.
    """

    state: State
    moves: dict[int, int]
    plies: int

    def __deepcopy__(self, memo: object) -> _Here:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        held = self.state.fluent_texts
        return _restored, (self.state.game.name, held, self.moves, self.plies)

    @property
    def is_over(self) -> bool:
        """Whether it is, or was cut off."""
        return self.state.is_terminal or self.plies >= MAX_PLIES

    @property
    def deciders(self) -> list[int]:
        """Roles that are to choose now: players with a choice, then chance."""
        legal, game = self.state.legal_moves, self.state.game
        found = [role for role in game.players if len(legal[role]) > 1]
        if self.moves or not found:
            return [role for role in (game.chance,) if role is not None and len(legal[role]) > 1]
        return found

    def after(self, moves: dict[int, int]) -> _Here:
        """Return where some choices lead to: to chance, or on until somebody chooses."""
        here = _Here(self.state, {**self.moves, **moves}, self.plies)
        chance = here.state.game.chance
        while not here.is_over:
            legal = here.state.legal_moves
            check_not_stuck(here.state)
            open_ = [role for role in here.deciders if role not in here.moves]
            if open_ and (chance in open_ or not here.moves):
                return here
            joint = [here.moves.get(role, options[0]) for role, options in enumerate(legal)]
            here = _Here(here.state.next(joint), {}, here.plies + 1)
        return here


def _restored(name: str, held: Sequence[str], moves: dict[int, int], plies: int) -> _Here:
    """Return where a registered game had come to that was written down."""
    return _Here(_REGISTERED[name].played.state(held), moves, plies)


@final
class SpielGame(pyspiel.Game):
    """A game as OpenSpiel knows it, by the name ``neurogame_NAME``.

    Its actions are each role's moves by number. Roles that have a single move are not asked, and
    chance is not a player. Where several players choose at once the node is simultaneous. Returns
    go from -1 for a goal of 0 to 1 for a goal of 100. Games are cut after 1000 plies.

    Attributes:
        played: the game.
    """

    def __init__(self, game: Game, found: GameAnalysis, params: dict[str, Any] | None) -> None:
        """Take a game and what is known of it; see :func:`neurogame.envs.openspiel`."""
        players = len(game.players)
        kind, total = pyspiel.GameType, found.goal_sum
        known = total is not None and found.constant_sum.holds and game.chance is None
        total_utility = total / 50 - players if known and total is not None else None
        in_turns = found.turn_taking.holds
        utility = kind.Utility.CONSTANT_SUM if known else kind.Utility.GENERAL_SUM
        draws = kind.ChanceMode
        chance = 0 if game.chance is None else len(game.moves[game.chance])
        self.type = kind(
            short_name=f"neurogame_{game.name}",
            long_name=f"{game.name}, by neurogame",
            dynamics=kind.Dynamics.SEQUENTIAL if in_turns else kind.Dynamics.SIMULTANEOUS,
            chance_mode=draws.EXPLICIT_STOCHASTIC if chance else draws.DETERMINISTIC,
            information=kind.Information.PERFECT_INFORMATION,
            utility=kind.Utility.ZERO_SUM if total_utility == 0 else utility,
            reward_model=kind.RewardModel.TERMINAL,
            max_num_players=players,
            min_num_players=players,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification={},
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=max(len(game.moves[role]) for role in game.players),
            max_chance_outcomes=chance,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=total_utility,
            max_game_length=min(found.most_plies or MAX_PLIES, MAX_PLIES),
        )
        super().__init__(self.type, info, params or {})
        self.played = game

    def new_initial_state(self) -> SpielState:
        """Return the first state in which somebody has a choice."""
        return SpielState(self)

    def make_py_observer(self, kind: Any = None, params: dict[str, Any] | None = None) -> Any:
        """Return what tells a state: its fluents, or the moves made."""
        if kind is None or (kind.public_info and not kind.perfect_recall):
            return FluentObserver(self.played)
        return IIGObserverForPublicInfoGame(kind, params)


@final
class SpielState(pyspiel.State):
    """A state of a :class:`SpielGame`; ``state.here.state`` is ours."""

    def __init__(self, game: SpielGame) -> None:
        """Begin."""
        super().__init__(game)
        self.here = _Here(game.played.initial_state(), {}, 0).after({})

    @property
    def _game(self) -> Game:
        return self.here.state.game

    def current_player(self) -> int:
        """Return who is to choose: a player, chance, all of them, or nobody at the end."""
        if self.here.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        role, *others = self.here.deciders
        if others:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        chance = int(pyspiel.PlayerId.CHANCE)
        return chance if role == self._game.chance else self._game.players.index(role)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.here.state.legal_moves[self._role(player)])

    def _role(self, player: int) -> int:
        return self.here.deciders[0] if player < 0 else self._game.players[player]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the moves of chance, all equally likely."""
        moves = self._legal_actions(pyspiel.PlayerId.CHANCE)
        return [(move, 1 / len(moves)) for move in moves]

    def _apply_action(self, action: int) -> None:
        self.here = self.here.after({self.here.deciders[0]: action})

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.here = self.here.after(dict(zip(self._game.players, actions, strict=True)))

    def _action_to_string(self, player: int, action: int) -> str:
        chance = self._game.chance
        role = chance if player < 0 and chance is not None else self._role(player)
        return f"{self._game.roles[role]} {self._game.moves[role][action]}"

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.here.is_over

    def returns(self) -> list[float]:
        """Return what the end is worth to each player, -1..1; before it 0."""
        if not self.here.is_over:
            return [0.0] * len(self._game.players)
        return [reward_of(self.here.state.goals[role]) for role in self._game.players]

    def __str__(self) -> str:
        return str(self.here.state)


@final
class FluentObserver:
    """Tells which fluents hold, the same to all players.

    Attributes:
        tensor: float32 ``[F]``.
        dict: the same by its name.
    """

    def __init__(self, game: Game) -> None:
        """Make room for what is told."""
        self.tensor = np.zeros(len(game.fluents), np.float32)
        self.dict = {"fluents": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Tell a state."""
        self.tensor[:] = state.here.state.fluents.numpy()

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the state as text."""
        return str(state)


@final
class SpielBot(pyspiel.Bot):
    """A player of the package, in our games and in those of OpenSpiel that both have."""

    def __init__(
        self, player: str, game: Any, number: int, *, seed: int = 0, seconds: float | None = None
    ) -> None:
        """Take a player; see :func:`neurogame.envs.openspiel_bot`."""
        super().__init__()
        name = game.get_type().short_name
        if not isinstance(game, SpielGame) and name not in _THEIRS:
            raise GameError(
                f"{name} is not a game that both have; take one of {', '.join(_THEIRS)}, or ours "
                "by neurogame.envs.openspiel(game)"
            )
        self._played = game.played if isinstance(game, SpielGame) else Game.load(_THEIRS[name][0])
        self._name, self._seed, self._limit = name, seed, Limit(seconds=seconds)
        self._role = self._played.players[number]
        self._player = make_player(player, self._played, seed)
        self.restart()

    def restart(self) -> None:
        """Begin another match."""
        self._player.stop()
        self._player.start(MatchStart(self._played, self._role, self._seed, None, self._limit))

    def restart_at(self, state: Any) -> None:
        """Begin another match at a state."""
        self.restart()

    def step(self, state: Any) -> int:
        """Return the action of the player."""
        if isinstance(state, SpielState):
            return self._player.choose(state.here.state, self._limit)
        move_of, ours = _THEIRS[self._name][1], self._played.initial_state()
        for turn, action in enumerate(state.history()):
            joint = ["noop"] * 2
            joint[turn % 2] = move_of(action)
            ours = ours.next(joint)
        chosen = self._played.moves[self._role][self._player.choose(ours, self._limit)]
        actions: list[int] = state.legal_actions()
        return next(action for action in actions if move_of(action) == chosen)


def spiel_game(game: Game) -> SpielGame:
    """Return a game as OpenSpiel knows it, and register its name.

    Raises:
        GameError: another game of this name is registered.
    """
    name = game.name
    if name not in _REGISTERED:
        found = analyse(game.circuit)

        def create(params: dict[str, Any] | None = None) -> SpielGame:
            return SpielGame(game, found, params)

        # OpenSpiel lets go of it after Python has ended, when nothing may be freed any more.
        create.__dict__["itself"] = create
        _REGISTERED[name] = create()
        pyspiel.register_game(_REGISTERED[name].type, create)
    if _REGISTERED[name].played.rules != game.rules:
        raise GameError(
            f"neurogame_{name} is registered with other rules; name the file differently"
        )
    return _REGISTERED[name]
