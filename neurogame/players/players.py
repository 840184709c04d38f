"""Makes players from player strings; :mod:`neurogame.players.spec` documents the strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, final

import torch

from neurogame.errors import PlayerError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kinds import evaluator_kinds, fresh_kind, fresh_names
from neurogame.judges.moves import MoveJudge
from neurogame.players.alphabeta_player import AlphaBetaPlayer
from neurogame.players.folder_player import FolderPlayer
from neurogame.players.human import HumanPlayer
from neurogame.players.player import Player
from neurogame.players.proof_player import ProofPlayer
from neurogame.players.random_player import RandomPlayer
from neurogame.players.search_player import FindHome, Outfit
from neurogame.players.spec import PlayerSpec, allowed_options
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.match_start import MatchStart
from neurogame.search.mcts.settings import MctsSettings
from neurogame.settings import check_kind
from neurogame.simulate.game import Game, game_of

if TYPE_CHECKING:
    from neurogame.learn.checkpoints.checkpoint import Checkpoint
    from neurogame.learn.matches.learner import MatchLearner


def make_player(
    text: str | PlayerSpec, game: Game | str | Path | None = None, seed: int = 0
) -> Player:
    """Return the player that a string names.

    Args:
        text: a player string, or one taken apart.
        game: if given, or its name or path, the evaluator is built for it at once, so that a
            checkpoint of another game, or a folder without one of it, is refused here and not
            when the match starts. For a game without a circuit, ``mcts`` with limits alone
            searches by proofs.
        seed: decides the weights of fresh evaluators that are random.

    Raises:
        PlayerError: the string is malformed, or names no file and no evaluator, or the player
            needs a circuit and the game has none.
        CheckpointError: the file is damaged, or a checkpoint of another game.
        ConfigurationError: a limit or setting is out of its range.
    """
    spec = PlayerSpec.parse(text) if isinstance(text, str) else text
    check_kind(spec, PlayerSpec, "player", "the text 'mcts:seconds=1'")
    game = None if game is None else game_of(game)
    if spec.kind == "random":
        return RandomPlayer()
    if spec.kind == "human":
        return HumanPlayer()
    if game is not None and not game.has_circuit:
        return ProofPlayer(spec)
    player: Player
    if spec.kind == "auto":
        # Imported here: it has all kinds of players at hand.
        from neurogame.players.auto.auto_player import AutoPlayer

        player = AutoPlayer(spec)
    elif spec.kind == "solve":
        # Imported here: others need nothing of the search for lines.
        from neurogame.players.solve_player import SolvePlayer

        player = SolvePlayer(name=str(spec), limit=spec.limit)
    elif spec.kind == "heuristic":
        # Imported here: others do not look for features.
        from neurogame.players.heuristic.player import HeuristicPlayer

        player = HeuristicPlayer(spec)
    elif spec.source and not spec.is_fresh and spec.path.is_dir():
        player = FolderPlayer(spec, lambda file_spec: _searching_player(file_spec, seed))
    else:
        player = _searching_player(spec, seed)
    if game is not None:
        player.start(MatchStart(game, game.players[0], seed))
        player.stop()
    return player


def _searching_player(spec: PlayerSpec, seed: int) -> Player:
    return _mcts_player(spec, seed) if spec.kind == "mcts" else _alphabeta_player(spec, seed)


def _alphabeta_player(spec: PlayerSpec, seed: int) -> AlphaBetaPlayer:
    source = _source(spec, seed)
    trained = {} if source.checkpoint is None else source.checkpoint.config
    chosen = {name: trained[name] for name in ("outlook",) if name in trained}
    settings = SearchSettings(**(chosen | SearchSettings.read(spec.settings)))
    return AlphaBetaPlayer(_outfit(spec, source), settings=settings, device=_device(spec))


def _mcts_player(spec: PlayerSpec, seed: int) -> Player:
    # Imported here: players without a tree of simulations need nothing of its compiled code.
    from neurogame.players.mcts_player import MctsPlayer

    device = _device(spec)
    settings = MctsSettings.from_texts(spec.settings)
    judged = bool(settings.judges) or settings.is_gated
    source = _source(spec, seed) if spec.source else _Source()
    checkpoint = source.checkpoint
    # Of a checkpoint from which judges are taken values are wanted only if the settings say so.
    is_valued = checkpoint is None or not judged or settings.needs_evaluator
    make = source.make if is_valued else None

    def moved(game: Game, own_seed: int) -> Evaluator:
        assert make is not None
        return make(game, own_seed).to(device)

    def judges(game: Game, judges_seed: int, deadline: float | None) -> Mapping[str, MoveJudge]:
        # Imported here, as checkpoints are.
        from neurogame.players.judges import make_judges

        return make_judges(
            game,
            settings,
            checkpoint,
            options=spec.options,
            seed=judges_seed,
            deadline=deadline,
        )

    return MctsPlayer(
        _outfit(spec, replace(source, make=moved if make else None)),
        judges=judges if judged else None,
        settings=settings,
        gate=spec.own.gate,
        trained=checkpoint is not None and checkpoint.counters.get("matches", 0) > 0,
    )


@final
@dataclass(frozen=True, kw_only=True)
class _Source:
    """What the source of a player string is.

    Attributes:
        make: makes the evaluator of a game from a seed; None: there is none.
        home: finds the game that it has learned; None: it has learned none.
        checkpoint: that it is; None: it is something else.
    """

    make: Callable[[Game, int], Evaluator] | None = None
    home: FindHome | None = None
    checkpoint: Checkpoint | None = None


def _source(spec: PlayerSpec, seed: int) -> _Source:
    """Return what a player string names: a fresh evaluator, weighted rules or a checkpoint."""
    if spec.is_fresh:
        return _Source(make=_fresh(spec, seed))
    if spec.is_written:
        # Imported here, as checkpoints are.
        from neurogame.learn.rules_file import (
            evaluator_of_rules,
            load_weighted_rules,
            mapping_of_rules,
        )

        rules = load_weighted_rules(spec.source)
        return _Source(
            make=lambda game, _: evaluator_of_rules(rules, game),
            home=partial(mapping_of_rules, rules),
        )
    held = _checkpoint(spec)
    return _Source(make=lambda game, _: held.evaluator(game), home=held.mapping, checkpoint=held)


def _outfit(spec: PlayerSpec, source: _Source) -> Outfit:
    """Return what a player that searches brings along."""
    return Outfit(
        name=str(spec),
        limit=spec.limit,
        source=source.make,
        fresh=spec.is_fresh and spec.own.noise > 0,
        refine=spec.own.refine,
        learn=_learner(spec, source),
        home=source.home,
    )


def _learner(spec: PlayerSpec, source: _Source) -> Callable[[Game], MatchLearner] | None:
    """Return a maker of what learns from matches, if the player shall learn."""
    path, first = spec.own.learn, source.make
    if not path:
        return None
    if first is None:
        raise PlayerError(
            f"player {spec}: learn={path}, but no evaluator that could learn; name one, as in "
            f"mcts:cilp,cutoff=2,learn={path}"
        )
    for name, set_ in (
        ("noise", spec.own.noise > 0),
        ("refine", spec.own.refine > 0),
        ("device", spec.own.device != "cpu"),
    ):
        if set_:
            raise PlayerError(f"player {spec}: learn and {name} do not go together; drop one")

    def make(game: Game) -> MatchLearner:
        # Imported here, as checkpoints are.
        from neurogame.learn.matches.learner import MatchLearner

        def start() -> Evaluator | Checkpoint:
            return first(game, 0) if source.checkpoint is None else source.checkpoint

        return MatchLearner(path, game, start)

    return make


def _device(spec: PlayerSpec) -> str:
    """Return the device, checked."""
    name = spec.own.device
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise PlayerError(
            f"player {spec}: device {name!r} cannot be used ({reason}); take cpu, or cuda where "
            "there is one"
        ) from None
    return name


def _fresh(spec: PlayerSpec, seed: int) -> Callable[[Game, int], Evaluator]:
    """Return a maker of untrained evaluators."""
    kind = fresh_kind(spec.source)
    if spec.own.noise > 0 and (kind is None or not kind.has_noise):
        noisy = " and ".join(other.name for other in evaluator_kinds().values() if other.has_noise)
        raise PlayerError(f"player {spec}: noise is for {noisy} evaluators")
    noise = spec.own.noise

    def make(game: Game, match_seed: int) -> Evaluator:
        own_seed = match_seed if noise > 0 else seed
        return make_fresh(spec.source, game, seed=own_seed, noise=noise, recall=True)

    return make


def _checkpoint(spec: PlayerSpec) -> Checkpoint:
    """Return the checkpoint that a player string names."""
    path = spec.path
    if not path.is_file():
        name, equals, _ = spec.source.partition("=")
        if equals and name.strip().isidentifier():
            raise PlayerError(
                f"player {spec}: {spec.source!r} is neither a checkpoint that is there nor an "
                f"option; the options of {spec.kind} are {', '.join(allowed_options(spec.kind))}"
            )
        raise PlayerError(
            f"player {spec}: there is no checkpoint {spec.source!r}; give the path of one, or of a "
            f"folder with checkpoints, or a fresh evaluator: {', '.join(fresh_names())}"
        )
    # Imported here: players without a checkpoint need nothing of the learning room.
    from neurogame.learn.checkpoints.checkpoint import load_checkpoint

    return load_checkpoint(path)
