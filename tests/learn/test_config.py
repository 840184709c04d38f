"""The training configuration: ranges, JSON and command line."""

from __future__ import annotations

import argparse
import dataclasses
import json

import pytest

from neurogame.cli.train import add_arguments
from neurogame.errors import ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.learn.config import TrainConfig
from neurogame.setting_options import chosen_settings


def test_the_papers_numbers_are_the_defaults() -> None:
    config = TrainConfig(optimiser="sgd")
    assert (config.lambda_, config.learning_rate, config.minimum_share) == (0.8, 0.001, 0.1)


def test_json_round_trip_keeps_every_field() -> None:
    config = TrainConfig(
        evaluator=EvaluatorConfig(kind="mlp", hidden=(8, 4)),
        matches=7,
        seconds=2.5,
        lambda_=0.25,
        proofs=False,
        opponent="alphabeta:fuzzy,depth=2",
    )
    assert TrainConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert set(config.to_json()) == {f.name.rstrip("_") for f in dataclasses.fields(config)}


@pytest.mark.parametrize("data", [{"lambada": 1}, {"evaluator": {"kinds": "mlp"}}, {"lambda_": 1}])
def test_unknown_keys_are_refused(data: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="unknown"):
        TrainConfig.from_json(data)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"lambda_": 1.01}, "lambda must be at most 1, found 1.01"),
        ({"epsilon": -0.1}, "epsilon must be at least 0"),
        ({"epsilon": float("nan")}, "finite"),
        ({"depth": 0}, "depth must be at least 1"),
        ({"depth": 1.5}, "depth must be int, found 1.5"),
        ({"depth": True}, "depth must be int, found True"),
        ({"target": "monte"}, "target must be one of outcome, td, found 'monte'"),
        ({"proofs": 1}, "proofs must be bool"),
        ({"matches": 0}, "matches must be at least 1"),
        ({"target": "outcome", "minimum_share": 0, "proofs": False}, "nothing to learn"),
    ],
)
def test_values_out_of_range_are_refused(keywords: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        TrainConfig(**keywords)  # type: ignore[arg-type]


def test_every_field_has_a_text_and_an_option_that_sets_it() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    help_text = parser.format_help()
    line = ["game"]
    wanted: dict[str, object] = {}
    for field in dataclasses.fields(TrainConfig):
        if field.name == "evaluator":
            continue
        about = field.metadata["about"]
        assert len(about.text) > 10
        option = "--paper-" + field.name.rstrip("_").replace("_", "-")
        assert option in help_text
        if field.default is True:
            line.append("--no-" + option[2:])
            wanted[field.name] = False
            continue
        value = about.choices[-1] if about.choices else "1"
        line += [option, value]
        wanted[field.name] = value
    found = chosen_settings(parser.parse_args(line), TrainConfig, "paper")
    assert {
        name: value if value is False else str(value).removesuffix(".0")
        for name, value in found.items()
    } == wanted
