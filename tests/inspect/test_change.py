"""What learning changed: nothing where nothing did, and found where something was put."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from neurogame.arena.positions import PlayedPositions, played_positions
from neurogame.arena.reliability import log_odds
from neurogame.cli.main import main
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.inspect.change.agreement import agreement
from neurogame.inspect.change.fluent_effects import fluent_effects, square_effects
from neurogame.inspect.change.move_changes import move_changes
from neurogame.inspect.change.report import compared
from neurogame.inspect.change.role_effects import role_effects
from neurogame.inspect.change.rule_drift import rule_agreement
from neurogame.learn.checkpoints.checkpoint import save_checkpoint
from neurogame.simulate.game import Game
from tests.library import checkpoint_of


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.load("tictactoe")


@pytest.fixture(scope="module")
def played(game: Game) -> PlayedPositions:
    return played_positions(game, None, matches=30, seed=1)


def network(game: Game, seed: int, learned: bool) -> RulesNetwork:
    """Return a rules network, with invented weights if it has learned."""
    config = RulesNetworkConfig(hidden=8, lookups=24)
    found = make_rules_network(game, config, opposed=True, seed=1)
    if learned:
        random = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for one in (found.tables, found.readout, found.bias):
                one.add_(0.3 * torch.randn(one.shape, generator=random))
    return found


def test_agreement_by_hand() -> None:
    found = agreement(np.array([1.0, 3.0, -1.0]))
    assert (found.mean, found.deviation) == (1.0, 2.0)
    assert found.same_sign == pytest.approx(2 / 3)


def test_an_evaluator_beside_itself(game: Game) -> None:
    whole = make_evaluator(game, "cilp")
    report = compared(game, [(whole, whole), (whole, whole)], ["one", "other"])
    assert [row["changed"] for row in report["moves"]] == [0, 0]
    assert [row["drawn"] for row in report["moves"]] == [0, 0]
    assert [row["mean_difference"] for row in report["moves"]] == [0, 0]
    assert {row["change"]["mean"] for row in report["squares"]} == {0}
    assert {row["change"]["mean"] for row in report["rules"]} == {0}
    assert all(row["initial"] == row["current"] for row in report["distance"])


def test_changed_moves_are_those_of_a_slow_twin(game: Game, played: PlayedPositions) -> None:
    one, other = (network(game, seed, learned=True) for seed in (1, 2))
    played = played.drawn(40, 1)
    found = move_changes(game, one, other, played.states, examples=10**6)
    states = [
        game.state([game.fluents[i] for i in row.nonzero().view(-1).tolist()])
        for row in played.states.to_bool()
    ]
    asked = changed = 0
    for state in states:
        for role, moves in enumerate(state.legal_moves):
            if len(moves) < 2:
                continue
            asked += 1
            best = []
            for evaluator in (one, other):
                worth = {}
                for move in moves:
                    joint = [own[0] for own in state.legal_moves]
                    joint[role] = move
                    after = state.next(joint)
                    worth[move] = (
                        float(after.goals[role] or 0) / 100
                        if after.is_terminal
                        else float(evaluator(after.fluents[None])[0, role].detach())
                    )
                best.append({m for m, w in worth.items() if w >= max(worth.values()) - 1e-7})
            changed += not best[0] & best[1]
    assert (found.asked, found.changed) == (asked, changed)
    assert len(found.examples) == changed > 0
    gaps = [one.loss for one in found.examples]
    assert gaps == sorted(gaps, reverse=True)
    assert min(gaps) > 0


def test_effect_of_a_fluent_by_hand(game: Game, played: PlayedPositions) -> None:
    evaluator = network(game, 1, learned=True)
    found = fluent_effects(game, evaluator, played.states)
    fluent = game.fluent_index("(cell 2 2 x)")
    others = [game.fluent_index(f"(cell 2 2 {mark})") for mark in "ob"]
    wanted = []
    for row in played.states.to_bool():
        if row[fluent]:
            made = row.repeat(3, 1)
            for place, other in enumerate(others, 1):
                made[place, fluent], made[place, other] = False, True
            odds = log_odds(evaluator(made).detach().double().numpy())[:, 0]
            wanted.append(odds[0] - odds[1:].mean())
    assert found.states[fluent] == len(wanted)
    assert found.amounts[fluent, 0] == pytest.approx(float(np.mean(wanted)), abs=1e-6)
    rows = square_effects(game, found.amounts[None, :, 0], found.states > 0)
    assert [r.change.mean for r in rows if r.fluent == fluent] == [found.amounts[fluent, 0]]


def test_rules_that_changed_alike(game: Game) -> None:
    pairs = []
    for amount in (0.1, 0.2):
        initial, current = (make_evaluator(game, "cilp") for _ in range(2))
        with torch.no_grad():
            dict(current.named_parameters())["rho"].add_(amount)
        pairs.append((current, initial))
    rows = rule_agreement(game, pairs)
    assert rows
    assert all(row.change.mean > 0 and row.change.same_sign == 1 for row in rows)
    ends = sorted(row.change.deviation / row.change.mean for row in rows)
    # exp(0.1) - 1 and exp(0.2) - 1 times the weights before: the same for every rule.
    assert ends[0] == pytest.approx(ends[-1], rel=1e-3)
    assert (
        rule_agreement(game, [(network(game, 1, learned=True), network(game, 1, learned=False))])
        == []
    )


def test_command(game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for seed in (1, 2):
        current, initial = (network(game, seed, learned=bool(one)) for one in (1, 0))
        paths.append(tmp_path / f"{seed}.pt")
        save_checkpoint(paths[-1], checkpoint_of(game, current, initial))
    command = ["inspect", str(paths[0]), "--compare", str(paths[1]), "--calibration"]
    assert main([*command, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["comparison"]["names"] == ["this", str(paths[1])]
    assert report["comparison"]["squares"][0]["change"]["runs"] == 2
    assert report["calibration"]["whole"]["count"] > 1000
    assert main(command) == 0
    text = capsys.readouterr().out
    for part in ("best move differs", "by plies to the end", "Brier score"):
        assert part in text


def test_roles_that_are_alike_are_compared() -> None:
    game = Game.load("connectfour")
    played = played_positions(game, None, matches=20, seed=1)
    red = torch.tensor(["red" in text for text in game.fluents])

    class Counter(Evaluator):
        """Values of the first role rise with its stones; black's count for half."""

        def forward(self, fluents: torch.Tensor) -> torch.Tensor:
            held = fluents.float()
            odds = 0.2 * held[:, red].sum(dim=1) - 0.1 * held[:, ~red].sum(dim=1)
            return torch.stack([torch.sigmoid(odds), torch.sigmoid(-odds)], dim=1)

    evaluator = Counter(len(game.fluents), 2, {"kind": "counter"})
    (found,) = role_effects(game, [fluent_effects(game, evaluator, played.states)])
    assert (found.role, found.other) == ("red", "black")
    # Of a stone, that on the same square is the image, and each pair is listed once.
    for row in found.differences:
        assert row.image.replace("black", "red") == row.fluent.replace("black", "red")
    assert len(
        {row.fluent for row in found.differences} | {r.image for r in found.differences}
    ) == (2 * len(found.differences))
    stones = [row for row in found.differences if row.fluent.startswith("(cell")]
    assert len(stones) > 20
    # Red: 0.2 less the mean of -0.1 (black) and 0 (empty); black: 0.1 less that of -0.2 and 0.
    assert {round(abs(row.difference.mean), 4) for row in stones} == {0.05}
    # A single role is like no other.
    alone = Game.load("lightsout")
    states = played_positions(alone, None, matches=5, seed=1).states
    values = make_evaluator(alone, seed=1)
    assert role_effects(alone, [fluent_effects(alone, values, states)]) == []
