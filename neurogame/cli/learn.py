"""``neurogame learn``: learn to judge moves, and save that in a checkpoint.

Knowledge of states and moves comes from thousands of games; an action heuristic is trained to
foresee what a tree search will choose; a policy learns to foresee what a trained evaluator chooses.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tqdm import tqdm

from neurogame.bars import bar_stream
from neurogame.errors import ConfigurationError
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.learn.actions.config import ActionTrainingConfig
from neurogame.learn.policy.config import PolicyConfig
from neurogame.settings import Settings, settings_of

if TYPE_CHECKING:
    from neurogame.learn.checkpoints.checkpoint import Checkpoint
    from neurogame.learn.judges import StoredJudge
    from neurogame.simulate.game import Game


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("rules", metavar="RULES", help="the game to learn")
    parser.add_argument(
        "--knowledge",
        default="",
        metavar="NAME=VALUE,...",
        help="settings of knowledge, flags being on or off; with their defaults: "
        f"{_defaults(KnowledgeConfig)}",
    )
    parser.add_argument(
        "--action",
        nargs="?",
        const="",
        metavar="NAME=VALUE,...",
        help="train the action heuristic instead, with these settings; with their defaults: "
        f"{_defaults(ActionTrainingConfig)}",
    )
    parser.add_argument(
        "--policy",
        nargs="?",
        const="",
        metavar="NAME=VALUE,...",
        help="learn a policy from the evaluator of the checkpoint that --into names instead, with "
        f"these settings; with their defaults: {_defaults(PolicyConfig)}",
    )
    parser.add_argument(
        "--formulas",
        default="",
        metavar="NAME=VALUE,...",
        help="settings of the formulas of --action; with their defaults: "
        f"{_defaults(ActionConfig)}",
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
    from neurogame.learn.checkpoints.checkpoint import load_checkpoint, save_checkpoint
    from neurogame.simulate.game import Game

    name = _wanted(options)
    kind, learn = _KINDS[name]
    config = _config(kind, f"--{name}", getattr(options, name))
    base = load_checkpoint(options.into) if options.into else None
    game = Game.load(options.rules)
    if base is not None:
        game = _own_game(game, base)
    path = options.out or Path(f"{game.name}-{name}.pt")
    if not path.parent.is_dir():
        raise ConfigurationError(f"--out {path}: there is no folder {path.parent}; make it first")
    start = time.perf_counter()
    judge, counters, found = learn(game, base, config, options)
    seconds = time.perf_counter() - start
    digest = save_checkpoint(path, _checkpoint(game, name, judge, base, options.seed, counters))
    summary = {
        "game": game.name,
        "judge": name,
        **counters,
        **found,
        "seconds": round(seconds, 3),
        "seed": options.seed,
        "checkpoint": str(path),
        "hash": digest,
        name: dataclasses.asdict(config),
    }
    print(json.dumps(summary)) if options.json else _print(summary, options.rules)
    return 0


def _wanted(options: argparse.Namespace) -> str:
    """Return which judge is to learn.

    Raises:
        ConfigurationError: the options do not go together.
    """
    named = [name for name in ("action", "policy") if getattr(options, name) is not None]
    name = named[0] if named else "knowledge"
    if len(named) > 1 or (named and (options.knowledge or options.role)):
        raise ConfigurationError(
            f"--{name} does not go with --knowledge, --role and the like: one at a time"
        )
    if options.formulas and name != "action":
        raise ConfigurationError("--formulas is for --action; add that, or leave it out")
    if name == "policy" and options.into is None:
        raise ConfigurationError(
            "--policy learns from a trained evaluator; name its checkpoint with --into"
        )
    return name


def _config(kind: type[Settings], option: str, text: str) -> Any:
    """Return the configuration that ``name=value`` pieces give."""
    return kind(**kind.read(_texts(option, text)))


def _texts(option: str, text: str) -> dict[str, str]:
    """Return ``name=value`` pieces."""
    texts: dict[str, str] = {}
    for piece in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not value or name in texts:
            raise ConfigurationError(f"{option}: found {piece!r}; write name=value, each name once")
        texts[name] = value
    return texts


def _own_game(game: Game, base: Checkpoint) -> Game:
    """Return the game as a checkpoint has it; refuse another one."""
    from neurogame.simulate.game_mapping import map_game

    own = base.game()
    map_game(own, game)
    return own


def _learn_knowledge(
    game: Game, base: Checkpoint | None, config: KnowledgeConfig, options: argparse.Namespace
) -> tuple[StoredJudge, dict[str, int], dict[str, Any]]:
    """Learn with a progress bar over the games; return the judge, counters and measurements."""
    from neurogame.learn.knowledge.learning import learn_knowledge

    with _bar(game, config.games, " games", options) as bar:
        found = learn_knowledge(game, config, options.seed, roles=options.role, progress=bar.update)
    return found, {"games": int(found.games)}, {}


def _train_action(
    game: Game, base: Checkpoint | None, config: ActionTrainingConfig, options: argparse.Namespace
) -> tuple[StoredJudge, dict[str, int], dict[str, Any]]:
    """Train with a progress bar over the matches; return as for knowledge."""
    from neurogame.evaluators.actions.build import make_action_circuit
    from neurogame.learn.actions.training import train_action_circuit

    texts = _texts("--formulas", options.formulas) | {"trainable": "on"}
    circuit = make_action_circuit(game, ActionConfig(**ActionConfig.read(texts)))
    matches = config.rounds * config.matches
    with _bar(game, matches, " matches", options) as bar:
        reports = train_action_circuit(
            game, circuit, config, seed=options.seed, on_match=lambda: _advance(bar)
        )
    rounds = [dataclasses.asdict(report) for report in reports]
    return circuit, {"matches": matches}, {"rounds": rounds}


def _learn_policy(
    game: Game, base: Checkpoint | None, config: PolicyConfig, options: argparse.Namespace
) -> tuple[StoredJudge, dict[str, int], dict[str, Any]]:
    """Learn with a progress bar over the choices; return as for knowledge."""
    from neurogame.learn.policy.learning import learn_policy

    assert base is not None
    evaluator = base.evaluator(game)
    with _bar(game, config.choices * config.passes, " choices", options) as bar:
        policy, report = learn_policy(
            game, evaluator, config, seed=options.seed, progress=bar.update
        )
    return policy, {"choices": report.choices}, {"report": dataclasses.asdict(report)}


_KINDS: dict[str, tuple[type[Settings], Callable[..., Any]]] = {
    "knowledge": (KnowledgeConfig, _learn_knowledge),
    "action": (ActionTrainingConfig, _train_action),
    "policy": (PolicyConfig, _learn_policy),
}


def _bar(game: Game, total: int, unit: str, options: argparse.Namespace) -> tqdm[NoReturn]:
    quiet = options.quiet or options.json
    return tqdm(total=total, desc=f"learn {game.name}", unit=unit, disable=quiet, file=bar_stream())


def _advance(bar: tqdm[NoReturn]) -> None:
    bar.update()


def _checkpoint(
    game: Game,
    name: str,
    judge: StoredJudge,
    base: Checkpoint | None,
    seed: int,
    counters: dict[str, int],
) -> Checkpoint:
    """Return a checkpoint with the judge, and with all that another one holds."""
    from neurogame.learn.checkpoints.checkpoint import empty_checkpoint
    from neurogame.learn.judges import plain_judge

    stored = plain_judge(judge)
    if base is not None:
        return dataclasses.replace(base, judges={**base.judges, name: stored}, parent=base.hash)
    return dataclasses.replace(
        empty_checkpoint(game),
        judges={name: stored},
        random={"seed": seed},
        counters=counters,
    )


def _print(summary: dict[str, Any], rules: str) -> None:
    name = summary["judge"]
    what = next(what for what in ("games", "matches", "choices") if what in summary)
    done = f"{summary[what]:,} {what}"
    print(f"{done} in {summary['seconds']:.1f} seconds; saved in {summary['checkpoint']}")
    for number, found in enumerate(summary.get("rounds", ()), 1):
        print(
            f"  round {number}: cross entropy {found['loss']:.3f} (of the visits alone "
            f"{found['entropy']:.3f}), best move agrees in {100 * found['agreement']:.0f} % of "
            f"{found['held_out']} choices held out"
        )
    if "report" in summary:
        found = summary["report"]
        print(
            f"  cross entropy {found['loss']:.3f} (of the teacher's weights alone "
            f"{found['entropy']:.3f}, all moves alike {found['uniform']:.3f}), best move agrees in "
            f"{100 * found['agreement']:.0f} % of {found['held_out']:,} choices held out"
        )
    # With an evaluator a player knows itself what to do with a policy.
    use = "" if name == "policy" else f"tree={name},"
    player = f"mcts:{summary['checkpoint']},{use}sims=1000"
    print("play against it:")
    print(f"  neurogame play {rules} --opponent {player}")


def _defaults(kind: type[Settings]) -> str:
    """Return the settings of a configuration with their defaults."""
    return ", ".join(f"{entry.spelling}={entry.default_text}" for entry in settings_of(kind))
