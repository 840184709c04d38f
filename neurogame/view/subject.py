"""What is looked at: a game, and perhaps a match of it, what values it, and a run that learns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, final

from neurogame.errors import CheckpointError, GameError, RulesError
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kinds import fresh_kind, kinds_from_rules, move_kinds
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint
from neurogame.learn.rules_file import evaluator_of_rules, load_weighted_rules, mapping_of_rules
from neurogame.learn.run_folder import BEST, CONFIG, LATEST
from neurogame.players.spec import RULES_SUFFIX
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import GameMapping
from neurogame.view.deferred import Deferred
from neurogame.view.opinion import PageOpinion, page_opinion
from neurogame.view.recorded import Line, Remarks, read_match

VALUES = "values"
"""The name of the opinion that is an evaluator's."""

Opinions: TypeAlias = Mapping[str, Deferred[PageOpinion]]
Kind: TypeAlias = Literal["game", "checkpoint", "match", "run"]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class PageSubject:
    """What the page is about.

    Attributes:
        kind: what was named.
        title: what was named, for people.
        game: the game.
        opinions: what values its states and moves, by name, the usual one first.
        judged_by: what that is, for people.
        line: the moves of a recorded match.
        players: of that match, one text per role; else empty.
        remarks: what was noted of it; see :class:`~neurogame.view.recorded.RecordedMatch`.
        ending: how it ended; empty if there is none.
        run: the folder of a run, of which curves are shown, or None.
        stamp: which checkpoint of the run values states: when it was written, in nanoseconds.
        is_fixed: whether another evaluator was asked for than that of the run.
        opponent: the player string that is offered to play against.
    """

    kind: Kind
    title: str
    game: Game
    opinions: Opinions
    judged_by: str
    line: Line = ()
    players: tuple[str, ...] = ()
    remarks: Remarks = field(default_factory=dict)
    ending: str = ""
    run: Path | None = None
    stamp: int = 0
    is_fixed: bool = False
    opponent: str


def open_subject(
    target: str,
    *,
    rules: str | None = None,
    evaluator: str | None = None,
    number: int = 0,
    seed: int = 0,
) -> PageSubject:
    """Return what a text of the command line names.

    Args:
        target: a checkpoint, weighted rules, a library game or rulesheet, the record of a match,
            or the folder of a training run.
        rules: the game of a match, where its record does not tell or names no library game.
        evaluator: what values states: a checkpoint, weighted rules, a fresh evaluator, or a judge
            of moves that is made from rules, such as ``action``; None: what was named, else
            ``cilp``.
        number: which match of an arena, from 0.
        seed: decides random weights of a fresh evaluator.

    Raises:
        NeurogameError: there is no such thing, or it is damaged.
    """
    path = Path(target)
    if path.is_dir():
        found = _of_run(path)
    elif path.suffix.lower() in (".json", ".jsonl"):
        found = _of_match(path, rules, number)
    elif path.suffix.lower() == ".pt":
        found = _of_checkpoint(path)
    elif path.suffix.lower() == RULES_SUFFIX:
        game = Game.load(load_weighted_rules(path).game)
        found = _with(_plain(game, "checkpoint", str(path)), str(path), seed)
    else:
        game = Game.load(target)
        found = _plain(game, "game", game.name)
    if evaluator is not None:
        return replace(_with(found, evaluator, seed), is_fixed=True)
    return found if found.opinions else _with(found, "cilp", seed)


def _plain(game: Game, kind: Kind, title: str) -> PageSubject:
    """Return a game that nobody values yet."""
    return PageSubject(
        kind=kind,
        title=title,
        game=game,
        opinions={},
        judged_by="",
        opponent="mcts:seconds=1",
    )


def _with(subject: PageSubject, source: str, seed: int) -> PageSubject:
    """Return the same, valued by something else."""
    game = subject.game
    of_states = fresh_kind(source) is not None
    if of_states or source.lower() in kinds_from_rules():
        name = VALUES if of_states else source.lower()
        opinions: Opinions = {name: Deferred(partial(_fresh, source, game, seed))}
        return replace(subject, opinions=opinions, judged_by=f"{source} (untrained)")
    if Path(source).suffix.lower() == RULES_SUFFIX:
        rules = load_weighted_rules(Path(source))
        mapping = mapping_of_rules(rules, game)
        subject, home = _renumbered(subject, mapping), mapping.home
        written = Deferred(lambda: page_opinion(evaluator_of_rules(rules, home)))
        return replace(
            subject, opinions={VALUES: written}, judged_by=source, opponent=_playing(source)
        )
    checkpoint = load_checkpoint(source)
    subject = _renumbered(subject, checkpoint.mapping(game))
    return replace(
        subject,
        opinions=_opinions(checkpoint, subject.game),
        judged_by=source,
        opponent=_opponent(source, checkpoint),
    )


