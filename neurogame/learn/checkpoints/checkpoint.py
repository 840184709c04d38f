"""Self-describing checkpoints: what was trained, with all that it takes to use or resume it.

One holds an evaluator, or judges of moves, or both.

The file holds plain tensors, dictionaries, lists, strings and numbers only, and is read with
``weights_only=True``: opening a foreign file cannot run code. Nor can it fill the memory: what it
says of sizes is compared with its bytes first.
"""

from __future__ import annotations

import io
import pickle
import warnings
import zipfile
import zlib
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, final

import torch
from torch import Tensor

from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.kind import Kind, Learned
from neurogame.evaluators.kinds import stored_kinds
from neurogame.evaluators.origin import Origin
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.files import write_whole
from neurogame.gdl.library import shipped
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.write import rules_text
from neurogame.judges.moves import MoveJudge
from neurogame.learn.checkpoints.claims import check_file
from neurogame.learn.checkpoints.content_hash import content_hash
from neurogame.learn.checkpoints.stored_once import stored_once
from neurogame.learn.checkpoints.weights import copied_weights, with_weights
from neurogame.learn.judges import plain_judge, rebuild_judge
from neurogame.learn.run_files import LATEST
from neurogame.simulate.game import Game, game_of
from neurogame.simulate.game_mapping import GameMapping, map_game
from neurogame.version import __version__
from neurogame.views import show_as

FORMAT = "neurogame checkpoint"
VERSION = 7
_QUICKLY = 1
"""How hard a file is compressed that is written again and again."""

