"""Loading all that a match needs before there is one: modules, and compiled cores by playing."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import torch

from neurogame.errors import on_one_line
from neurogame.files import CACHE_VARIABLE
from neurogame.gdl.library import load_rules
from neurogame.ggp.server.understudies import STANDING_BY
from neurogame.players.players import make_player
from neurogame.players.spec import PlayerSpec
from neurogame.prover.game import ProverGame
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game

_GAME = "tictactoe"
_LIMIT = Limit(seconds=0.05)
_LITTLE = {"games": "50", "gate": "1", "refine": "1"}
_AUTO = (
    "mcts:tree=knowledge,games=50,policy=knowledge",
    "mcts:playout=action,tree=action",
    "mcts:playout=mast",
    "alphabeta:cilp,refine=1",
)


def rehearse(player: str) -> list[str]:
    """Play a little with the code that a player needs.

    Args:
        player: a player string.

    Returns:
        What failed, each with its reason: it will take time in a match, or fail there too.
    """
    # A process that has several threads cannot be copied safely.
    torch.set_num_threads(1)
    failed = []
    with _empty_cache():
        rules = load_rules(_GAME)
        prover = ProverGame(rules)
        prover.legal(prover.initial(), 0)
        game = Game.from_rules(rules, _GAME)
        for text in rehearsals(player):
            try:
                _play_a_little(text, game)
            except Exception as error:
                failed.append(f"player {text}: {on_one_line(error)}")
    # What lies here now is shared with all copies; a collection would touch, and so copy it.
    gc.collect()
    gc.freeze()
    return failed


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Keep circuits and kernels from the cache on disk.

    What is taken from there is not made, and what is not made does not have its code loaded: it
    would be compiled in the first match of a game that the cache does not know.
    """
    before = os.environ.get(CACHE_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="neurogame-") as folder:
        os.environ[CACHE_VARIABLE] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[CACHE_VARIABLE]
            else:
                os.environ[CACHE_VARIABLE] = before


def rehearsals(player: str) -> tuple[str, ...]:
    """Return the player strings to play a little with: their code is what a player will need.

    None of them takes hold of a device, starts threads, or reads a checkpoint, which may belong
    to a game that is not at hand: fresh evaluators stand in for those.

    Args:
        player: a player string; of one that is not valid nothing is rehearsed.
    """
    try:
        spec = PlayerSpec.parse(player)
    except ValueError:
        return STANDING_BY
    if spec.kind == "auto":
        players: tuple[str, ...] = _AUTO
    elif spec.kind in ("mcts", "alphabeta", "heuristic"):
        players = (str(_small(spec)),)
    else:
        players = ()
    if torch.version.cuda or torch.version.hip:
        # Training may start threads for a graphics processor; copies could not train any more.
        players = tuple(text.replace(f",refine={_LITTLE['refine']}", "") for text in players)
    return (*(text for text in players if text not in STANDING_BY), *STANDING_BY)


def _small(spec: PlayerSpec) -> PlayerSpec:
    """Return a player that needs the same code as another one, but little time."""
    options = {n: text for n, text in spec.options.items() if n not in ("threads", "device")}
    options |= {name: least for name, least in _LITTLE.items() if name in options}
    if "gated" in (options.get("tree"), options.get("playout")):
        options |= {name: _LITTLE[name] for name in ("games", "gate")}
    source = spec.source
    if source and not spec.is_fresh:
        texts = replace(spec, options=options).settings
        settings = spec.kind == "mcts" and MctsSettings.from_texts(texts)
        source = "cilp" if not settings or settings.needs_evaluator else ""
    return replace(spec, source=source, limit=Limit(), options=options)


def _play_a_little(player: str, game: Game) -> None:
    rehearsed = make_player(player)
    rehearsed.start(MatchStart(game, 0, 0))
    rehearsed.choose(game.initial_state(), _LIMIT)
    rehearsed.stop()
