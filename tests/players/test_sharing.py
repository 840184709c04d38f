"""Memory that players share stands in their strings."""

from __future__ import annotations

import pytest

from neurogame.errors import ConfigurationError
from neurogame.players.sharing import sharing


def test_each_player_has_its_part_unless_it_says_what_it_takes() -> None:
    players = ("mcts:sims=10", "alphabeta:cilp,memory=7", "random", "alphabeta:cilp")
    assert sharing(players, None) == players
    assert sharing(players, 800, at_once=2) == (
        "mcts:sims=10,memory=100",
        "alphabeta:cilp,memory=7",
        "random",
        "alphabeta:cilp,memory=100",
    )


def test_too_little_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="4 searches may live at once"):
        sharing(("mcts", "mcts"), 3, at_once=2)