# What torch.load raises on files that are not whole and sound.
_UNREADABLE = (
    *(pickle.UnpicklingError, zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, ValueError),
    *(LookupError, AttributeError, TypeError, OSError, OverflowError, MemoryError),
)


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Checkpoint:
    """What a checkpoint file holds.

    Attributes:
        game_name: the name the game was loaded under.
        rules: canonical rules text, enough to rebuild the game.
        signature: structural signature of the rules; the same for every consistent renaming.
        roles: role names in order; length ``R``.
        fluents: fluent texts in tensor order; length ``F``.
        moves: per role its move texts in tensor order.
        description: kind and configuration of the evaluator, JSON-able; empty if there is none.
        weights: the evaluator's tensors by name.
        initial_weights: the same tensors before any learning.
        judges: judges of moves, by name (see :mod:`~neurogame.evaluators.kinds`): each a
            dictionary with its ``description``, JSON-able, and its ``weights``, tensors by name.
        config: the training configuration, JSON-able; empty if it was not trained by ``train``.
        optimiser: optimiser state, or None where the run cannot be resumed from this file.
        buffer: replay buffer tensors, or None.
        random: what all later random choices follow from, JSON-able.
        counters: rounds, matches, updates, plies, distinct games and seconds so far.
        logs: length of each log file in bytes when this was written, by file name.
        results: evaluations so far, JSON-able, oldest first.
        parent: hash of the checkpoint this run started or resumed from, or None.
        created_by: the version of neurogame that wrote it.
    """

    game_name: str
    rules: str
    signature: str
    roles: list[str]
    fluents: list[str]
    moves: list[list[str]]
    description: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, Tensor] = field(default_factory=dict)
    initial_weights: dict[str, Tensor] = field(default_factory=dict)
    judges: dict[str, dict[str, Any]] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    optimiser: dict[str, Any] | None = None
    buffer: dict[str, Tensor] | None = None
    random: dict[str, Any] = field(default_factory=dict)
    counters: dict[str, Any] = field(default_factory=dict)
    logs: dict[str, int] = field(default_factory=dict)
    results: list[dict[str, Any]] = field(default_factory=list)
    parent: str | None = None
    created_by: str = __version__

    @property
    def hash(self) -> str:
        """Hash of the contents, 64 hexadecimal digits."""
        return content_hash(vars(self))

    def game(self) -> Game:
        """Rebuild the game from the stored rules.

        Raises:
            CheckpointError: the stored rules give another game than the one trained on.
        """
        game = Game.from_text(self.rules, name=self.game_name)
        for what, stored, derived in (
            ("roles", self.roles, list(game.roles)),
            ("fluents", self.fluents, list(game.fluents)),
            ("moves", self.moves, [list(moves) for moves in game.moves]),
        ):
            if stored != derived:
                raise CheckpointError(
                    f"the {what} that this version ({__version__}) derives from the stored rules "
                    f"of {self.game_name} are not those that version {self.created_by} wrote; "
                    "retrain with this version"
                )
        return game

    def mapping(self, game: Game | str | Path) -> GameMapping:
        """Return where what the stored game has stands in the same game under other names.

        Args:
            game: its names may be scrambled and its rules in any layout, as long as the rules are
                the same.

        Raises:
            CheckpointError: the game is a different one.
        """
        return map_game(self.game(), game_of(game))

    def evaluator(self, game: Game | str | Path | None = None) -> Evaluator:
        """Return the trained evaluator.

        Args:
            game: the game it shall value, numbered as the stored one; None: that one. Under other
                names it is :attr:`.GameMapping.namesake` of :meth:`mapping` that is.

        Raises:
            CheckpointError: the game is a different one or numbered otherwise, or there is no
                evaluator.
        """
        return self._build(self.weights, game)

    def initial_evaluator(self, game: Game | str | Path | None = None) -> Evaluator:
        """Return the evaluator as it was before any learning; see :meth:`evaluator`."""
        return self._build(self.initial_weights, game)

    def judge(self, name: str, game: Game | None = None) -> MoveJudge:
        """Return a judge of moves, for the states and moves of ``game``.

        Args:
            name: such as ``knowledge``.
            game: see :meth:`evaluator`.

        Raises:
            CheckpointError: there is no such judge, or the game is a different one or numbered
                otherwise.
        """
        if name not in self.judges:
            held = ", ".join(sorted(self.judges)) or "none at all"
            raise CheckpointError(
                f"the checkpoint of {self.game_name} holds no judge of moves {name!r}, but {held}; "
                "'neurogame learn' makes checkpoints with knowledge"
            )
        return rebuild_judge(name, self._home(game), self.judges[name])

    def with_learned(self, kind: Kind, learned: Learned) -> Checkpoint:
        """Return a checkpoint that holds what has learned, too, and all else that this one holds.

        Args:
            kind: of what has learned.
            learned: what came of it.
        """
        judge = learned.judge
        if kind.name in stored_kinds():
            return replace(self, judges={**self.judges, kind.name: plain_judge(judge)})
        return replace(
            self,
            description=judge.describe(),
            weights=copied_weights(judge),
            initial_weights=copied_weights(learned.initial or judge),
        )

    def __repr__(self) -> str:
        """Return what is in it, without any numbers that were learned."""
        kind = self.description.get("kind")
        held = [f"evaluator {kind}"] if kind else []
        held += [f"judge {name}" for name in sorted(self.judges)]
        matches = self.counters.get("matches")
        releases = [row["released"] for row in self.results if "released" in row]
        of = "nothing better came of" if releases and not any(releases) else "learned from"
        played = "" if matches is None else f", {of} {matches:,} matches"
        return f"Checkpoint({self.game_name!r}: {', '.join(held) or 'nothing learned'}{played})"

    def _repr_html_(self) -> str:
        return show_as("html", self)

    def _build(self, weights: dict[str, Tensor], given: Game | str | Path | None) -> Evaluator:
        game = None if given is None else game_of(given)
        if not self.description:
            raise CheckpointError(
                f"the checkpoint of {self.game_name} holds no evaluator of states, only judges of "
                f"moves ({', '.join(sorted(self.judges))}); search with these, as in "
                "mcts:FILE,playout=knowledge, or train an evaluator"
            )
        home = self._home(game)
        made = partial(rebuild_evaluator, home, self.description, weights)
        evaluator = with_weights(made, weights, "evaluator", self.description)
        evaluator.origin = Origin(game=game or home, initial=self.initial_weights)
        return evaluator

    def _home(self, game: Game | None) -> Game:
        """Return the stored game; refuse one that is another, or is numbered otherwise."""
        home = self.game()
        if game is None or game.circuit.key == home.circuit.key:
            return home
        if not map_game(home, game).is_identity:
            raise CheckpointError(
                f"{game.name} is the game that the checkpoint of {self.game_name} was trained on, "
                "under other names; players translate it by themselves, all else looks at "
                "checkpoint.mapping(game).namesake"
            )
        return home


def empty_checkpoint(game: Game) -> Checkpoint:
    """Return a checkpoint of a game that holds nothing but its rules and names."""
    return Checkpoint(
        game_name=game.name,
        rules=rules_text(game.rules),
        signature=structural_signature(game.rules),
        roles=list(game.roles),
        fluents=list(game.fluents),
        moves=[list(moves) for moves in game.moves],
    )


