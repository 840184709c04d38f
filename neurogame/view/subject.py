"""What is looked at: a game, and perhaps a match of it, what values it, and a run that learns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, final

from neurogame.errors import CheckpointError, GameError, RulesError
from neurogame.evaluators.kinds import move_kinds
from neurogame.inspect.subject import EVALUATOR, Subject, file_subject, fresh_subject, is_fresh
from neurogame.learn.run_files import BEST, CONFIG, LATEST
from neurogame.players.spec import RULES_SUFFIX
from neurogame.simulate.game import Game
from neurogame.view.deferred import Deferred
from neurogame.view.opinion import PageOpinion
from neurogame.view.recorded import RecordedMatch, read_match

VALUES = "values"
"""The name of the opinion that is an evaluator's."""
_OPPONENT = "mcts:seconds=1"

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
        match: that is shown; without moves if there is none.
        run: the folder of a run, of which curves are shown, or None.
        stamp: which checkpoint of the run values states: when it was written, in nanoseconds.
        is_fixed: whether another evaluator was asked for than that of the run.
        opponent: the player string that is offered to play against.
    """

    kind: Kind
    title: str
    game: Game
    opinions: Opinions = field(default_factory=dict)
    judged_by: str = ""
    match: RecordedMatch = field(default_factory=lambda: RecordedMatch(moves=()))
    run: Path | None = None
    stamp: int = 0
    is_fixed: bool = False
    opponent: str = _OPPONENT


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
    suffix = path.suffix.lower()
    if path.is_dir():
        page = _of_run(path)
    elif suffix in (".json", ".jsonl"):
        page = _of_match(path, rules, number)
    elif suffix in (".pt", RULES_SUFFIX):
        page = _of_file(path)
    else:
        game = Game.load(target)
        page = PageSubject(kind="game", title=game.name, game=game)
    if evaluator is not None:
        return replace(_judged(page, evaluator, seed), is_fixed=True)
    return page if page.opinions else _judged(page, "cilp", seed)


def _of_file(path: Path) -> PageSubject:
    """Return a checkpoint, or weighted rules."""
    subject = file_subject(str(path))
    page = PageSubject(kind="checkpoint", title=str(path), game=subject.game)
    return _with(page, subject, str(path))


def _judged(page: PageSubject, source: str, seed: int) -> PageSubject:
    """Return the same, judged by what a source names."""
    path = Path(source)
    # A word that is no file is answered with the evaluators that there are.
    is_word = path.name == source and not path.suffix and not path.exists()
    if is_word or is_fresh(source):
        by = f"{source} (untrained)"
        return _with(page, fresh_subject(page.game, source, seed), by)
    return _with(page, file_subject(source, page.game), source)


def _with(page: PageSubject, subject: Subject, judged_by: str) -> PageSubject:
    """Return the same, judged by what a subject holds: the evaluator first."""
    names = [EVALUATOR] * subject.has_evaluator + list(subject.judge_names)
    if not names:
        raise CheckpointError(f"{subject.name} holds nothing that judges {page.game.name}")
    is_file = judged_by == subject.name
    return replace(
        page,
        game=subject.game,
        opinions={
            VALUES if name == EVALUATOR else name: Deferred(partial(_opinion, subject, name))
            for name in names
        },
        judged_by=judged_by,
        opponent=_opponent(subject) if is_file else page.opponent,
    )


def _opinion(subject: Subject, name: str) -> PageOpinion:
    return PageOpinion(subject.opinion(name))


def _opponent(subject: Subject) -> str:
    """Return a player that uses a file."""
    uses = (kind.use for name, kind in move_kinds().items() if name in subject.judge_names)
    use = next(filter(None, uses), "")
    # A path in a player string must not contain a comma.
    if "," in subject.name or not (subject.has_evaluator or use):
        return _OPPONENT
    if subject.has_evaluator:
        return f"alphabeta:{subject.name},seconds=1"
    return f"mcts:{subject.name},{use},seconds=1"


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
        return replace(_of_file(latest), kind="run", title=str(folder), run=folder, stamp=stamp)
    return PageSubject(kind="run", title=str(folder), game=_configured_game(folder), run=folder)


def newest_of_run(subject: PageSubject) -> PageSubject | None:
    """Return a run with its newest checkpoint, or None if that is known already.

    Args:
        subject: a run, as it was opened.
    """
    assert subject.run is not None
    # Where the file has gone, what was read of it still values states.
    if _stamp(subject.run) in (0, subject.stamp) or subject.is_fixed:
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
    if any(len(joint) != len(game.roles) for joint in match.moves):
        raise GameError(
            f"{path}: its joint moves are not of {len(game.roles)} roles, as many as {game.name} "
            "has; name its game by --rules"
        )
    return PageSubject(kind="match", title=path.name, game=game, match=match)
