"""A copy of a rulesheet in other words learns the same weights, and tells them in its own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from neurogame.array_types import Int64s
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.gdl.library import load_rules
from neurogame.gdl.renaming import renamed_rule, renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.in_short import in_short
from neurogame.inspect.attribution.unit_labels import labels_in_mode, units_of
from neurogame.inspect.named_state import named_state
from neurogame.inspect.unit_rules import unit_rules
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Trainer
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.home_search import HomeSearch
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State
from neurogame.simulate.samples import sample_states
from tests.gdl.slow_renaming import shuffled

LINES, COUNTING, CAPTURE, THREE_ROLES = "connectfour", "reversi6", "breakthrough6", "tictactoe3p"
GAMES = (LINES, COUNTING, CAPTURE, THREE_ROLES)


@dataclass(frozen=True, kw_only=True, eq=False)
class Twins:
    """A game and its copy.

    Attributes:
        home: the game.
        copy: the same in other words.
        names: words of the game, folded, to those of the copy.
        fluents: for each fluent of the game its index in the copy; int64 ``[F]``.
    """

    home: Game
    copy: Game
    names: Mapping[str, str]
    fluents: Int64s


@cache
def twins(name: str, *, ordered: bool) -> Twins:
    """Return a library game and a copy in which no name is as it was.

    Args:
        name: of the game.
        ordered: whether the new names are sorted as the old ones were, so that fluents and moves
            have the same numbers; else they are sorted the other way round.
    """
    rules = load_rules(name)
    drawn = scramble(rules, 9).to_scrambled
    words = sorted(drawn.values(), reverse=not ordered)
    names = dict(zip(sorted(drawn), words, strict=True))
    renamed = tuple(renamed_rule(rule, names, {}) for rule in rules)
    home, copy = (
        Game.from_rules(rules, name),
        Game.from_rules(replace(rules, rules=renamed, spelling={}), "copy", cache=False),
    )
    index = {text.lower(): number for number, text in enumerate(copy.fluents)}
    fluents = np.array([index[renamed_text(text, names)] for text in home.fluents], np.int64)
    assert bool((np.diff(fluents) > 0).all()) == ordered
    return Twins(home=home, copy=copy, names=names, fluents=fluents)


@cache
def learned(name: str, *, copy: bool) -> RulesNetwork:
    """Return what a short run learns of a game, or of its copy with names sorted alike."""
    both = twins(name, ordered=True)
    game = both.copy if copy else both.home
    config = fitted(game, {"lanes": 64}, seed=3)
    learner = LaneLearner(game, config, fresh_rules_network(game, config))
    while learner.counters.matches < 200:
        learner.round()
    return learner.averaged


def in_other_words(text: str, names: Mapping[str, str]) -> str:
    """Return a text with all names changed, those in brackets and those of what is concluded."""
    return re.sub(r"[a-z_]\w*", lambda word: names.get(word[0].lower(), word[0]), text, flags=re.I)


@pytest.mark.parametrize("name", GAMES)
def test_names_play_no_part_in_what_is_learned(name: str) -> None:
    mine, yours = learned(name, copy=False), learned(name, copy=True)
    assert mine.describe() == yours.describe()
    state = yours.state_dict()
    for tensor, weights in mine.state_dict().items():
        assert torch.equal(weights, state[tensor]), tensor
    assert any(bool(weights.any()) for weights in (mine.readout, mine.tables))


@pytest.mark.parametrize("name", GAMES)
def test_all_labels_are_the_same_in_other_words(name: str) -> None:
    both = twins(name, ordered=True)
    mine, yours = learned(name, copy=False), learned(name, copy=True)
    for mode in range(mine.layout.sizes.modes):
        labels = [
            [(one.kind, one.label, one.fluents) for group in groups for one in group]
            for groups in (
                labels_in_mode(mine, both.home, mode),
                labels_in_mode(yours, both.copy, mode),
            )
        ]
        for (kind, label, fluents), its in zip(*labels, strict=True):
            assert (kind, in_other_words(label, both.names), fluents) == its
    texts = " ".join(label for _, label, _ in labels[1])
    assert both.names["cell"] in texts
    assert not re.search(rf"\b({'|'.join(n for n in both.names if n.isidentifier())})\b", texts)
    assert ("feature: " in texts) == (name in (COUNTING, CAPTURE))


@pytest.mark.parametrize("name", [LINES, CAPTURE])
def test_the_same_is_told_of_states_and_of_rules(name: str) -> None:
    both = twins(name, ordered=True)
    mine, yours = learned(name, copy=False), learned(name, copy=True)
    for plies in range(3, 12, 2):
        state = named_state(both.home, f"random:{plies}:{plies}")
        twin = State(both.copy, state.fluents)
        told = [
            [(row["amount"], row["text"]) for row in in_short(attribute(network, at, 0))]
            for network, at in ((mine, state), (yours, twin))
        ]
        assert [(amount, in_other_words(text, both.names)) for amount, text in told[0]] == told[1]
    rules = unit_rules(mine, mine, both.home), unit_rules(yours, yours, both.copy)
    for part in ("rules", "conditions", "additions"):
        rows = [[(row["adds"], row["label"]) for row in one[part]] for one in rules]
        assert rows[0]
        assert [(adds, in_other_words(label, both.names)) for adds, label in rows[0]] == rows[1]


@pytest.mark.parametrize("name", [LINES, COUNTING, CAPTURE])
def test_names_sorted_otherwise_change_what_is_drawn_but_not_what_there_is(name: str) -> None:
    """Fluents are numbered by their texts, and random weights are drawn by these numbers.

    So a copy whose names are sorted otherwise has the same settings, look-ups and kinds of units,
    but other random weights, and other conditions where there is no room for all.
    """
    both = twins(name, ordered=False)
    settings = fitted(both.home, seed=3), fitted(both.copy, seed=3)
    assert settings[0] == settings[1]
    mine, yours = (
        fresh_rules_network(game, config)
        for game, config in zip((both.home, both.copy), settings, strict=True)
    )
    assert mine.layout.sizes == yours.layout.sizes
    # What is interchangeable may have been exchanged.
    read = look_ups(yours, np.arange(len(both.fluents)))
    images = (look_ups(mine, one.fluents[both.fluents]) for one in both.copy.structure.symmetries)
    assert any(image == read for image in images)
    began = [
        [(len(unit.literals), unit.least) for unit in units_of(network, game) if unit]
        for network, game in ((mine, both.home), (yours, both.copy))
    ]
    assert len(began[0]) == len(began[1])
    assert set(began[0]) == set(began[1])
    same = torch.equal(mine.first_embedding, yours.first_embedding[torch.from_numpy(both.fluents)])
    assert not same
    whole = {label.partition(": ")[0] for label in labels(mine, both.home)}
    its = {label.partition(": ")[0] for label in labels(yours, both.copy)}
    assert {in_other_words(one, both.names) for one in whole} == its


def look_ups(network: RulesNetwork, to: Int64s) -> set[frozenset[int]]:
    """Return the fluents that each look-up reads, by their numbers in another game."""
    return {frozenset(to[np.flatnonzero(one)].tolist()) for one in network.layout.addends().T}


def labels(network: RulesNetwork, game: Game) -> list[str]:
    """Return the labels of all units that began as conditions."""
    return [one.label for one in labels_in_mode(network, game, 0)[0] if one.kind == "rule"]


@pytest.mark.parametrize("name", ["tictactoe", "tictactoe3p", "bidding_tictactoe"])
def test_the_scrambled_copy_is_valued_and_played_alike(name: str, tmp_path: Path) -> None:
    own = Game.load(name)
    renamed = scramble(own.rules, 7, numbers=True)
    other = Game.from_rules(shuffled(renamed.rules, 8), "other", cache=False)
    learner = fitted(own, {"lanes": 64, "network": {"hidden": 16, "lookups": 8}}, seed=1)
    folder = RunFolder(tmp_path / "run")
    folder.create({})
    trainer = Trainer(own, TrainConfig(learner=learner, games=400, release_matches=2), folder)
    trainer.run()
    # What has been learned, whether or not it has beaten the untrained networks.
    trainer.release = type(trainer.release)(evaluator=trainer.learner.averaged, seconds=1.0)
    trainer.save()
    checkpoint = load_checkpoint(folder.latest)
    there = checkpoint.mapping(other)
    evaluator, its_twin = checkpoint.evaluator(own), checkpoint.evaluator(there.home)
    assert isinstance(evaluator, RulesNetwork)
    fluents, roles = list(there.fluents), list(there.roles)
    states = sample_states(own.simulator(), 60, seed=5).to_bool()
    twins = torch.zeros_like(states)
    twins[:, fluents] = states
    with torch.no_grad():
        values = evaluator(states).numpy()
    assert len(np.unique(values)) > 20
    searches = (
        AlphaBeta(own, evaluator, seed=1),
        HomeSearch(AlphaBeta(there.home, its_twin, seed=1), there),
    )
    for state, twin in zip(states, twins, strict=True):
        here, copy = State(own, state), State(other, twin)
        if here.is_terminal:
            continue
        for role, its_role in enumerate(roles):
            found = searches[0].search(here, role, Limit(depth=1))
            its = searches[1].search(copy, its_role, Limit(depth=1))
            scores = {there.moves[role][move]: value for move, value in found.scores.items()}
            assert its.scores == scores
            assert its.move == there.moves[role][found.move]
