"""``neurogame auto``: what ``auto`` learns of a game, and which player it chooses, and why."""

from __future__ import annotations

import argparse
import json
import math

from neurogame.errors import ConfigurationError

_COLUMNS = ("expected", "trials", "believed", "better")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rules", metavar="RULES", help="a library game or a path")
    parser.add_argument(
        "--clock",
        default="30,4",
        metavar="START,PLAY",
        help="seconds before the match and for a move, of which players use nine tenths (30,4)",
    )
    parser.add_argument(
        "--player", default="auto", help="with options: auto, auto:checkpoints,threads=4, ..."
    )
    parser.add_argument("--seed", type=int, default=0, help="decides games and openings (0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> int:
    """Prepare a match that is not played, and print what is believed of each candidate."""
    import torch

    from neurogame.players.auto.auto_player import AutoPlayer
    from neurogame.players.match_settings import CLOCK_SHARE
    from neurogame.players.spec import PlayerSpec
    from neurogame.search.limit import Limit
    from neurogame.search.match_start import MatchStart
    from neurogame.simulate.game import Game

    try:
        start, play = (CLOCK_SHARE * float(text) for text in options.clock.split(","))
        if not (0 < start < math.inf and 0 < play < math.inf):
            raise ValueError
    except ValueError:
        raise ConfigurationError(
            f"--clock {options.clock}: two numbers of seconds above 0 are needed, as in 30,4"
        ) from None
    spec = PlayerSpec.parse(options.player)
    if spec.kind != "auto":
        raise ConfigurationError(f"--player {options.player}: it must be auto, with any options")
    limit, player = Limit(seconds=play), AutoPlayer(spec)
    torch.set_num_threads(1)
    game = Game.load(options.rules)
    player.start(MatchStart(game, game.players[0], options.seed, start, limit))
    player.stop()
    racers = () if player.choice is None else player.choice.racers
    cells = [dict(zip(_COLUMNS, racer.told(), strict=True)) for racer in racers]
    if options.json:
        rows = [{"name": racer.name, **row} for racer, row in zip(racers, cells, strict=True)]
        told = {"game": game.name, "learned_seconds": player.learned, "report": player.report}
        print(json.dumps({**told, "candidates": rows}))
        return 0
    width = max((len(racer.name) for racer in racers), default=9)
    print(f"{'candidate':{width}}  " + "  ".join(f"{name:>15}" for name in _COLUMNS))
    for racer, row in zip(racers, cells, strict=True):
        print(f"{racer.name:{width}}  " + "  ".join(f"{text:>15}" for text in row.values()))
    print(player.report)
    return 0
