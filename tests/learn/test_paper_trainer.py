"""Runs by the paper's rule: the same bits, interrupted or not, and logs that fit."""

from __future__ import annotations

import argparse
import copy
import dataclasses
import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.cli.train import add_arguments
from neurogame.errors import CheckpointError, ConfigurationError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint
from neurogame.learn.checkpoints.content_hash import content_hash
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.match import play_training_match
from neurogame.learn.paper.targets import outcome_examples, outcome_signals, select_states
from neurogame.learn.paper.trainer import PaperTrainer
from neurogame.learn.paper.trajectory import FORCED, SEVERAL, Trajectory, extend_proofs
from neurogame.learn.run_files import LOGS
from neurogame.learn.run_folder import RunFolder
from neurogame.search.lockstep.counter_random import derived_seed
from neurogame.setting_options import chosen_settings
from neurogame.simulate.game import Game, State
from tests.learn.trajectories import NAN, random_trajectory
from tests.library import minimax

SHORT: dict[str, Any] = {
    "evaluator": EvaluatorConfig(kind="cilp-paper", noise=0.01),
    "games": 24,
    "learning_rate": 0.01,
    "seed": 3,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "untrained": {"opponent": "untrained", "opening_plies": 2, "proofs": False},
    "random": {"opponent": "random", "evaluator": EvaluatorConfig(kind="cilp")},
    "fuzzy": {"opponent": "fuzzy", "opening_plies": 1},
}


@cache
def tictactoe() -> Game:
    return Game.load("tictactoe")


def config_of(variant: str) -> PaperConfig:
    return PaperConfig(**{**SHORT, **VARIANTS[variant]})


def start(path: Path, config: PaperConfig) -> PaperTrainer:
    folder = RunFolder(path)
    folder.create(config.to_json())
    return PaperTrainer(tictactoe(), config, folder)


def resume(path: Path) -> PaperTrainer:
    folder = RunFolder(path)
    checkpoint = folder.resume()
    kept = {name: value for name, value in checkpoint.config.items() if name != "recipe"}
    config = PaperConfig.from_json(kept)
    return PaperTrainer(checkpoint.game(), config, folder, checkpoint)


