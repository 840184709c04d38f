"""A match as one file that needs no server and no network: all its positions, worked out."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from neurogame.bars import bar_stream
from neurogame.errors import GameError
from neurogame.files import write_output
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.view.judgement import explained, judged_position
from neurogame.view.opinion import PageOpinion
from neurogame.view.opponent import checked_player
from neurogame.view.page import page
from neurogame.view.positions import Positions
from neurogame.view.recorded import Line, RecordedMatch
from neurogame.view.site import boot
from neurogame.view.subject import PageSubject
from neurogame.waiting import say

NOT_AT_ALL = "none"


def with_match(subject: PageSubject, player: str, plies: int, seed: int) -> PageSubject:
    """Return a subject with a match to show: its own, or one that a player plays with itself.

    Args:
        subject: what is looked at.
        player: a player string; it has all roles.
        plies: of the match, at most.
        seed: decides every random choice.

    Raises:
        PlayerError: there is no such player, or it is none that the page may ask for.
        ConfigurationError: there are to be no plies.
    """
    if subject.match.moves:
        return subject
    spec, settings = checked_player(player), MatchSettings(max_plies=plies)
    players = [make_player(spec, subject.game, seed + role) for role in subject.game.players]
    say(f"{spec} plays a match of {subject.game.name} with itself, of at most {plies} plies")
    record = play_match(subject.game, players, seed=seed, settings=settings)
    match = RecordedMatch(moves=record.moves, players=record.players, ending=record.ending)
    return replace(subject, match=match)


def export(
    subject: PageSubject, path: Path, *, method: str | None = None, quiet: bool = False
) -> int:
    """Write a match as one HTML file, and return its size in bytes.

    Args:
        subject: with a match.
        path: the file; an older one is replaced.
        method: how values are taken apart for the first role that somebody plays, see
            :class:`~neurogame.evaluators.attribution.Attribution`; None: the usual way;
            :data:`NOT_AT_ALL`: not at all, which takes seconds where the others take minutes.
        quiet: whether to show no bar.

    Raises:
        ConfigurationError: the file cannot be written.
        GameError: the match is not one of the game, or the method is none for its values.
    """
    data = _worked_out(subject, subject.game.players[0], method, quiet)
    # Pictures of one match are much alike: packed they take a twentieth.
    packed = gzip.compress(json.dumps(data, allow_nan=False).encode(), mtime=0)
    text = page(
        boot(subject)
        | {"judges": [next(iter(subject.opinions))], "packed": base64.b64encode(packed).decode()},
        alone=True,
    )
    write_output(path, text, force=True)
    return len(text.encode())


def _worked_out(subject: PageSubject, role: int, method: str | None, quiet: bool) -> dict[str, Any]:
    """Return everything that the page would ask a server."""
    positions = Positions(subject.game)
    name, deferred = next(iter(subject.opinions.items()))
    opinion = deferred.get(None)
    assert opinion is not None, name
    if method not in (None, NOT_AT_ALL, *opinion.methods):
        raise GameError(
            f"--method {method} is none for {subject.judged_by}; there are "
            f"{', '.join(opinion.methods)} and {NOT_AT_ALL}"
        )
    states = positions.states(subject.match.moves)
    answers: dict[str, Any] = {"positions": [], "values": [], "explained": []}
    with tqdm(
        range(len(states)), desc="positions", disable=quiet, delay=1, file=bar_stream()
    ) as bar:
        for ply in bar:
            line = subject.match.moves[:ply]
            answers["positions"].append(positions.describe(line))
            answers["values"].append(judged_position(opinion, states[ply]))
            answers["explained"].append(_explained(positions, opinion, line, role, method))
    measured = opinion.measure == "value"
    return answers | {
        "choices": positions.choices(subject.match.moves),
        "curve": opinion.of_states(states) if measured else None,
    }


def _explained(
    positions: Positions, opinion: PageOpinion, line: Line, role: int, method: str | None
) -> dict[str, Any] | None:
    """Return what a position's value is made of, with the painted board."""
    # A judge of moves values no position.
    if opinion.measure != "value" or method == NOT_AT_ALL:
        return None
    facts, attribution = explained(opinion, positions.state(line), role, method=method)
    svg = positions.painted(line, positions.state(line), attribution.by_fluent)
    return facts | {"svg": svg}
