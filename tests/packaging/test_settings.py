"""The scheme of settings: one description of a field serves checks, JSON, texts and options."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, final

import pytest

from neurogame.errors import ConfigurationError
from neurogame.setting_options import add_settings, chosen_settings, settings_text
from neurogame.settings import Settings, described, setting, settings_of, spellings
from tests.packaging.test_house_rules import MODULES


@final
@dataclass(frozen=True, kw_only=True)
class Inner(Settings):
    """Settings that others hold."""

    width: int = setting(3, "a width", least=1)


@final
@dataclass(frozen=True, kw_only=True)
class Outer(Settings):
    """One field of each kind."""

    inner: Inner = setting(Inner(), "settings of its own")
    whole_: int = setting(1, "a whole number", least=1, most=5)
    real: float | None = setting(None, "above 0 and below 1, or None", above=0, below=1)
    flag: bool = setting(True, "yes or no")
    word: Literal["one", "two"] = setting("one", "a word")
    either: Literal["auto"] | float = setting("auto", "a word or a number", least=0)
    name: str = setting("", "any text", spelling="title")
    many: tuple[int, ...] = setting((1,), "one or more numbers", least=0, some=True)


def kinds() -> list[type[Settings]]:
    """Return all settings of the package."""
    found = []
    for name in MODULES:
        if name == "neurogame.envs.spiel" and find_spec("pyspiel") is None:
            continue  # The only extra that tests do without.
        for thing in vars(importlib.import_module(name)).values():
            own = isinstance(thing, type) and thing.__module__ == name
            if own and issubclass(thing, Settings) and thing is not Settings:
                found.append(thing)
    return found


def test_all_settings_are_frozen_documented_and_survive_json() -> None:
    everything = kinds()
    assert len(everything) >= 16
    for kind in everything:
        assert dataclasses.is_dataclass(kind)
        assert kind.__dataclass_params__.frozen
        entries = settings_of(kind)
        assert [entry.name for entry in entries] == [f.name for f in dataclasses.fields(kind)]
        assert all(len(entry.about.text) > 2 for entry in entries), kind
        assert len(set(spellings(kind))) == len(entries)
        if all(entry.default is not dataclasses.MISSING for entry in entries):
            default = kind()
            assert all(entry.refusal(getattr(default, entry.name)) is None for entry in entries)
            assert kind.from_json(default.to_json()) == default
        with pytest.raises(ConfigurationError, match="no-such-setting"):
            kind.from_json({"no-such-setting": 1})


def test_json_keeps_every_kind_of_field() -> None:
    made = Outer(inner=Inner(width=7), whole_=4, real=0.5, flag=False, either=2.0, many=(1, 2))
    text = json.dumps(made.to_json())
    assert Outer.from_json(json.loads(text)) == made
    assert set(made.to_json()) == {
        "inner", "whole", "real", "flag", "word", "either", "title", "many",
    }  # fmt: skip
    assert Outer.from_json({"whole": 4.0}).whole_ == 4


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"whole_": 0}, "whole=0; allowed: a whole number (1..5)"),
        ({"whole_": 6}, "whole=6; allowed: a whole number (1..5)"),
        ({"whole_": 1.5}, "whole=1.5; allowed: a whole number (1..5)"),
        ({"whole_": True}, "whole=True; allowed: a whole number (1..5)"),
        ({"whole_": None}, "whole=None; allowed: a whole number (1..5)"),
        ({"real": 0.0}, "real=0.0; allowed: a finite number (above 0 and below 1)"),
        ({"real": 1.0}, "real=1.0; allowed: a finite number (above 0 and below 1)"),
        ({"real": float("inf")}, "real=inf; allowed: a finite number (above 0 and below 1)"),
        ({"real": "half"}, "real='half'; allowed: a finite number (above 0 and below 1)"),
        ({"flag": 1}, "flag=1; allowed: on or off"),
        ({"word": "three"}, "word='three'; allowed: one of one, two"),
        ({"either": "none"}, "either='none'; allowed: one of auto or a finite number (at least 0)"),
        ({"either": -1.0}, "either=-1.0; allowed: one of auto or a finite number (at least 0)"),
        ({"name": 3}, "title=3; allowed: a text"),
        ({"many": ()}, "many=(); allowed: one or more values, each a whole number (at least 0)"),
        (
            {"many": (1, -1)},
            "many=(1, -1); allowed: one or more values, each a whole number (at least 0)",
        ),
        (
            {"many": [1]},
            "many=[1]; allowed: a tuple of one or more values, each a whole number (at least 0)",
        ),
        ({"inner": 3}, "inner=3; allowed: Inner"),
    ],
)
def test_refusals_say_what_was_found_and_what_is_allowed(
    values: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Outer(**values)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_texts_are_read_by_the_type_of_the_field() -> None:
    texts = {"whole": "2", "real": "none", "flag": "off", "either": "0.5", "title": "x"}
    assert Outer.from_texts({**texts, "many": "1,2"}) == Outer(
        whole_=2, flag=False, either=0.5, name="x", many=(1, 2)
    )
    for name, text, message in (
        ("whole", "x", "whole='x'; allowed: a whole number"),
        ("real", "x", "real='x'; allowed: a finite number .* or none"),
        ("flag", "1", "flag='1'; allowed: on or off"),
        ("either", "x", "either='x'; allowed: one of auto or a finite number"),
        ("colour", "x", "unknown option 'colour'; allowed are inner, whole"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            Outer.read({name: text})


def test_options_of_the_command_line_have_a_prefix_if_wanted() -> None:
    parser = argparse.ArgumentParser()
    add_settings(parser, Outer)
    add_settings(parser, Inner, "inner")
    line = ["--whole", "3", "--no-flag", "--word", "two", "--either", "auto", "--many", "4,5"]
    options = parser.parse_args([*line, "--title", "x", "--inner-width", "9"])
    assert Outer(**chosen_settings(options, Outer)) == Outer(
        whole_=3, flag=False, word="two", name="x", many=(4, 5)
    )
    assert chosen_settings(options, Inner, "inner") == {"width": 9}
    with pytest.raises(SystemExit):
        parser.parse_args(["--either", "x"])


@final
@dataclass(frozen=True, kw_only=True)
class Demanding(Settings):
    """One field without a default."""

    least: int = dataclasses.field(metadata=described("at least one"))


def test_what_must_be_given_is_said_to_be_needed() -> None:
    assert settings_text(Outer).splitlines()[1] == "  whole=1  a whole number (1..5)"
    assert settings_text(Demanding) == "  least=needed  at least one"
