"""``neurogame play``: a person against a player, in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from neurogame.arena.settings import ArenaSettings
from neurogame.chance import playing_roles
from neurogame.players.options import add_threads
from neurogame.setting_options import add_settings, chosen_settings

if TYPE_CHECKING:
    from neurogame.players.record import MatchRecord


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="a library game or a path")
    parser.add_argument(
        "--opponent",
        metavar="PLAYER",
        help="who plays all other roles, such as alphabeta:checkpoints/pentago.pt "
        "(default alphabeta:cilp; with --prover mcts)",
    )
    parser.add_argument("--role", help="the role you play (default: the first)")
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="opponent's time per move (default 1)"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides the opponent's choices")
    add_settings(parser, ArenaSettings, only=("prover",))
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """Play one match and say how it ended."""
    import torch

    from neurogame.errors import GameError
    from neurogame.players.human import HumanPlayer
    from neurogame.players.match import play_match
    from neurogame.players.player import Player
    from neurogame.players.players import make_player
    from neurogame.search.limit import Limit
    from neurogame.simulate.game import Game

    torch.set_num_threads(max(1, options.threads))
    game = Game.load(options.rules, **chosen_settings(options, ArenaSettings))
    opponent = options.opponent or ("alphabeta:cilp" if game.has_circuit else "mcts")
    human_role = game.players[0] if options.role is None else game.role_index(options.role)
    if human_role == game.chance:
        raise GameError(f"the role {game.roles[human_role]} is chance; nobody plays it")
    players: list[Player] = [
        HumanPlayer() if role == human_role else make_player(opponent, game, options.seed + role)
        for role in game.players
    ]
    record = play_match(game, players, Limit(seconds=options.seconds), options.seed)
    print(_farewell(record, human_role))
    return 0


def _farewell(record: MatchRecord, human_role: int) -> str:
    """Return how the match ended, for the person."""
    if record.ending == "abandoned":
        return f"You left after {record.length} moves."
    goals = ", ".join(
        f"{role} {goal:g}" for role, goal in zip(record.roles, record.goals, strict=True)
    )
    ending = "" if record.ending == "terminal" else f" ({record.ending})"
    lines = [f"The match is over after {record.length} moves{ending}. Goals: {goals}."]
    players = playing_roles(record.roles)
    if len(players) > 1 and record.ending == "terminal":
        others = [record.goals[role] for role in players if role != human_role]
        mine = record.goals[human_role]
        verdict = "You win." if mine > max(others) else "You lose."
        lines.append("A draw." if mine == max(others) else verdict)
    return " ".join(lines)
