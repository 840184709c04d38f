"""What a run has learned, told by examples: rules that it likes, moves it misjudges, a match."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import torch

from neurogame.arena.exact_positions import chooser, has_chooser, spread_plies
from neurogame.arena.exact_positions import move_values as proved_values
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.move_values import move_values
from neurogame.inspect.subject import Subject
from neurogame.inspect.table import shown
from neurogame.inspect.unit_rules import unit_rules, unit_tables
from neurogame.learn.recipe import random_lengths
from neurogame.players.alphabeta_player import AlphaBetaPlayer
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.search_player import Outfit
from neurogame.search.exact import Prover
from neurogame.search.limit import Limit
from neurogame.search.openings import Opening, Openings, play_opening
from neurogame.simulate.game import Game, State

_MISTAKES, _SECONDS, _NODES, _EACH = 3, 10.0, 1000, 12
"""Positions that are shown, seconds in which they are looked for, states that the proof of a move
may generate, and positions that are tried of each number of plies."""
_UNTRAINED = "Nothing was released: what plays are the untrained networks, without a former self."
_DEPTH, _OPENING, _LONGEST = 2, 4, 300
"""Of the match: plies that both look ahead, random plies that it begins with, plies at most."""


def story(subject: Subject, seed: int = 0) -> dict[str, Any]:
    """Return rules by weight, misjudged positions and a match, JSON-able.

    Where nothing was released there is no match, but a sentence.

    Args:
        subject: the checkpoint of a run, with an evaluator.
        seed: decides which positions are tried, and how the match begins.
    """
    now, before = subject.values()
    first = before.state_dict()
    is_first = all(torch.equal(own, first[name]) for name, own in now.state_dict().items())
    units = unit_rules(now, before, subject.game)
    tables = unit_tables(units, subject.game.roles[subject.game.players[0]]) if units else ()
    parts = [part if isinstance(part, str) else part.to_json() for part in shown(tables)]
    return {
        "likes": parts,
        "mistakes": list(_mistakes(subject.game, now, seed)),
        "match": {"line": [], "text": _UNTRAINED}
        if is_first
        else _match(subject.game, now, before, seed),
    }


def _mistakes(game: Game, evaluator: Evaluator, seed: int) -> Iterator[dict[str, Any]]:
    """Yield positions in which the move that looks best one ply ahead loses proved value."""
    prover, until = Prover(game, _NODES), time.monotonic() + _SECONDS
    found = 0
    for plies in spread_plies(random_lengths(game).reach):
        for opening in Openings(game, plies, seed, nodes=0).first(_EACH):
            if found == _MISTAKES or time.monotonic() >= until:
                return
            told = _mistake(prover, evaluator, play_opening(game, opening))
            if told:
                yield {"line": _texts(game, opening), "text": f"ply {plies}: {told}"}
                found += 1
                break


def _mistake(prover: Prover, evaluator: Evaluator, state: State) -> str:
    """Return what is wrong with the move that looks best; empty if nothing is, or not proved."""
    if not has_chooser(state):
        return ""
    role = chooser(state)
    chosen = move_values(evaluator, state)[role][0].move
    worth = proved_values(prover, state)
    if worth is None or worth[chosen] == max(worth.values()):
        return ""
    better = max(worth, key=worth.__getitem__)
    name, texts = state.game.roles[role], state.game.moves[role]
    return (
        f"{name} would play {texts[chosen]}, worth {100 * worth[chosen]:.0f} under best play; "
        f"{texts[better]} is worth {100 * worth[better]:.0f}"
    )


def _match(game: Game, now: Evaluator, before: Evaluator, seed: int) -> dict[str, Any]:
    """Return a match of an evaluator against itself before learning."""
    first = game.players[0]
    players = [_player(now if role == first else before) for role in game.players]
    settings = MatchSettings(opening_plies=_OPENING, max_plies=_LONGEST)
    record = play_match(game, players, seed=seed, settings=settings)
    result = ", ".join(f"{game.roles[role]} {record.goals[role]:g}" for role in game.players)
    text = (
        f"As {game.roles[first]}, against itself before learning, both {_DEPTH} plies ahead, after "
        f"{_OPENING} random ones: {result} after {record.length} plies"
    )
    return {"line": [list(joint) for joint in record.moves], "text": text}


def _player(evaluator: Evaluator) -> AlphaBetaPlayer:
    """Return a player that looks a little ahead."""
    limit = Limit(depth=_DEPTH)
    return AlphaBetaPlayer(Outfit(name="", limit=limit, source=lambda game, seed: evaluator))


def _texts(game: Game, opening: Opening) -> list[list[str]]:
    """Return joint moves as texts."""
    return [
        [texts[move] for texts, move in zip(game.moves, joint, strict=True)] for joint in opening
    ]
