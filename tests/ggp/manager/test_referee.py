"""Two referees, one game: what the compiled game says, the prover says."""

from __future__ import annotations

import random

import pytest

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, LimitError
from neurogame.gdl.terms import Rules
from neurogame.ggp.manager.referee import legal_texts, load_referee, whole_goals
from neurogame.simulate import game
from tests.conftest import shared

GAMES = ["blocker.kif", "nim3.kif", "tictactoe_3player.kif", "lightsOnSimultaneous.kif"]


@pytest.mark.parametrize("name", GAMES)
def test_both_say_the_same(name: str) -> None:
    path = shared("games", name)
    circuit, prover = load_referee(path, "circuit"), load_referee(path, "prover")
    assert circuit.has_circuit
    assert not prover.has_circuit
    assert circuit.name == prover.name == path.stem
    assert circuit.roles == prover.roles
    chance = random.Random(3)
    ours, theirs = circuit.initial_state(), prover.initial_state()
    for _ in range(60):
        assert ours.fluent_texts == theirs.fluent_texts
        assert ours.is_terminal == theirs.is_terminal
        legal = [list(moves) for moves in legal_texts(ours)]
        assert legal == [list(moves) for moves in legal_texts(theirs)]
        assert whole_goals(ours) == whole_goals(theirs)
        if ours.is_terminal:
            break
        joint = [chance.choice(moves) for moves in legal]
        ours, theirs = ours.next(joint), theirs.next(joint)
    assert ours.is_terminal


def test_rules_too_large_to_ground_are_judged_by_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(rules: Rules, *, cache: bool) -> Circuit:
        raise LimitError("too many rules")

    monkeypatch.setattr(game, "compile_rules", too_large)
    assert not load_referee("tictactoe").has_circuit
    with pytest.raises(LimitError):
        load_referee("tictactoe", "circuit")
    with pytest.raises(ConfigurationError, match="auto, circuit, prover"):
        load_referee("tictactoe", "coin")  # type: ignore[arg-type]
