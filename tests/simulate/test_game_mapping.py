"""Games of other rules are refused, whatever they have in common."""

from __future__ import annotations

import pytest

from neurogame.errors import CheckpointError
from neurogame.gdl.write import rules_text
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import map_game


def test_another_game_is_refused_by_name_and_structure() -> None:
    with pytest.raises(CheckpointError, match=r"trained on tictactoe .* nim .* other rules"):
        map_game(Game.load("tictactoe"), Game.load("nim"))


def test_a_game_of_the_same_fluents_and_other_rules_is_refused() -> None:
    home = Game.load("tictactoe")
    text = rules_text(home.rules)
    other = Game.from_text(text.replace("(goal ?p 50)", "(goal ?p 51)"), "other")
    assert (other.fluents, other.roles) == (home.fluents, home.roles)
    with pytest.raises(CheckpointError, match=r"other .* has other rules"):
        map_game(home, other)
