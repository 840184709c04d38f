"""What units and tables are called: by the rules and squares that they look at, in all games."""

from __future__ import annotations

import re

import pytest
import torch

from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.gdl.library import library_names
from neurogame.gdl.scramble import scramble
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.in_short import LINES, in_short
from neurogame.inspect.attribution.unit_labels import UnitLabel, labels_in_mode, units_of
from neurogame.inspect.named_state import named_state
from neurogame.inspect.table import told
from neurogame.inspect.unit_rules import unit_rules, unit_tables
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.show.state_text import squares_text
from neurogame.simulate.game import Game, State
from tests.conftest import REPOSITORY

ANONYMOUS = re.compile(r"hidden unit|pattern \d|unit \d|part \d|node \d")


def network(game: Game, hidden: int = 40, lookups: int = 12, rules: float = 0.9) -> RulesNetwork:
    """Return an evaluator whose weights have moved away at random from what they began as."""
    config = RulesNetworkConfig(hidden=hidden, lookups=lookups, rules=rules)
    evaluator = make_rules_network(game, config, opposed=False, seed=1)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for part in evaluator.learned_weights():
            part.add_(torch.randn(part.shape, generator=generator) / 5)
    return evaluator


def rules_of(labels: list[UnitLabel]) -> list[str]:
    """Return the labels of units that began as conditions of the rules."""
    return [one.label for one in labels if one.kind == "rule"]


@pytest.mark.parametrize("name", library_names())
def test_nothing_is_anonymous(name: str) -> None:
    game = Game.load(name)
    evaluator = network(game)
    for mode in range(min(evaluator.layout.sizes.modes, 2)):
        units, tables = labels_in_mode(evaluator, game, mode)
        labels = [one.label for one in (*units, *tables)]
        assert not [label for label in labels if ANONYMOUS.search(label)]
        free = [one.label for one in units if one.kind == "unit"]
        assert len(set(free)) == len(free)
        began = [unit for unit in units_of(evaluator, game) if unit is not None]
        assert len(rules_of(units)) == len(began)
        assert len(set(rules_of(units))) == len(set(began))
        # Every rule has been traced to its head, and that to a line of the rulesheet.
        assert all(re.search(rf"\({name}\.kif:\d+\): ", one) for one in rules_of(units))


@pytest.mark.parametrize(
    "name", ["tictactoe", "connectfour", "breakthrough6", "pig", "eightpuzzle"]
)
def test_few_lines_add_up(name: str) -> None:
    game = Game.load(name)
    evaluator = network(game)
    for plies in range(5):
        found = attribute(evaluator, named_state(game, f"random:{plies}:{plies}"), 0)
        rows = in_short(found)
        assert 0 < len(rows) <= LINES
        total = found.base + found.gap + sum(row["amount"] for row in rows)
        assert total == pytest.approx(found.total, abs=1e-5)
        assert sum(row["share"] for row in rows) == pytest.approx(1)
        assert not [row for row in rows if ANONYMOUS.search(row["text"])]


def test_lines_are_named_by_their_squares_and_rule() -> None:
    game = Game.load("tictactoe")
    units, _ = labels_in_mode(network(game), game, 0)
    row = "line of x (tictactoe.kif:56): (cell 1 1 x) (cell 2 1 x) (cell 3 1 x); at least "
    assert sorted(label for label in rules_of(units) if label.startswith(row)) == [
        row + "1 of 3",
        row + "2 of 3",
    ]
    rules = (REPOSITORY / "games" / "tictactoe.kif").read_text().splitlines()
    assert rules[55].startswith("(<= (line ?s)")


def test_the_other_player_sees_the_other_player_s_lines() -> None:
    game = Game.load("connectfour")
    evaluator = network(game, hidden=320, rules=1.0)
    lines = [rules_of(labels_in_mode(evaluator, game, mode)[0]) for mode in range(2)]
    # Of the other threshold there may be fewer units than lines.
    almost = [{label for label in labels if "at least 3" in label} for labels in lines]
    assert almost[0] == almost[1]
    assert len(almost[0]) == 138
    pairs = zip(*lines, strict=True)
    assert all(one.split()[:3] != other.split()[:3] for one, other in pairs)
    red = "(cell 2 1 red) (cell 3 2 red) (cell 4 3 red) (cell 5 4 red); at least 3 of 4"
    assert f"line of red (connectfour.kif:61): {red}" in lines[0]


