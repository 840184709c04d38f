"""Games as environments of reinforcement-learning libraries, which are extras."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from neurogame.errors import MissingExtraError
from neurogame.simulate.game import Game, game_of

if TYPE_CHECKING:
    from neurogame.envs.lane_env import LaneEnv
    from neurogame.envs.one_role_env import OneRoleEnv
    from neurogame.envs.spiel import SpielBot, SpielGame
    from neurogame.envs.turns_env import TogetherEnv, TurnsEnv


def pettingzoo(
    game: Game | str | Path,
    *,
    parallel: bool = False,
    planes: bool = False,
    render_mode: str | None = None,
) -> TurnsEnv | TogetherEnv:
    """Return a game as an environment of PettingZoo.

    Args:
        game: the game, or its name or file.
        parallel: whether all roles move at the same time, as the rules have it; else they are
            asked one after the other, each who has a choice.
        planes: whether squares of the game's board are told as ``[planes, height, width]``; else
            all fluents are.
        render_mode: ``ansi`` or ``svg``.

    Raises:
        MissingExtraError: PettingZoo is not installed.
    """
    module = _module("turns_env", "pettingzoo")
    kind = module.TogetherEnv if parallel else module.TurnsEnv
    env: TurnsEnv | TogetherEnv = kind(game_of(game), planes=planes, render_mode=render_mode)
    return env


def gymnasium(
    game: Game | str | Path,
    role: str | None = None,
    opponent: str = "random",
    *,
    planes: bool = False,
    render_mode: str | None = None,
) -> OneRoleEnv:
    """Return one role of a game as an environment of Gymnasium.

    Args:
        game: the game, or its name or file.
        role: who learns; None: the first one.
        opponent: player string of all others, such as ``mcts:sims=100``.
        planes: see :func:`pettingzoo`.
        render_mode: ``ansi`` or ``svg``.

    Raises:
        MissingExtraError: Gymnasium is not installed.
    """
    env: OneRoleEnv = _module("one_role_env", "gymnasium").OneRoleEnv(
        game_of(game), role, opponent, planes=planes, render_mode=render_mode
    )
    return env


def vector(
    game: Game | str | Path, num_envs: int = 4096, role: str | None = None, *, planes: bool = False
) -> LaneEnv:
    """Return many games at once, in which the other roles move at random, for Gymnasium.

    Args:
        game: the game, or its name or file.
        num_envs: how many.
        role: who learns; None: the first one.
        planes: see :func:`pettingzoo`.

    Raises:
        MissingExtraError: Gymnasium is not installed.
    """
    env: LaneEnv = _module("lane_env", "gymnasium").LaneEnv(
        game_of(game), num_envs, role, planes=planes
    )
    return env


def openspiel(game: Game | str | Path) -> SpielGame:
    """Return a game as OpenSpiel knows games; from then on ``pyspiel.load_game`` has it, too.

    Args:
        game: the game, or its name or file; its name there is ``neurogame_NAME``.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
        GameError: another game of this name is there already.
    """
    made: SpielGame = _module("spiel", "pyspiel", "openspiel").spiel_game(game_of(game))
    return made


def openspiel_bot(
    player: str, game: Any, number: int, *, seed: int = 0, seconds: float | None = None
) -> SpielBot:
    """Return a player of the package as a bot of OpenSpiel.

    Args:
        player: player string, such as ``mcts:sims=1000``.
        game: of :func:`openspiel`, or OpenSpiel's own ``tic_tac_toe`` or ``connect_four``.
        number: of the player that it plays, from 0.
        seed: decides its choices.
        seconds: for a move; None: as long as the player string says.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
        GameError: it is a game that only OpenSpiel has.
    """
    bot: SpielBot = _module("spiel", "pyspiel", "openspiel").SpielBot(
        player, game, number, seed=seed, seconds=seconds
    )
    return bot


def _module(name: str, library: str, extra: str = "envs") -> ModuleType:
    try:
        import_module(library)
    except ImportError:
        raise MissingExtraError(
            f"{library} is not here: pip install 'neurogame[{extra}]'"
        ) from None
    return import_module(f"{__name__}.{name}")
