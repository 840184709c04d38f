"""``neurogame play``: a person against a player, in the terminal."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from neurogame.arena.settings import ArenaSettings
from neurogame.chance import playing_roles
from neurogame.errors import ConfigurationError
from neurogame.players.options import add_threads
from neurogame.setting_options import add_settings, chosen_settings

if TYPE_CHECKING:
    from neurogame.inspect.subject import Subject
    from neurogame.players.player import Player
    from neurogame.players.record import MatchRecord
    from neurogame.simulate.game import Game

_LEVELS = {"easy": 1.0, "normal": 1.0, "hard": 5.0}
"""Seconds that the opponent has for a move; an easy one makes few simulations instead."""
_EASY = "mcts:sims=30"
_LISTED = 6
"""Moves, and what speaks for one, that are told of an opponent's move."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="a library game or a path")
    parser.add_argument(
        "--opponent",
        metavar="PLAYER",
        help="who plays all other roles, such as alphabeta:checkpoints/pentago.pt (default: the "
        "best that is there: the trained player of this game that comes with neurogame, else "
        "auto, which learns for ten seconds; with --prover mcts)",
    )
    parser.add_argument("--level", choices=_LEVELS, help="how strong that one is (default normal)")
    parser.add_argument("--role", help="the role you play (default: the first)")
    parser.add_argument(
        "--seconds", type=float, help="opponent's time per move (default 1; with --level hard 5)"
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
    from neurogame.players.players import make_player
    from neurogame.search.limit import Limit
    from neurogame.simulate.game import Game

    if options.level and options.seconds is not None:
        raise ConfigurationError(
            f"--seconds {options.seconds:g}: not with --level {options.level}, which says how long "
            "the opponent thinks; leave one of the two out"
        )
    torch.set_num_threads(options.threads)
    game = Game.load(options.rules, **chosen_settings(options, ArenaSettings))
    human_role = game.players[0] if options.role is None else game.role_index(options.role)
    if human_role == game.chance:
        raise GameError(f"the role {game.roles[human_role]} is chance; nobody plays it")
    others = [role for role in game.players if role != human_role]
    opponent = _opponent(options, game) if others else ""
    made = {role: make_player(opponent, game, options.seed + role) for role in others}
    human = HumanPlayer(why=partial(_why, game, opponent, made))
    players: list[Player] = [made.get(role, human) for role in game.players]
    seconds = _LEVELS[options.level or "normal"] if options.seconds is None else options.seconds
    record = play_match(game, players, Limit(seconds=seconds), options.seed)
    print(_farewell(record, human_role))
    return 0


def _opponent(options: argparse.Namespace, game: Game) -> str:
    """Return the player string of the others, and say who they are if the person did not."""
    if options.opponent:
        if options.level:
            raise ConfigurationError(
                f"--level {options.level}: not with --opponent, whose player string says how "
                "strong it is, as in alphabeta:FILE,depth=1; leave one of the two out"
            )
        return str(options.opponent)
    trained = _trained(game) if game.has_circuit else None
    if options.level == "easy":
        player, why = _EASY if game.has_circuit else "mcts", "easy: it looks at little"
    elif trained is not None:
        player, why = f"alphabeta:{trained}", "trained for this game"
    elif game.has_circuit:
        player, why = "auto:prepare=10", "no player of this game comes trained; it learns for 10 s"
    else:
        player, why = "mcts", "plain search, by proofs"
    print(f"Your opponent: {player} ({why}). Levels: --level {', '.join(_LEVELS)}.", flush=True)
    return player


def _trained(game: Game) -> Path | None:
    """Return the checkpoint of a game that comes with neurogame, whatever the game's names."""
    from neurogame.errors import LimitError
    from neurogame.gdl.library import CHECKPOINTS, library_folder, shipped
    from neurogame.learn.checkpoints.folder import CheckpointFolder

    folder = CheckpointFolder(library_folder(CHECKPOINTS.name))
    folder.refresh(note=False)
    try:
        found = folder.find(game, holding="evaluator")
    except LimitError:  # Such rules cannot be recognised.
        return None
    if found is None:
        return None
    short = CHECKPOINTS / found.relative_to(folder.path)
    return short if shipped(short).resolve() == found.resolve() else found


def _why(game: Game, opponent: str, players: Mapping[int, Player]) -> str:
    """Return why the others moved as they did last: what they expect, and what speaks for it."""
    from neurogame.inspect.html.search import search_facts
    from neurogame.inspect.state_report import Question, state_parts, state_report
    from neurogame.inspect.table import Part, told
    from neurogame.players.player import last_search

    parts: list[Part] = []
    subject = _subject(opponent, game)
    for role, player in players.items():
        last = last_search(player)
        if last is None or last.state is None:
            continue
        state, move, name = last.state, game.moves[role][last.move], game.roles[role]
        parts += [f"{name} played {move}: it searched, and found", search_facts(last)]
        if subject is not None:
            held = " ".join(state.fluent_texts)
            report = state_report(subject, Question(state=held, role=name, move=move))
            parts += ["What its evaluator says one ply ahead:", *state_parts(report, _LISTED)[1:]]
    return told(parts) if parts else f"{opponent or 'nobody'} has no move to explain yet"


def _subject(opponent: str, game: Game) -> Subject | None:
    """Return what values states for a player, if it is a file or made from the rules alone."""
    from neurogame.inspect.subject import file_subject, fresh_subject
    from neurogame.players.spec import PlayerSpec

    spec = PlayerSpec.parse(opponent) if opponent else None
    if spec is None or not game.has_circuit or not spec.source:
        return None
    if spec.is_fresh:
        return fresh_subject(game, spec.source, 0)
    return file_subject(spec.source, game) if spec.path.is_file() else None


def _farewell(record: MatchRecord, human_role: int) -> str:
    """Return how the match ended, for the person."""
    moves = f"{record.length} move{'' if record.length == 1 else 's'}"
    if record.ending == "abandoned":
        return f"You left after {moves}."
    goals = ", ".join(
        f"{role} {goal:g}" for role, goal in zip(record.roles, record.goals, strict=True)
    )
    ending = "" if record.ending == "terminal" else f" ({record.ending})"
    lines = [f"The match is over after {moves}{ending}. Goals: {goals}."]
    players = playing_roles(record.roles)
    if len(players) > 1 and record.ending == "terminal":
        others = [record.goals[role] for role in players if role != human_role]
        mine = record.goals[human_role]
        verdict = "You win." if mine > max(others) else "You lose."
        lines.append("A draw." if mine == max(others) else verdict)
    return " ".join(lines)