def _renumbered(subject: PageSubject, mapping: GameMapping) -> PageSubject:
    """Return the same, its game numbered as what values it has learned it."""
    # The texts of moves stay, and thereby those of a recorded match.
    is_home = mapping.home.circuit.key == mapping.game.circuit.key
    return subject if is_home else replace(subject, game=mapping.namesake)


def _fresh(source: str, game: Game, seed: int) -> PageOpinion:
    judged = kinds_from_rules().get(source.lower())
    made = (
        make_fresh(source, game, seed=seed) if judged is None else judged.make(game, {}, seed=seed)
    )
    return page_opinion(made)


def _opinions(checkpoint: Checkpoint, game: Game) -> dict[str, Deferred[PageOpinion]]:
    """Return what a checkpoint holds."""
    found: dict[str, Deferred[PageOpinion]] = {}
    if checkpoint.description:
        found[VALUES] = Deferred(lambda: page_opinion(checkpoint.evaluator(game)))
    for name in sorted(checkpoint.judges):
        found[name] = Deferred(partial(_judge, checkpoint, name, game))
    if not found:
        raise CheckpointError(f"the checkpoint of {checkpoint.game_name} holds nothing that judges")
    return found


def _judge(checkpoint: Checkpoint, name: str, game: Game) -> PageOpinion:
    return page_opinion(checkpoint.judge(name, game))


def _opponent(path: str, checkpoint: Checkpoint) -> str:
    """Return a player that uses a checkpoint."""
    if checkpoint.description:
        return _playing(path)
    uses = [kind.use for name, kind in move_kinds().items() if name in checkpoint.judges]
    use = next(filter(None, uses), "")
    return f"mcts:{path},{use},seconds=1" if use and "," not in path else "mcts:seconds=1"


def _playing(path: str) -> str:
    """Return a player that searches with the evaluator of a file."""
    # A path in a player string must not contain a comma.
    return "mcts:seconds=1" if "," in path else f"alphabeta:{path},seconds=1"


def _of_checkpoint(path: Path) -> PageSubject:
    checkpoint = load_checkpoint(path)
    return _with(_plain(checkpoint.game(), "checkpoint", str(path)), str(path), 0)


def _of_run(folder: Path) -> PageSubject:
    """Return a run: its game, and its last checkpoint as far as there is one yet."""
    if not (folder / CONFIG).is_file() and not (folder / LATEST).is_file():
        raise GameError(
            f"{folder} is no folder of a training run (no {CONFIG} in it); name one that 'train' "
            "has made, a checkpoint, a game or the record of a match"
        )
    stamp = _stamp(folder)
    latest = next((folder / n for n in (LATEST, BEST) if (folder / n).is_file()), None)
    if latest is not None:
        found = _of_checkpoint(latest)
        return replace(found, kind="run", title=str(folder), run=folder, stamp=stamp)
    game = _configured_game(folder)
    return replace(_plain(game, "run", str(folder)), run=folder)


def newest_of_run(subject: PageSubject) -> PageSubject | None:
    """Return a run with its newest checkpoint, or None if that is known already.

    Args:
        subject: a run, as it was opened.
    """
    assert subject.run is not None
    if _stamp(subject.run) == subject.stamp or subject.is_fixed:
        return None
    return _of_run(subject.run)


def _stamp(folder: Path) -> int:
    try:
        return (folder / LATEST).stat().st_mtime_ns
    except OSError:
        return 0


def _configured_game(folder: Path) -> Game:
    """Return the game of a run that has no checkpoint yet."""
    try:
        values = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        return Game.load(str(values["rules"]))
    except (OSError, ValueError, KeyError, TypeError, RulesError) as error:
        raise GameError(
            f"{folder}: the run has no checkpoint yet, and its game is not known ({error}); "
            "wait for its first checkpoint"
        ) from None


def _of_match(path: Path, rules: str | None, number: int) -> PageSubject:
    match = read_match(path, number)
    try:
        if rules is not None or not match.rules:
            game = Game.load(rules or match.game)
        else:
            game = Game.from_text(match.rules, path.stem)
    except RulesError as error:
        raise GameError(f"{path}: its game cannot be had ({error}); name it by --rules") from None
    return replace(
        _plain(game, "match", path.name),
        line=match.moves,
        players=match.players,
        remarks=match.remarks,
        ending=match.ending,
    )
