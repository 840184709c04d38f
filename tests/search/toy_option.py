"""A search option declared in one place, before anything reads the settings; run by a test."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from neurogame.search.match_start import MatchStart
from neurogame.settings import setting

PLACES = {
    "mcts": ("neurogame.search.mcts.settings", "MctsSettings"),
    "alphabeta": ("neurogame.search.alphabeta.settings", "SearchSettings"),
}


def declare(search: str) -> None:
    """Add an option to a search: the one place."""
    module_name, class_name = PLACES[search]
    module: Any = import_module(module_name)
    usual: Any = getattr(module, class_name)

    @dataclass(frozen=True, kw_only=True)
    class WithPatience(usual):  # type: ignore[misc]
        patience: int = setting(3, "how often it sighs before a move, 1..9", least=1, most=9)

    setattr(module, class_name, WithPatience)


def main() -> None:
    """Declare the option in all searches, and print what becomes of it in each."""
    for search in PLACES:
        declare(search)
    # Not before: what reads settings takes what is declared by then.
    players: dict[str, str] = json.loads(sys.argv[1])
    print(json.dumps({search: _told(search, text) for search, text in players.items()}))


def _told(search: str, text: str) -> dict[str, Any]:
    """Return the option as compiled code reads it, what is refused, and the help text."""
    from neurogame.cli.main import main as command
    from neurogame.errors import NeurogameError
    from neurogame.players.players import make_player
    from neurogame.search.limit import Limit
    from neurogame.simulate.game import Game

    game, numbers, refusals = Game.load("tictactoe"), [], []
    for option in ("", ",patience=5"):
        player: Any = make_player(text + option)
        player.start(MatchStart(game, 0, 1))
        player.choose(game.initial_state(), Limit())
        inside = player._search
        state = inside._trees[0].plan.options if search == "mcts" else _memory(inside)
        numbers.append(state.numbers.patience)
    for option in ("patience=10", "patience=often", "patients=5"):
        try:
            make_player(f"{text},{option}")
        except NeurogameError as error:
            refusals.append(str(error))
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.suppress(SystemExit):
        command(["match", "--help"])
    return {"numbers": numbers, "refusals": refusals, "help": shown.getvalue()}


def _memory(search: Any) -> Any:
    """Return the memory of an alpha-beta search that compiled code reads."""
    (memory,) = search._search._memories.values()
    return memory.search


if __name__ == "__main__":
    main()
