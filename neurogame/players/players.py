"""Makes players from player strings; :mod:`neurogame.players.spec` documents the strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

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
    checkpoint = _checkpoint(spec)
    source = _uncheckpointed(spec, seed) if checkpoint is None else _held(checkpoint)
    trained = {} if checkpoint is None else checkpoint.config
    chosen = {name: trained[name] for name in ("outlook",) if name in trained}
    settings = SearchSettings(**(chosen | SearchSettings.read(spec.settings)))
    return AlphaBetaPlayer(
        _outfit(spec, source, checkpoint), settings=settings, device=_device(spec)
    )


def _mcts_player(spec: PlayerSpec, seed: int) -> Player:
    # Imported here: players without a tree of simulations need nothing of its compiled code.
    from neurogame.players.mcts_player import MctsPlayer

    device = _device(spec)
    settings = MctsSettings(**MctsSettings.read(spec.settings))
    judged = bool(settings.judges) or settings.is_gated
    checkpoint = _checkpoint(spec) if spec.source else None
    maker: Callable[[Game, int], Evaluator] | None = None
    if checkpoint is None:
        maker = _uncheckpointed(spec, seed) if spec.source else None
    elif settings.needs_evaluator or not judged:
        maker = _held(checkpoint)

    def source(game: Game, match_seed: int) -> Evaluator:
        assert maker is not None
        return maker(game, match_seed).to(device)

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
        _outfit(spec, source if maker else None, checkpoint),
        judges=judges if judged else None,
        settings=settings,
        gate=spec.own.gate,
        trained=checkpoint is not None and checkpoint.counters.get("matches", 0) > 0,
    )


def _outfit(
    spec: PlayerSpec,
    source: Callable[[Game, int], Evaluator] | None,
    checkpoint: Checkpoint | None,
) -> Outfit:
    """Return what a player that searches brings along."""
    return Outfit(
        name=str(spec),
        limit=spec.limit,
        source=source,
        fresh=spec.is_fresh and spec.own.noise > 0,
        refine=spec.own.refine,
        learn=_learner(spec, source, checkpoint),
        home=_home(spec, checkpoint),
    )


def _learner(
    spec: PlayerSpec,
    source: Callable[[Game, int], Evaluator] | None,
    checkpoint: Checkpoint | None,
) -> Callable[[Game], MatchLearner] | None:
    """Return a maker of what learns from matches, if the player shall learn."""
    path = spec.own.learn
    if not path:
        return None
    if source is None:
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
            return source(game, 0) if checkpoint is None else checkpoint

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


def _uncheckpointed(spec: PlayerSpec, seed: int) -> Callable[[Game, int], Evaluator]:
    """Return a maker of untrained evaluators, or of that of weighted rules."""
    return _written_source(spec) if spec.is_written else _fresh_source(spec, seed)


def _home(spec: PlayerSpec, checkpoint: Checkpoint | None) -> FindHome | None:
    """Return what finds the game that the source of a player has learned, if it has learned."""
    if checkpoint is not None:
        return checkpoint.mapping
    if not spec.is_written:
        return None
    # Imported here, as checkpoints are.
    from neurogame.learn.rules_file import load_weighted_rules, mapping_of_rules

    return partial(mapping_of_rules, load_weighted_rules(spec.source))


def _written_source(spec: PlayerSpec) -> Callable[[Game, int], Evaluator]:
    """Return a maker of the evaluator of a file of weighted rules."""
    # Imported here, as checkpoints are.
    from neurogame.learn.rules_file import evaluator_of_rules, load_weighted_rules

    rules = load_weighted_rules(spec.source)

    def make(game: Game, match_seed: int) -> Evaluator:
        return evaluator_of_rules(rules, game)

    return make


def _fresh_source(spec: PlayerSpec, seed: int) -> Callable[[Game, int], Evaluator]:
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


def _checkpoint(spec: PlayerSpec) -> Checkpoint | None:
    """Return the checkpoint that a player string names; None where it names something else."""
    if spec.is_fresh or spec.is_written:
        return None
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


def _held(checkpoint: Checkpoint) -> Callable[[Game, int], Evaluator]:
    """Return a maker of the evaluator in a checkpoint."""

    def make(game: Game, match_seed: int) -> Evaluator:
        return checkpoint.evaluator(game)

    return make