def outcome_of(path: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return a hash of all that must not depend on interruptions, and the logs without times."""
    checkpoint = load_checkpoint(path / "latest.pt")
    counters = {k: v for k, v in checkpoint.counters.items() if k != "seconds"}
    parts = [
        checkpoint.weights,
        checkpoint.initial_weights,
        checkpoint.results,
        checkpoint.random,
        counters,
    ]
    rows = [json.loads(line) for line in (path / "rounds.jsonl").read_text().splitlines()]
    timed = ("seconds", "games_per_second")
    plain = [{name: cell for name, cell in row.items() if name not in timed} for row in rows]
    return content_hash(parts), plain


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_an_interrupted_run_ends_with_the_same_bits(variant: str, tmp_path: Path) -> None:
    config = replace(config_of(variant), games=12)
    start(tmp_path / "whole", config).run()
    random = np.random.default_rng(5)
    trainer = start(tmp_path / "broken", config)
    while True:
        # Stop as Ctrl-C does, or die as kill -9 does: after the last save more rounds were
        # played and logged, and the last line of a log is half written.
        for _ in range(int(random.integers(1, 3))):
            if not trainer.finished():
                trainer.round()
        trainer.save()
        if trainer.finished():
            break
        if random.random() < 0.6:
            trainer.round()
            for name in LOGS:
                with (tmp_path / "broken" / name).open("a") as log:
                    log.write('{"torn')
        trainer = resume(tmp_path / "broken")
    assert outcome_of(tmp_path / "broken") == outcome_of(tmp_path / "whole")
    first = load_checkpoint(tmp_path / "whole" / "latest.pt")
    assert content_hash(first.weights) != content_hash(first.initial_weights)


def test_a_stop_finishes_the_round_and_saves(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("untrained"))
    trainer.run(lambda row: trainer.request_stop())
    assert trainer.counters.rounds == 1
    assert resume(tmp_path / "run").counters.matches == 1


def test_every_match_is_logged(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("untrained"))
    trainer.run()
    path = tmp_path / "run"
    rounds = [json.loads(line) for line in (path / "rounds.jsonl").read_text().splitlines()]
    assert [row["games"] for row in rounds] == list(range(1, 25))
    assert [row["role"] for row in rounds] == [0, 1] * 12
    assert all(sum(row["goals"]) == 1 for row in rounds)
    assert len({row["moves_digest"] for row in rounds}) > 15
    assert json.loads((path / "config.json").read_text()) == config_of("untrained").to_json()
    assert {p.name for p in path.glob("*.pt")} == {"latest.pt"}
    assert not [p for p in path.iterdir() if p.name.startswith(".")]


def test_a_step_is_the_plain_gradient_of_the_squared_error(tmp_path: Path) -> None:
    """Equations (9) and (10): the weights move by minus the rate times the gradient."""
    config = PaperConfig(games=1, learning_rate=0.05, opponent="untrained")
    trainer = start(tmp_path / "run", config)
    seed = derived_seed(config.seed, 100, 0)
    match = play_training_match(trainer.game, config, trainer.untrained, trainer.untrained, 0, seed)
    keys = trainer.evaluator.network_keys
    examples = outcome_examples(
        match,
        torch.tensor([role for role, _ in keys]),
        torch.tensor([goal / 100 for _, goal in keys], dtype=torch.float64),
        config,
    )
    twin = copy.deepcopy(trainer.untrained).requires_grad_()
    error = (twin.networks(examples.fluents) - examples.targets).square().sum() / 2 / len(examples)
    error.backward()  # type: ignore[no-untyped-call]
    assert trainer.round()["loss"] == pytest.approx(float(error.detach()), rel=1e-5)
    moved = 0
    for own, before in zip(trainer.evaluator.parameters(), twin.parameters(), strict=True):
        if before.grad is not None:
            wanted = before.detach() - 0.05 * before.grad
            torch.testing.assert_close(own.detach(), wanted)
            moved += int((before.grad != 0).sum())
    assert moved > 10


def test_learning_moves_values_towards_what_happened(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", PaperConfig(games=90, learning_rate=0.04))
    losses: list[float] = []
    trainer.run(lambda row: losses.append(row["loss"]))
    assert sum(losses[-25:]) < 0.85 * sum(losses[:25])


def test_the_searches_proofs_are_minimax_values() -> None:
    game = tictactoe()
    evaluator = make_evaluator(game).eval()
    config = PaperConfig(games=1, opening_plies=4)
    found = 0
    for number in range(30):
        match = play_training_match(game, config, evaluator, None, number, number)
        for row, proof in zip(match.fluents, match.proved, strict=True):
            if not bool(torch.isnan(proof).any()):
                state = State(game, row)
                assert proof.tolist() == list(minimax(state))
                found += not state.is_terminal
    assert found > 20


def test_the_ply_limit_leaves_a_match_unfinished() -> None:
    config = PaperConfig(games=1, max_plies=3)
    match = play_training_match(tictactoe(), config, make_evaluator(tictactoe()), None, 0, 1)
    assert match.plies == 3
    assert not match.finished


def test_a_resumed_run_remembers_where_it_came_from(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("untrained"))
    trainer.round()
    digest = trainer.save()
    resumed = resume(tmp_path / "run")
    resumed.round()
    resumed.save()
    child = load_checkpoint(tmp_path / "run" / "latest.pt")
    assert child.parent == digest
    assert child.hash != digest


def test_folders_are_not_overwritten_and_foreign_ones_not_resumed(tmp_path: Path) -> None:
    start(tmp_path / "run", config_of("untrained")).save()
    with pytest.raises(ConfigurationError, match=r"already holds a run; .*--resume"):
        RunFolder(tmp_path / "run").create({})
    with pytest.raises(CheckpointError, match="no run to resume"):
        RunFolder(tmp_path / "empty").resume()
    kept = start(tmp_path / "kept", config_of("untrained"))
    kept.folder.save_latest(kept.checkpoint(resumable=False))
    with pytest.raises(CheckpointError, match="without the state needed to resume"):
        RunFolder(tmp_path / "kept").resume()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"evaluator": EvaluatorConfig(kind="fuzzy")}, "no goal networks that learn"),
        ({"evaluator": EvaluatorConfig(kind="mlp")}, "no goal networks that learn"),
        ({"opponent": "nobody"}, "opponent 'nobody'"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    keywords: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        start(tmp_path / "run", PaperConfig(games=1, **keywords))


def test_a_checkpoint_describes_itself(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("untrained"))
    trainer.run()
    checkpoint: Checkpoint = load_checkpoint(tmp_path / "run" / "latest.pt")
    game = checkpoint.game()
    assert checkpoint.fluents == list(game.fluents)
    states = torch.rand((20, len(game.fluents))) < 0.5
    with torch.no_grad():
        for made, kept in (
            (checkpoint.evaluator(), trainer.evaluator),
            (checkpoint.initial_evaluator(game), trainer.untrained),
        ):
            assert torch.equal(made(states), kept(states))


PERCENT = st.integers(0, 100).map(lambda percent: percent / 100)
NETWORK_ROLE = torch.tensor([0, 0, 0, 1, 1, 1])
NETWORK_GOAL = torch.tensor([1.0, 0.5, 0.0, 1.0, 0.5, 0.0], dtype=torch.float64)


def plain_match(plies: int, goals: tuple[float, float]) -> Trajectory:
    """Return a match in which the search has proved the terminal state only."""
    proved = torch.full((plies + 1, 2), NAN, dtype=torch.float64)
    end = torch.tensor(goals, dtype=torch.float64)
    proved[-1] = end
    return Trajectory(
        fluents=torch.eye(plies + 1, dtype=torch.bool),
        goals=end,
        proved=proved,
        moves=torch.zeros((plies, 2), dtype=torch.int64),
    )


def test_terminal_signals_and_discount_are_those_of_equation_9() -> None:
    reached = torch.tensor([True, False])
    signals = outcome_signals(reached, 3, 0.8)
    wanted = [[0.512, -0.512], [0.64, -0.64], [0.8, -0.8], [1.0, -1.0]]
    torch.testing.assert_close(signals, torch.tensor(wanted, dtype=torch.float64))
    assert signals[3].tolist() == [1.0, -1.0]


def test_lambda_zero_leaves_a_signal_at_the_terminal_state_only() -> None:
    assert outcome_signals(torch.tensor([True]), 2, 0.0).flatten().tolist() == [0.0, 0.0, 1.0]


def test_a_win_teaches_every_network_of_every_role() -> None:
    match = plain_match(9, (1.0, 0.0))
    examples = outcome_examples(
        match, NETWORK_ROLE, NETWORK_GOAL, PaperConfig(lambda_=0.8, minimum_share=0.2, proofs=True)
    )
    # 10 states, 20 %: the terminal state, which is solved, and its predecessor.
    assert examples.fluents.to(torch.int64).argmax(dim=1).tolist() == [8, 9]
    signs = [1.0, -1.0, -1.0, -1.0, -1.0, 1.0]
    assert examples.targets[1].tolist() == signs
    assert examples.targets[0].tolist() == pytest.approx([0.8 * sign for sign in signs])


def test_a_proved_state_has_the_full_signal() -> None:
    match = plain_match(9, (1.0, 0.0))
    match.proved[7] = match.goals
    examples = outcome_examples(
        match, NETWORK_ROLE, NETWORK_GOAL, PaperConfig(lambda_=0.8, minimum_share=0.1, proofs=True)
    )
    assert examples.fluents.to(torch.int64).argmax(dim=1).tolist() == [7, 9]
    assert examples.targets[0].tolist() == [1.0, -1.0, -1.0, -1.0, -1.0, 1.0]
    without = outcome_examples(
        match, NETWORK_ROLE, NETWORK_GOAL, PaperConfig(lambda_=0.8, minimum_share=0.1, proofs=False)
    )
    assert without.fluents.to(torch.int64).argmax(dim=1).tolist() == [9]


@pytest.mark.parametrize(
    ("states", "share", "count"), [(30, 0.1, 3), (31, 0.1, 4), (5, 0.1, 1), (20, 0.0, 1)]
)
def test_at_least_the_minimum_share_is_selected(states: int, share: float, count: int) -> None:
    solved = torch.zeros(states, dtype=torch.bool)
    solved[-1] = True
    assert select_states(solved, share).nonzero().flatten().tolist() == list(
        range(states - count, states)
    )


@given(st.lists(st.booleans(), min_size=1, max_size=60), PERCENT)
def test_selection_matches_its_definition(flags: list[bool], share: float) -> None:
    chosen = select_states(torch.tensor(flags), share).tolist()
    twin = list(flags)
    while sum(twin) < share * len(flags) - 1e-6:
        last = max(t for t in range(len(flags)) if not twin[t])
        twin[last] = True
    assert chosen == twin


def slow_outcome(match: Trajectory, lambda_: float, share: float) -> dict[int, list[float]]:
    """Equations (9) and (10), state by state; a proof counts with its own goals."""
    total = match.plies + 1
    found: dict[int, list[float]] = {}
    solved = [not math.isnan(float(match.proved[t, 0])) for t in range(total)]
    use = list(solved)
    if match.finished:
        for t in reversed(range(total)):
            if sum(use) < share * total - 1e-6 and not use[t]:
                use[t] = True
    for t in range(total):
        if not use[t]:
            continue
        value = match.proved[t] if solved[t] else match.goals
        size = 1.0 if solved[t] else lambda_ ** (match.plies - t)
        found[t] = [
            size if float(value[r]) == float(g) else -size
            for r, g in zip(NETWORK_ROLE.tolist(), NETWORK_GOAL.tolist(), strict=True)
        ]
    return found


@given(st.integers(0, 10**6), PERCENT, PERCENT, st.booleans())
def test_outcome_examples_match_the_slow_twin(
    seed: int, lambda_: float, share: float, finished: bool
) -> None:
    match = random_trajectory(seed, finished=finished)
    examples = outcome_examples(
        match,
        NETWORK_ROLE,
        NETWORK_GOAL,
        PaperConfig(lambda_=lambda_, minimum_share=share, proofs=True),
    )
    twin = slow_outcome(match, lambda_, share)
    rows = sorted(twin)
    assert torch.equal(examples.fluents, match.fluents[rows])
    wanted = torch.tensor([twin[t] for t in rows]).reshape(len(rows), 6)
    torch.testing.assert_close(examples.targets, wanted)


def test_proofs_go_back_as_long_as_the_mover_gets_the_best_goal() -> None:
    proved = torch.full((6, 2), NAN, dtype=torch.float64)
    proved[5] = torch.tensor([1.0, 0.0])
    best = torch.ones(2, dtype=torch.float64)
    movers = torch.tensor([0, 1, 0, FORCED, 0])
    result = extend_proofs(proved, movers, best)
    # Role 1 has the choice in state 1, and a loss for it proves nothing there.
    assert torch.isnan(result[:, 0]).tolist() == [True, True, False, False, False, False]
    several = extend_proofs(proved, torch.tensor([0, 0, 0, 0, SEVERAL]), best)
    assert torch.isnan(several[:, 0]).tolist() == [True] * 5 + [False]


def test_the_papers_numbers_are_the_defaults() -> None:
    config = PaperConfig()
    assert (config.lambda_, config.learning_rate, config.minimum_share) == (0.8, 0.001, 0.1)
    assert (config.evaluator.kind, config.opponent, config.opening_plies) == (
        "cilp-paper",
        "fluxplayer",
        0,
    )


def test_json_round_trip_keeps_every_field() -> None:
    config = PaperConfig(
        evaluator=EvaluatorConfig(kind="mlp", hidden=(8, 4)),
        games=7,
        seconds=2.5,
        lambda_=0.25,
        proofs=False,
        opponent="fuzzy",
    )
    assert PaperConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert set(config.to_json()) == {f.name.rstrip("_") for f in dataclasses.fields(config)}


@pytest.mark.parametrize("data", [{"lambada": 1}, {"evaluator": {"kinds": "mlp"}}, {"lambda_": 1}])
def test_unknown_keys_are_refused(data: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="unknown"):
        PaperConfig.from_json(data)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"lambda_": 1.01}, "recipe paper: lambda=1.01; .*0..1"),
        ({"learning_rate": -0.1}, "learning_rate=-0.1; .*at least 0"),
        ({"learning_rate": float("nan")}, "finite"),
        ({"move_seconds": 0}, "move_seconds=0; .*above 0"),
        ({"opening_plies": 1.5}, "opening_plies=1.5; allowed: a whole number"),
        ({"opening_plies": True}, "opening_plies=True; allowed: a whole number"),
        ({"proofs": 1}, "proofs=1; allowed: on or off"),
        ({"games": 0}, "games=0; .*at least 1"),
        ({"minimum_share": 0, "proofs": False}, "nothing to learn"),
    ],
)
def test_values_out_of_range_are_refused(keywords: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        PaperConfig(**keywords)  # type: ignore[arg-type]


def test_every_field_has_a_text_and_an_option_that_sets_it() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    help_text = parser.format_help()
    line = ["game"]
    wanted: dict[str, object] = {}
    for field in dataclasses.fields(PaperConfig):
        if field.name in ("evaluator", "games", "seconds", "seed"):
            continue  # Those of the other recipe under the same names, and nested settings.
        about = field.metadata["about"]
        assert len(about.text) > 10
        option = "--paper-" + field.name.rstrip("_").replace("_", "-")
        assert option in help_text
        if field.default is True:
            line.append("--no-" + option[2:])
            wanted[field.name] = False
            continue
        words = about.choices or ("own",) * (field.name == "opponent_outlook")
        value = words[-1] if words else "1"
        line += [option, value]
        wanted[field.name] = value
    found = chosen_settings(parser.parse_args(line), PaperConfig, "paper")
    assert {
        name: value if value is False else str(value).removesuffix(".0")
        for name, value in found.items()
    } == wanted
