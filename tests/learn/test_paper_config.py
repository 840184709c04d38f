"""The configuration of the recipe paper: ranges, JSON and command line."""

from __future__ import annotations

import argparse
import dataclasses
import json

import pytest

from neurogame.cli.train import add_arguments
from neurogame.errors import ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.learn.paper.config import PaperConfig
from neurogame.setting_options import chosen_settings


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
        value = about.choices[-1] if about.choices else "1"
        line += [option, value]
        wanted[field.name] = value
    found = chosen_settings(parser.parse_args(line), PaperConfig, "paper")
    assert {
        name: value if value is False else str(value).removesuffix(".0")
        for name, value in found.items()
    } == wanted
