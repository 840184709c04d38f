"""Every rulesheet of the library is valid GDL and a well-formed game."""

from __future__ import annotations

import pytest
import torch

from neurogame.circuit.cycles import find_cycles
from neurogame.gdl.library import library_names, library_path, load_rules
from neurogame.gdl.terms import Compound, Rule, Rules
from neurogame.ground.ground import ground
from neurogame.simulate.game import Game
from tests.games.sampling import random_moves
from tests.reference.interpreter import ReferenceGame

# Upper bounds of the number of plies, from the rules: no game may take longer.
MOST_PLIES = {
    **{"amazons5": 21, "arrows4": 24, "atarigo5": 25, "bidding_tictactoe": 18},
    **{"breakthrough": 177, "breakthrough6": 85, "checkers6": 80, "connectfour": 42},
    **{"connectfour5": 20, "connectfour_simultaneous": 48, "dotsandboxes": 24, "eightpuzzle": 30},
    **{"einstein": 160, "fishery": 8, "hex5": 25, "knightthrough": 177, "lightsout": 15},
    **{"loa5": 60, "minichess5": 99, "nim": 16, "nothello": 120, "painters": 2047, "pegs": 31},
    **{"pentago": 71, "pig": 720, "prisoners": 5, "pursuit": 40, "qubic": 64, "reversi": 120},
    **{"reversi6": 64, "rockpaperscissors": 7, "tictactoe": 9, "tictactoe3p": 25},
    **{"tictactoe4p": 25},
}
ONE_ROLE = {"eightpuzzle", "lightsout", "pegs"}
NOT_ZERO_SUM = {"fishery", "prisoners", "pursuit", "tictactoe3p", "tictactoe4p"} | ONE_ROLE
NO_INPUT = {
    *("amazons5", "arrows4", "atarigo5", "breakthrough", "connectfour", "connectfour5"),
    *("lightsout", "loa5", "minichess5", "qubic", "reversi6", "rockpaperscissors"),
    *("tictactoe3p", "tictactoe4p"),
}
NAMES = sorted(MOST_PLIES)


def test_the_library_holds_exactly_these_games() -> None:
    assert library_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_header_tells_title_rules_source_and_purpose(name: str) -> None:
    lines = library_path(name).read_text(encoding="utf-8").splitlines()
    header = lines[: lines.index("")]
    assert all(line.startswith("; ") for line in header)
    entries = [line[2:] for line in header if not line.startswith(";   ")]
    title, summary = entries[0].split(": ", 1)
    assert title
    assert summary.endswith(".")
    assert [entry.split(":")[0] for entry in entries[1:]] == ["Rules", "Source", "Exercises"]
    assert entries[2].startswith("Source: written for neurogame from the rules of the game (")
    assert max(map(len, lines)) <= 100


def heads(rules: Rules) -> set[str]:
    """Return the names of all relations that the rules define."""
    return {rule.head.name for rule in rules}


def test_some_sheets_declare_their_moves_and_some_do_not() -> None:
    assert {name for name in NAMES if "input" not in heads(load_rules(name))} == NO_INPUT


def test_the_library_has_games_of_every_class() -> None:
    games = [Game.load(name) for name in NAMES]
    assert {len(game.roles) for game in games} == {1, 2, 3, 4}
    assert max(len(moves) for game in games for moves in game.moves) > 4000
    assert min(len(moves) for game in games for moves in game.moves) < 4
    assert max(MOST_PLIES.values()) > 2000


@pytest.mark.parametrize(
    ("name", "relations"),
    [
        ("arrows4", {"struck"}),
        ("atarigo5", {"breathes"}),
        ("hex5", {"connected"}),
        ("loa5", {"linked"}),
        ("reversi6", set()),
    ],
)
def test_positive_cycles_of_the_ground_program(name: str, relations: set[str]) -> None:
    """Recursion over a board's neighbours runs in circles, along its directions it does not."""
    program = ground(load_rules(name))
    atoms = [program.atoms.text(atom) for cycle in find_cycles(program) for atom in cycle]
    names = {atom.strip("(").split()[0] for atom in atoms}
    # Stars mark the relations that the grounder adds.
    assert {name for name in names if "*" not in name} == relations


def declared_domain(rules: Rules) -> ReferenceGame:
    """Return a game whose initial state is all of ``base`` and whose legal moves are ``input``."""
    renamed = {"base": "init", "input": "legal"}
    kept = []
    for rule in rules:
        if isinstance(rule.head, Compound) and rule.head.name in renamed:
            head = Compound(renamed[rule.head.name], rule.head.arguments)
            kept.append(Rule(head, rule.body))
        elif rule.head.name not in renamed.values():
            kept.append(rule)
    return ReferenceGame(Rules(tuple(kept), rules.spelling))


@pytest.mark.parametrize("name", sorted(set(NAMES) - NO_INPUT))
def test_declared_moves_and_fluents_cover_what_can_occur(name: str) -> None:
    """Without its base and input rules the game has no fluent or move that was not declared."""
    rules = load_rules(name)
    declared = declared_domain(rules)
    base = declared.initial()
    bare = Rules(
        tuple(rule for rule in rules if rule.head.name not in {"base", "input"}), rules.spelling
    )
    game = Game.from_rules(bare, name)
    for role, moves in enumerate(game.moves):
        allowed = {declared.text(move) for move in declared.legal(base, role)}
        assert set(moves) <= allowed
    if "base" in heads(rules):
        assert set(game.fluents) <= {declared.text(fluent) for fluent in base}


def check_goals(name: str, goals: list[list[int]]) -> None:
    """Require one goal per role, and a sum of 100 where the game is zero-sum."""
    assert all(len(values) == 1 for values in goals)
    if name in NOT_ZERO_SUM:
        assert all(0 <= values[0] <= 100 for values in goals)
    else:
        assert sum(values[0] for values in goals) == 100


@pytest.mark.parametrize("name", NAMES)
def test_many_random_games_on_the_simulator(name: str) -> None:
    game = Game.load(name)
    assert (len(game.roles) == 1) == (name in ONE_ROLE)
    simulator = game.simulator()
    generator = torch.Generator().manual_seed(1)
    states = simulator.initial(256)
    spans = list(zip(game.move_offsets, game.move_offsets[1:], strict=False))
    for _ in range(MOST_PLIES[name] + 1):
        derived = simulator.derive(states)
        for begin, end in spans:
            mobile = derived.legal[:, begin:end].any(dim=1)
            assert bool((mobile | derived.terminal).all())
        if bool(derived.terminal.all()):
            break
        legal = derived.legal & ~derived.terminal[:, None]
        states = simulator.step(states, random_moves(game, legal, generator))
    assert bool(derived.terminal.all()), "a game took longer than the rules allow"
    pairs = [[value for value, _ in role] for role in game.circuit.goals]
    for flags in {tuple(row) for row in derived.goal_flags.tolist()}:
        held = iter(flags)
        check_goals(name, [[value for value in values if next(held)] for values in pairs])
