"""Two referees, one game: what the compiled game says, the prover says."""

from __future__ import annotations

import random

import pytest

from neurogame.errors import ConfigurationError, LimitError
from neurogame.gdl.terms import Rules
from neurogame.ggp.manager.referee import CircuitReferee, ProverReferee, load_referee
from neurogame.simulate.game import Game
from tests.conftest import shared

GAMES = ["blocker.kif", "nim3.kif", "tictactoe_3player.kif", "lightsOnSimultaneous.kif"]


@pytest.mark.parametrize("name", GAMES)
def test_both_say_the_same(name: str) -> None:
    path = shared("games", name)
    circuit, prover = load_referee(path, "circuit"), load_referee(path, "prover")
    assert isinstance(circuit, CircuitReferee)
    assert isinstance(prover, ProverReferee)
    assert circuit.name == prover.name == path.stem
    assert circuit.roles == prover.roles
    chance = random.Random(3)
    ours, theirs = circuit.opening(), prover.opening()
    for _ in range(60):
        assert ours.fluents == theirs.fluents
        assert ours.is_terminal == theirs.is_terminal
        assert ours.legal == theirs.legal
        assert ours.goals == theirs.goals
        if ours.is_terminal:
            break
        joint = [chance.choice(moves) for moves in ours.legal]
        ours, theirs = ours.after(joint), theirs.after(joint)
    assert ours.is_terminal


def test_rules_too_large_to_ground_are_judged_by_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(rules: Rules, name: str) -> Game:
        raise LimitError("too many rules")

    monkeypatch.setattr(Game, "from_rules", too_large)
    assert isinstance(load_referee("tictactoe"), ProverReferee)
    with pytest.raises(LimitError):
        load_referee("tictactoe", "circuit")
    with pytest.raises(ConfigurationError, match="auto, circuit, prover"):
        load_referee("tictactoe", "coin")  # type: ignore[arg-type]
