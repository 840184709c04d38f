"""``neurogame learn``: learn knowledge of a game's states and moves from thousands of games."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurogame.errors import ConfigurationError
from neurogame.evaluators.knowledge.config import KnowledgeConfig

if TYPE_CHECKING:
    from neurogame.evaluators.knowledge.knowledge import Knowledge
    from neurogame.learn.checkpoint import Checkpoint
    from neurogame.simulate.game import Game


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    names = ", ".join(
        f"{field.name}={field.default:g}" if _is_number(field) else f"{field.name}={field.default}"
        for field in dataclasses.fields(KnowledgeConfig)
    )
    parser.add_argument("rules", metavar="RULES", help="the game to learn")
    parser.add_argument(
        "--knowledge",
        default="",
        metavar="NAME=VALUE,...",
        help=f"settings, flags being on or off; with their defaults: {names}",
    )
    parser.add_argument(
        "--role",
        action="append",
        metavar="NAME",
        help="learn for this role only; may be given several times (default: all roles)",
    )
    parser.add_argument("--seed", type=int, default=0, help="same seed, same knowledge (0)")
    parser.add_argument(
        "--out", type=Path, help="the checkpoint to write (default: GAME-knowledge.pt)"
    )
    parser.add_argument(
        "--into",
        type=Path,
        metavar="CHECKPOINT",
        help="take all else from this checkpoint of the same game, such as its evaluator",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")


def run(options: argparse.Namespace) -> int:
    """Learn, save, and say how to play with it."""
    from neurogame.learn.checkpoint import load_checkpoint, save_checkpoint
    from neurogame.simulate.game import Game

    config = _config(options.knowledge)
    base = load_checkpoint(options.into) if options.into else None
    game = Game.load(options.rules)
    if base is not None:
        game = _own_game(game, base)
    path = options.out or Path(f"{game.name}-knowledge.pt")
    if not path.parent.is_dir():
        raise ConfigurationError(f"--out {path}: there is no folder {path.parent}; make it first")
    start = time.perf_counter()
    knowledge = _learn(game, config, options)
    seconds = time.perf_counter() - start
    digest = save_checkpoint(path, _checkpoint(game, knowledge, base, options.seed))
    summary = {
        "game": game.name,
        "games": int(knowledge.games),
        "seconds": round(seconds, 3),
        "seed": options.seed,
        "checkpoint": str(path),
        "hash": digest,
        "knowledge": config.as_dict(),
    }
    print(json.dumps(summary)) if options.json else _print(summary, options.rules)
    return 0


def _config(text: str) -> KnowledgeConfig:
    """Return the configuration that ``name=value`` pieces give."""
    from neurogame.search.option_texts import read_options

    texts: dict[str, str] = {}
    for piece in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not value or name in texts:
            raise ConfigurationError(
                f"--knowledge: found {piece!r}; write name=value, each name once"
            )
        texts[name] = value
    return KnowledgeConfig(**read_options(KnowledgeConfig, texts))


def _own_game(game: Game, base: Checkpoint) -> Game:
    """Return the game as a checkpoint has it; refuse another one."""
    from neurogame.learn.mapping import map_game

    own = base.game()
    map_game(own, game)
    return own


def _learn(game: Game, config: KnowledgeConfig, options: argparse.Namespace) -> Knowledge:
    """Learn with a progress bar over the games."""
    from tqdm import tqdm

    from neurogame.learn.knowledge import learn_knowledge

    with tqdm(
        total=config.games,
        desc=f"learn {game.name}",
        unit=" games",
        disable=options.quiet or options.json,
        file=sys.stderr,
    ) as bar:
        return learn_knowledge(game, config, options.seed, roles=options.role, progress=bar.update)


def _checkpoint(game: Game, knowledge: Knowledge, base: Checkpoint | None, seed: int) -> Checkpoint:
    """Return a checkpoint with the knowledge, and with all that another one holds."""
    from neurogame.gdl.signature import structural_signature
    from neurogame.gdl.write import rules_text
    from neurogame.learn.checkpoint import Checkpoint
    from neurogame.learn.judges import plain_judge

    stored = plain_judge(knowledge)
    if base is not None:
        judges = {**base.judges, "knowledge": stored}
        return dataclasses.replace(base, judges=judges, parent=base.hash)
    return Checkpoint(
        game_name=game.name,
        rules=rules_text(game.rules),
        signature=structural_signature(game.rules),
        roles=list(game.roles),
        fluents=list(game.fluents),
        moves=[list(moves) for moves in game.moves],
        judges={"knowledge": stored},
        random={"seed": seed},
        counters={"games": int(knowledge.games)},
    )


def _print(summary: dict[str, Any], rules: str) -> None:
    print(
        f"{summary['games']:,} games in {summary['seconds']:.1f} seconds; saved in "
        f"{summary['checkpoint']}"
    )
    player = f"mcts:{summary['checkpoint']},tree=knowledge,sims=1000"
    print("play against it:")
    print(f"  neurogame play {rules} --opponent {player}")


def _is_number(field: dataclasses.Field[Any]) -> bool:
    return isinstance(field.default, float)