def test_conditions_of_legal_moves_say_which_move() -> None:
    game = Game.load("breakthrough6")
    units, _ = labels_in_mode(network(game, hidden=400, rules=1.0), game, 0)
    (label,) = (one for one in rules_of(units) if "(move 3 4 4 5)" in one and "all" in one)
    assert label == (
        "legal of white (breakthrough6.kif:44): (legal white (move 3 4 4 5)) if "
        "(cell 3 4 white) (not (cell 4 5 white)); all"
    )


def test_a_scrambled_copy_has_labels_in_its_own_words() -> None:
    game = Game.load("tictactoe")
    renamed = scramble(game.rules, 7, numbers=True)
    copy = Game.from_rules(renamed.rules, "copy", cache=False)
    mine, yours = (
        # Weights drawn at random see other things where fluents stand in another order.
        [
            one.label
            for group in labels_in_mode(network(g), g, 0)
            for one in group
            if one.kind != "unit"
        ]
        for g in (game, copy)
    )
    words = set(re.findall(r"[a-z]+", " ".join(copy.fluents + copy.roles)))
    said = {word for label in yours for word in re.findall(r"[a-z]{3,}", label)}
    assert "cell" in " ".join(mine)
    assert not said & {"cell", "line", "xplayer", "oplayer"}
    assert words & said
    assert sorted(len(label.split()) for label in mine) == sorted(len(one.split()) for one in yours)


def test_a_table_is_told_by_what_stands_there() -> None:
    game = Game.load("connectfour")
    evaluator = network(game, hidden=0)
    state = named_state(game, "(cell 1 1 red) (cell 2 1 black) (cell 1 2 red) (control red)")
    for one in attribute(evaluator, state, 0).contributions:
        assert one.label.startswith("cell (")
        squares = [tuple(game.fluents[f].strip("()").split()[1:3]) for f in one.fluents]
        assert {f"({column} {row})" for column, row in squares} == {
            f"({place})" for place in re.findall(r"\(([^)]*)\)", one.label)
        }
    text = " ".join(row["text"] for row in in_short(attribute(evaluator, state, 0)))
    assert "(1 1) red" in text or "(2 1) black" in text or "(1 2) red" in text


def test_additions_and_rules_that_changed_are_told() -> None:
    game = Game.load("tictactoe")
    config = RulesNetworkConfig(hidden=48, lookups=48, rules=0.9)
    evaluator, initial = (make_rules_network(game, config, opposed=True, seed=1) for _ in range(2))
    units = [unit for unit in units_of(evaluator, game) if unit is not None]
    with torch.no_grad():
        evaluator.readout.fill_(0.25)
        for number, unit in enumerate(units):
            evaluator.embedding[:, list(unit.held), number] *= {1: 3, 2: -1}[unit.least]
        evaluator.tables[0, 0, 0] = 9.0
    report = unit_rules(evaluator, initial, game)
    assert report["additions"][0]["adds"] == pytest.approx(9.0)
    assert report["additions"][0]["label"].startswith("table of cell (")
    assert {(row["least"], row["became"], row["own"]) for row in report["rules"]} == {
        ("at least 1 of 3", "grew", 3.0),
        ("at least 2 of 3", "changed sign", -1.0),
    }
    text = told(unit_tables(report, game.roles[0]))
    assert "line of x (tictactoe.kif:" in text
    assert not ANONYMOUS.search(text)
    assert all(row["first"] == 0 for row in report["rules"])


