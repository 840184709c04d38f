"""``neurogame learn``: learn to judge moves, and save that in a checkpoint.

Each kind that learns by this command has an option of its name, see
:mod:`~neurogame.evaluators.kinds`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, final

from tqdm import tqdm

from neurogame.bars import bar_stream
from neurogame.errors import ConfigurationError
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.kind import Kind, Learned, Lesson
from neurogame.evaluators.kinds import learning_kinds
from neurogame.settings import Settings, named_texts, settings_of

if TYPE_CHECKING:
    from neurogame.learn.checkpoints.checkpoint import Checkpoint
    from neurogame.simulate.game import Game


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("rules", metavar="RULES", help="the game to learn")
    usual, *others = learning_kinds().values()
    parser.add_argument(
        f"--{usual.name}",
        default="",
        metavar="NAME=VALUE,...",
        help=f"learn {usual.about}; settings, flags being on or off, with their defaults: "
        f"{_defaults(usual)}",
    )
    for kind in others:
        parser.add_argument(
            f"--{kind.name}",
            dest=kind.name,
            nargs="?",
            const="",
            metavar="NAME=VALUE,...",
            help=f"learn {kind.about} instead; settings with their defaults: {_defaults(kind)}",
        )
    parser.add_argument(
        "--formulas",
        default="",
        metavar="NAME=VALUE,...",
        help=f"settings of the formulas of --action; with their defaults: {_listed(ActionConfig)}",
    )
    parser.add_argument(
        "--role",
        action="append",
        metavar="NAME",
        help="learn knowledge for this role only; may be given several times (default: all roles)",
    )
    parser.add_argument("--seed", type=int, default=0, help="same seed, same result (0)")
    parser.add_argument(
        "--out",
        type=Path,
        help="the checkpoint to write (default: GAME-JUDGE.pt, such as GAME-knowledge.pt)",
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
    from neurogame.files import check_output, writing
    from neurogame.learn.checkpoints.checkpoint import load_checkpoint, save_checkpoint
    from neurogame.simulate.game import Game

    kind = _wanted(options)
    name = kind.name
    base = load_checkpoint(options.into) if options.into else None
    game = Game.load(options.rules)
    if base is not None:
        game = _own_game(game, base)
    path = options.out or Path(f"{game.name}-{name}.pt")
    check_output("--out", path)
    bar = _Bar(game, options.quiet or options.json)
    lesson = Lesson(
        game=game,
        settings=named_texts(getattr(options, name), f"--{name}"),
        seed=options.seed,
        begin=bar.begin,
        roles=options.role,
        formulas=named_texts(options.formulas, "--formulas"),
    )
    start = time.perf_counter()
    with closing(bar):
        learned = kind.learn(lesson)
    seconds = time.perf_counter() - start
    held = _new(game, options.seed, learned) if base is None else replace(base, parent=base.hash)
    with writing(f"--out {path}"):
        digest = save_checkpoint(path, held.with_learned(kind, learned))
    summary = {
        "game": game.name,
        "judge": name,
        **learned.counters,
        **learned.facts,
        "seconds": round(seconds, 3),
        "seed": options.seed,
        "checkpoint": str(path),
        "hash": digest,
        name: learned.settings.to_json(),
    }
    if options.json:
        print(json.dumps(summary))
    else:
        _print(summary, learned, f"{options.rules} --opponent {kind.player(str(path))}")
    return 0


def _wanted(options: argparse.Namespace) -> Kind:
    """Return which kind is to learn.

    Raises:
        ConfigurationError: the options do not go together.
    """
    usual, *others = learning_kinds().values()
    named = [kind for kind in others if getattr(options, kind.name) is not None]
    kind = named[0] if named else usual
    if len(named) > 1 or (named and (getattr(options, usual.name) or options.role)):
        raise ConfigurationError(
            f"--{kind.name} does not go with --{usual.name}, --role and the like: one at a time"
        )
    if options.formulas and "formulas" not in kind.takes:
        raise ConfigurationError("--formulas is for --action; add that, or leave it out")
    return kind


def _own_game(game: Game, base: Checkpoint) -> Game:
    """Return the game as a checkpoint has it; refuse another one."""
    from neurogame.simulate.game_mapping import map_game

    home = base.game()
    map_game(home, game)
    return home


@final
class _Bar:
    """The progress of what is learned, which the kind begins."""

    def __init__(self, game: Game, quiet: bool) -> None:
        self._game, self._quiet = game, quiet
        self._bar: tqdm[NoReturn] | None = None

    def begin(self, total: int, unit: str) -> Callable[[int], None]:
        """Begin it; see :class:`~neurogame.evaluators.kind.Lesson`."""
        self._bar = bar = tqdm(
            total=total,
            desc=f"learn {self._game.name}",
            unit=f" {unit}",
            disable=self._quiet,
            file=bar_stream(),
        )

        def more(count: int) -> None:
            bar.update(count)

        return more

    def close(self) -> None:
        """End it."""
        if self._bar is not None:
            self._bar.close()


def _new(game: Game, seed: int, learned: Learned) -> Checkpoint:
    """Return a checkpoint that holds nothing yet but where its contents will be from."""
    from neurogame.learn.checkpoints.checkpoint import empty_checkpoint

    counters = dict(learned.counters)
    return replace(empty_checkpoint(game), random={"seed": seed}, counters=counters)


def _print(summary: dict[str, Any], learned: Learned, match: str) -> None:
    done = ", ".join(f"{number:,} {what}" for what, number in learned.counters.items())
    print(f"{done} in {summary['seconds']:.1f} seconds; saved in {summary['checkpoint']}")
    for line in learned.lines:
        print(f"  {line}")
    print("play against it:")
    print(f"  neurogame play {match}")


def _defaults(kind: Kind) -> str:
    """Return the settings by which a kind learns, with their defaults."""
    return _listed(kind.settings) if kind.settings else ""


def _listed(settings: type[Settings]) -> str:
    """Return settings with their defaults."""
    return ", ".join(f"{entry.spelling}={entry.default_text}" for entry in settings_of(settings))
