"""What is known of features across matches: added up exactly, and of no other game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from neurogame.features.candidates import find_candidates
from neurogame.features.evidence import FeatureEvidence, evidence_of, sum_games
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import Feature
from neurogame.features.store import MOST, keep_sums, known_evidence, recalled_sums
from neurogame.features.sums import FeatureSums
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.scramble import scramble
from neurogame.gdl.write import rules_text
from neurogame.simulate.game import Game
from neurogame.waiting import listen
from tests.library import load

FEW = EvidenceConfig(games=256, seconds=60)
NAME = "breakthrough6"
candidates = cache(find_candidates)


def keep_in(folder: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is known of features in a folder; what is compiled stays where it is."""
    monkeypatch.setattr("neurogame.simulate.game_file.cache_folder", lambda: folder)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    keep_in(tmp_path, monkeypatch)
    return tmp_path


def played(game: Game, features: tuple[Feature, ...], seed: int) -> FeatureSums:
    return sum_games(game, features, FEW, seed=seed)


def kept(folder: Path) -> Path:
    (path,) = folder.glob("feature-sums-*")
    return path


def same(one: FeatureEvidence, other: FeatureEvidence) -> None:
    assert one.games == other.games
    for name in ("ends", "means", "phases", "strength", "low", "high", "stability", "covariance"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9), name


def test_sums_of_two_starts_are_those_of_all_their_games() -> None:
    game = load(NAME)
    features = candidates(game)
    one, other = (played(game, features, seed) for seed in (1, 2))
    count = one.games + other.games
    rows = one.phases[0].count + other.phases[0].count
    means = [own.phases[0].mean() * own.phases[0].count for own in (one, other)]
    moved = one.moved + other.moved
    one.merge(other)
    assert (one.games, one.phases[0].count) == (count, rows)
    assert one.phases[0].mean() == pytest.approx(sum(means) / rows)
    assert one.moved == pytest.approx(moved)
    nothing = FeatureSums(len(features), 2)
    nothing.merge(one)
    same(evidence_of(features, nothing), evidence_of(features, one))


class Told:
    """Remembers what people wait for."""

    def __init__(self) -> None:
        self.during_: list[str] = []

    def say(self, line: str) -> None:
        raise AssertionError(line)

    @contextmanager
    def during(self, what: str, seconds: float) -> Iterator[None]:
        self.during_.append(what)
        yield


def test_each_start_adds_other_games_until_there_are_enough(folder: Path) -> None:
    game, told = load(NAME), Told()
    features = candidates(game)
    listen(told)
    for number in range(1, 4):
        found = known_evidence(game, FEW, seed=5, what="games")
        assert found.games == 256 * number
        assert told.during_ == [f"{NAME}: games"] * number
    sums = recalled_sums(game, features)
    assert sums is not None
    first = played(game, features, 5)
    assert (sums.ends.mean() != first.ends.mean()).any(), "the same games three times"
    sums.games = MOST
    keep_sums(game, features, sums)
    assert known_evidence(game, FEW, seed=5, what="games").games == MOST
    assert len(told.during_) == 3
    listen(None)


def otherwise(number: int) -> Game:
    """The game under other names; the last one with its roles in another order, too."""
    rules = scramble(load_rules(NAME), number).rules
    if number == 3:
        heads = [rule for rule in rules.rules if rule.head.name == "role"]
        rest = [rule for rule in rules.rules if rule.head.name != "role"]
        rules = replace(rules, rules=(*rest, *heads[::-1]))
    return Game.from_text(rules_text(rules), name="other")


@pytest.mark.parametrize("number", [0, 3])
def test_the_same_game_under_other_names_is_known(folder: Path, number: int) -> None:
    game, other = load(NAME), otherwise(number)
    features, own = candidates(game), candidates(other)
    first = played(game, features, 1)
    keep_sums(game, features, first)
    sums = recalled_sums(other, own)
    assert sums is not None
    # What the other game's own random games say differs by chance only, feature by feature.
    found, fresh = evidence_of(own, sums), evidence_of(own, played(other, own, 2))
    spread = np.sqrt(np.diag(fresh.covariance) + 1e-9)
    assert np.abs(found.mean - fresh.mean) / spread == pytest.approx(0, abs=0.4)
    assert found.strength == pytest.approx(fresh.strength, abs=0.3)
    # Read back under the first names, nothing has changed.
    keep_sums(other, own, sums)
    again = recalled_sums(game, features)
    assert again is not None
    same(evidence_of(features, again), evidence_of(features, first))


def test_games_that_only_look_alike_are_not_taken_for_each_other(folder: Path) -> None:
    text = rules_text(load_rules("tictactoe"))
    game = Game.from_text(text, name="one")
    # The same fluents and moves; but a draw is worth something else.
    other = Game.from_text(text.replace(" 50)", " 40)"), name="other")
    assert (other.fluents, other.moves) == (game.fluents, game.moves)
    features = candidates(game)
    keep_sums(game, features, played(game, features, 1))
    assert recalled_sums(game, features) is not None
    assert recalled_sums(other, find_candidates(other)) is None


@pytest.mark.parametrize("damage", ["half", "nothing", "rules", "keys", "sums", "infinite"])
def test_damaged_files_are_as_if_they_were_not_there(folder: Path, damage: str) -> None:
    game = load("tictactoe")
    features = candidates(game)
    keep_sums(game, features, played(game, features, 1))
    path = kept(folder)
    data = path.read_bytes()
    if damage in ("half", "nothing"):
        path.write_bytes(data[: len(data) // 2] if damage == "half" else b"")
    else:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if damage == "rules":
            arrays["rules"] = np.array(rules_text(load_rules("nim")))
        elif damage == "infinite":
            arrays["sums"][0, 2] = np.inf
        else:
            arrays[damage] = arrays[damage][1:]
        np.savez(path, allow_pickle=False, **arrays)
    assert recalled_sums(game, features) is None
    found = known_evidence(game, FEW, seed=1, what="x")
    assert found.games == 256
    assert recalled_sums(game, features) is not None


def test_without_a_cache_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_in(None, monkeypatch)
    game = load("tictactoe")
    for _ in range(2):
        assert known_evidence(game, FEW, seed=1, what="x").games == 256


def test_a_folder_that_cannot_be_written_to_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    keep_in(tmp_path / "file", monkeypatch)
    game = Game.from_rules(parse_rules(rules_text(load_rules("tictactoe"))), "own")
    assert known_evidence(game, FEW, seed=1, what="x").games == 256