def test_amounts_are_for_the_first_role_that_somebody_plays() -> None:
    """In this game the first role is chance, which wants nothing."""
    game = Game.load("pig")
    assert game.roles[0] == "random"
    config = RulesNetworkConfig(hidden=48, lookups=0, rules=0.9)
    evaluator = make_rules_network(game, config, opposed=False, seed=1)
    with torch.no_grad():
        evaluator.readout.zero_()
        evaluator.readout[:, 1] = 0.5
    rows = unit_rules(evaluator, evaluator, game)["rules"]
    assert any(row["adds"] > 0 for row in rows if row["when"] == "(at first choice)")


def test_what_is_shipped_leaves_little_untold() -> None:
    shares = []
    for name in ("connectfour", "breakthrough6", "reversi6"):
        checkpoint = load_checkpoint(REPOSITORY / "checkpoints" / f"{name}.pt")
        game = checkpoint.game()
        evaluator = checkpoint.evaluator(game)
        for plies in range(4, 24, 2):
            state: State = named_state(game, f"random:{plies}:{plies}")
            rows = in_short(attribute(evaluator, state, 0))
            assert "(" + name + ":" not in "".join(row["text"] for row in rows)
            shares += [row["share"] for row in rows[-1:] if row["text"].startswith("other")]
    assert sum(shares) / 30 < 0.25


def test_units_that_began_as_features_are_named_by_them() -> None:
    game = Game.load("breakthrough6")
    evaluator = make_rules_network(
        game, RulesNetworkConfig(hidden=40, rules=0.0, features=0.5), opposed=True
    )
    labels = [labels_in_mode(evaluator, game, mode)[0] for mode in range(2)]
    features = [[one for one in units if one.label.startswith("feature: ")] for units in labels]
    assert [len(units) for units in features] == [20, 20]
    pairs = [[one.label.split("; ") for one in pair] for pair in zip(*features, strict=True)]
    # What one player has more is what the other has less; the same unit says it of both.
    more = [pair for pair in pairs if "black), less that of white" in pair[0][0]]
    assert len(more) > 2
    for (text, least), (other, most) in more:
        assert text == other
        assert {least.split()[0], most.split()[0]} == {"above", "below"}


def test_a_feature_answers_where_its_label_says() -> None:
    game = Game.load("breakthrough6")
    evaluator = make_rules_network(
        game, RulesNetworkConfig(hidden=40, rules=0.0, features=0.5), opposed=True
    )
    pattern = re.compile(r"feature: number of \(cell \* \* (\w+)\), .*; (above|below) (.*)")
    state = named_state(game, "random:20:1")
    held, asked = state.fluents.float(), 0
    first = evaluator.layout.seen(held[None], int(evaluator.layout.mode_of(held[None])[0]))[0]
    units, _ = labels_in_mode(evaluator, game, int(evaluator.layout.mode_of(held[None])[0]))
    for number, label in enumerate(units):
        said = pattern.fullmatch(label.label)
        if said is None or "less that" not in label.label:
            continue
        colours = [text.split()[-1].strip(")") for text in state.fluent_texts if "cell" in text]
        more = 2 * colours.count(said[1]) - len(colours)
        inside = more > float(said[3]) if said[2] == "above" else more < float(said[3])
        before = float(first @ evaluator.first_embedding[:, number] + evaluator.first_bias[number])
        if abs(before) > 0.3:
            assert (before > 0) == inside
            asked += 1
    assert asked > 2


def test_squares_are_drawn_in_a_line() -> None:
    game = Game.load("tictactoe")
    fluents = [game.fluent_index(f"(cell {x} {y} x)") for x, y in ((1, 1), (2, 2), (3, 2))]
    drawn = squares_text(game, fluents)
    assert sorted("".join(sorted(row)) for row in drawn.split("/")) == ["...", "..x", ".xx"]
    assert squares_text(game, [game.fluent_index("(control xplayer)")]) == ""
    cube = Game.load("qubic")
    line = [cube.fluent_index(f"(cell {z} 1 1 xplayer)") for z in range(1, 5)]
    assert squares_text(cube, line).count("x") == 4
    evaluator = network(cube)
    rows = unit_rules(evaluator, evaluator, cube)
    assert all(row["board"].count("x") == 4 for row in rows["conditions"])