def save_checkpoint(path: Path | str, checkpoint: Checkpoint) -> str:
    """Write a checkpoint and return its hash; at no moment is there half a file at ``path``.

    Args:
        path: where to write; its folder must exist.
        checkpoint: what to write.

    Raises:
        OSError: the file cannot be written.
        CheckpointError: what is to be written is none.
    """
    if not isinstance(checkpoint, Checkpoint):
        raise CheckpointError(
            f"{path}: a Checkpoint is written, such as train() returns, not a "
            f"{type(checkpoint).__name__}"
        )
    held = vars(checkpoint)
    digest = content_hash(held)
    document = {"format": FORMAT, "version": VERSION, "hash": digest, "contents": stored_once(held)}
    # What is written to go on from, again and again, is written fast.
    often = checkpoint.optimiser is not None or checkpoint.buffer is not None
    # In memory first: torch hides why a disk refuses.
    whole = io.BytesIO()
    _save_small(document, whole, _QUICKLY if often else None)
    write_whole(Path(path), lambda stream: stream.write(whole.getbuffer()))
    return digest


def _save_small(document: dict[str, Any], stream: BinaryIO, level: int | None) -> None:
    """Write a document that :func:`torch.load` reads, compressed: much of it is zero.

    Args:
        document: what to write.
        stream: where to.
        level: how hard to compress, 1 to 9; None: as is usual.
    """
    plain = io.BytesIO()
    torch.save(document, plain)
    with zipfile.ZipFile(plain) as whole, zipfile.ZipFile(stream, "w") as small:
        for name in whole.namelist():
            # A date of its own would make equal documents unequal files.
            entry = zipfile.ZipInfo(name)
            small.writestr(entry, whole.read(name), zipfile.ZIP_DEFLATED, level)


def load_checkpoint(path: Path | str) -> Checkpoint:
    """Read a checkpoint and verify its hash.

    Raises:
        CheckpointError: no such file, not a checkpoint, damaged, or written in another
            format.
    """
    document = _read(shipped(path))
    version, contents = document["version"], document["contents"]
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        cure = "install a newer neurogame" if newer else "train it anew by neurogame train"
        raise CheckpointError(
            f"{path}: written in format {version!r}; this version of neurogame ({__version__}) "
            f"reads format {VERSION} only: {cure}"
        )
    try:
        if content_hash(contents) != document["hash"]:
            raise CheckpointError(f"{path}: damaged (its contents do not match its hash)")
        return _checked(Checkpoint(**contents))
    except (TypeError, LookupError, AttributeError) as error:
        raise CheckpointError(f"{path}: unexpected contents: {error}") from None


def _checked(held: Checkpoint) -> Checkpoint:
    """Return a checkpoint whose contents are of the kinds that they should be.

    Raises:
        TypeError: some are of another kind.
    """
    for entry in fields(held):
        # "dict[str, Any] | None": the first word is what a value must be.
        kind = _KINDS[str(entry.type).partition("[")[0].partition(" ")[0]]
        value = vars(held)[entry.name]
        if not isinstance(value, kind) and not (value is None and "None" in str(entry.type)):
            raise TypeError(f"{entry.name} is a {type(value).__name__}, no {kind.__name__}")
    judged = [stored["weights"] for stored in held.judges.values()]
    for tensors in (held.weights, held.initial_weights, held.buffer or {}, *judged):
        for name, tensor in tensors.items():
            if not isinstance(tensor, Tensor):
                raise TypeError(f"{name} is a {type(tensor).__name__}, no tensor")
    return held


_KINDS: dict[str, type] = {"str": str, "list": list, "dict": dict}


def _read(path: Path) -> dict[str, Any]:
    if path.is_dir():
        raise CheckpointError(f"{path}: a folder; give a file, such as the {LATEST} of a run")
    if not path.is_file():
        raise CheckpointError(f"{path}: no such file; expected a checkpoint made by 'train'")
    try:
        with warnings.catch_warnings():
            # torch talks about pickles of other programs; the error below says what matters.
            warnings.simplefilter("ignore")
            check_file(path)
            document = torch.load(path, map_location="cpu", weights_only=True)
    except _UNREADABLE as why:
        reason = (str(why).splitlines() or [type(why).__name__])[0][:120]
        raise CheckpointError(
            f"{path}: damaged, cut short, or not a checkpoint ({reason})"
        ) from None
    wanted = {"format", "version", "hash", "contents"}
    if not isinstance(document, dict) or set(document) != wanted or document["format"] != FORMAT:
        raise CheckpointError(f"{path}: a torch file, but not a neurogame checkpoint")
    return document
