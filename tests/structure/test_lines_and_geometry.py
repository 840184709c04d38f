"""Variables, mode, lines and geometry of known boards, and of scrambled games."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest
import torch

from neurogame.analysis.verdict import Evidence
from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.rule_units import (
    find_rule_units,
    rule_weights,
    units_read,
)
from neurogame.gdl.check import valid_rules
from neurogame.gdl.library import load_rules
from neurogame.gdl.renaming import renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.inspect.attribution.unit_labels import labels_in_mode
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from neurogame.structure.cache import load_structure, save_structure
from neurogame.structure.structure import Structure, StructureLimits, find_structure
from tests.conftest import SHARED, shared
from tests.structure.states import sampled

PHASES = ("placeControl", "selectControl")


def cells(game: Game) -> dict[int, tuple[int, ...]]:
    """Return the coordinates of each variable that is a cell: numbers after the first word."""
    found = {}
    for index, variable in enumerate(game.structure.variables):
        words = game.fluents[int(variable.fluents[0])].strip("()").split()
        if words[0] in ("cell", "stone"):
            found[index] = tuple(int(word) for word in words[1:3])
    return found


def lines_of(game: Game) -> set[frozenset[tuple[int, ...]]]:
    """Return the lines of a game as sets of coordinates."""
    cell = cells(game)
    return {frozenset(cell[v] for v in line) for line in game.structure.lines}


def straight(columns: int, rows: int, length: int) -> set[frozenset[tuple[int, ...]]]:
    """Return all straight lines of a board."""
    found: set[frozenset[tuple[int, ...]]] = set()
    for x in range(1, columns + 1):
        for y in range(1, rows + 1):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [(x + i * dx, y + i * dy) for i in range(length)]
                if all(1 <= a <= columns and 1 <= b <= rows for a, b in line):
                    found.add(frozenset(line))
    return found


def test_tic_tac_toe_has_eight_lines_and_connect_four_has_sixty_nine() -> None:
    assert lines_of(Game.load("tictactoe")) == straight(3, 3, 3)
    assert lines_of(Game.load("connectfour")) == straight(7, 6, 4)
    assert len(straight(3, 3, 3)) == 8
    assert len(straight(7, 6, 4)) == 69


def test_hexagons_are_next_to_six_others() -> None:
    game = Game.load("hex5")
    cell = cells(game)
    mean = {}
    for variable, (row, column) in cell.items():
        other, weight = game.structure.geometry.neighbours(variable)
        near = {
            cell[v]: w for v, w in zip(other.tolist(), weight.tolist(), strict=True) if v in cell
        }
        steps = {(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)}
        beside = {(row + a, column + b) for a, b in steps} & set(cell.values())
        assert beside <= set(near)
        mean[row, column] = min(near[c] for c in beside), near
    middle, near = mean[3, 3]
    apart = [w for c, w in near.items() if abs(c[0] - 3) + abs(c[1] - 3) > 2]
    assert all(w < middle for w in apart)


CHAIN = """(role r) (init (at 1)) (<= (legal r (go ?x ?y)) (true (at ?x)) (way ?x ?y))
(legal r stay) (way 1 2) (way 2 3) (<= (next (at ?y)) (does r (go ?x ?y))) (<= (next (at ?x))
(true (at ?x)) (does r stay)) (init lamp) (<= (next lamp) (true lamp)) (init (switch on))
(<= (next (switch off)) (true (switch on)) (true lamp)) (<= (next (switch on)) (true (switch off)))
(<= terminal (true (at 3)) (true (switch on)) (true flag)) (init flag) (<= (next flag) (true flag)
(not (does r stay))) (<= (goal r 100) (true (at 3))) (<= (goal r 0) (not (true (at 3))))"""


def made(text: str) -> tuple[Circuit, Structure]:
    """Return the structure of the rules in a text."""
    game = Game.from_rules(valid_rules(text, source="text"), "text", cache=False)
    return game.circuit, find_structure(game.circuit, game.rules)


def test_variables_and_geometry_by_hand() -> None:
    circuit, structure = made(CHAIN)
    index = {text: i for i, text in enumerate(circuit.fluents)}
    named = {
        frozenset(circuit.fluents[f] for f in v.fluents.tolist()): (v.exactly, v.evidence)
        for v in structure.variables
    }
    # The lamp never goes out: it is a constant.
    assert named == {
        frozenset({"(at 1)", "(at 2)", "(at 3)"}): (True, Evidence.DECIDED),
        frozenset({"(switch on)", "(switch off)"}): (True, Evidence.DECIDED),
        frozenset({"flag"}): (False, Evidence.PROVED),
    }
    at, switch, flag = (
        int(structure.variable_of[index[t]]) for t in ("(at 1)", "(switch on)", "flag")
    )
    assert structure.variable_of[index["lamp"]] == -1
    assert structure.mode is None
    # Only the end reads several variables: three of them, so each pair weighs 1 / 2.
    for one in (at, switch, flag):
        other, weight = structure.geometry.neighbours(one)
        assert sorted(other.tolist()) == sorted({at, switch, flag} - {one})
        assert weight.tolist() == [0.5, 0.5]
    assert structure.lines == (tuple(sorted((at, switch, flag))),)


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough6", "minichess5", "fishery", "pursuit"])
def test_variables_partition_the_fluents_and_hold_in_play(name: str) -> None:
    game = Game.load(name)
    structure, states = game.structure, sampled(game, 300, seed=9)
    of = np.full(len(game.fluents), -1)
    for index, variable in enumerate(structure.variables):
        assert (np.diff(variable.fluents) > 0).all()
        assert (of[variable.fluents] == -1).all()
        of[variable.fluents] = index
        held = states[:, variable.fluents].sum(axis=1)
        if variable.evidence is not Evidence.SAMPLED:
            assert (held <= 1).all()
            assert not variable.exactly or (held == 1).all()
    assert (of == structure.variable_of).all()
    left = states[:, of == -1]
    assert (left == left[0]).all()


def test_the_mode_says_who_has_a_choice() -> None:
    game = Game.load("breakthrough6")
    mode = game.structure.mode
    assert mode is not None
    fluents = game.structure.variables[mode.variable].fluents.tolist()
    texts = {game.fluents[f]: game.roles[r] for f, r in zip(fluents, mode.roles, strict=True)}
    assert texts == {f"(control {role})": role for role in game.roles}
    assert Game.load("rockpaperscissors").structure.mode is None
    assert Game.load("eightpuzzle").structure.mode is None


def test_small_limits_say_less_and_nothing_wrong() -> None:
    game = Game.load("connectfour")
    limits = StructureLimits(graph_work=0, lines=5, symmetries=1, proof_work=0, play_work=1)
    structure = find_structure(game.circuit, game.rules, limits=limits)
    assert structure.lines == ()
    assert len(structure.symmetries) == 1
    assert not structure.whole_group
    assert all(v.evidence is Evidence.SAMPLED for v in structure.variables if len(v.fluents) > 1)


def test_a_structure_is_kept_on_disk() -> None:
    game = Game.load("pentago")
    structure = find_structure(game.circuit, game.rules)
    save_structure(game.circuit, structure)
    found = load_structure(game.circuit)
    assert found is not None
    assert repr(found) == repr(structure)
    same = zip(found.symmetries, structure.symmetries, strict=True)
    assert all((a.moves == b.moves).all() and (a.fluents == b.fluents).all() for a, b in same)
    assert (found.geometry.weight == structure.geometry.weight).all()


# Small games of all kinds: boards, puzzles, simultaneous moves, three roles, recursion, many
# symmetries. All 141 rulesheets with NEUROGAME_ALL_STRUCTURES=1, which takes about half an hour.
QUICK = [
    *("2pttc", "atariGoVariant_7x7", "biddingTicTacToe", "coins", "eightPuzzle"),
    *("factoringGeorgeForman", "mummyMaze2p_2007", "nim3", "onestep", "tictactoe_3player"),
]
ALL = os.environ.get("NEUROGAME_ALL_STRUCTURES")
NAMES = sorted(p.stem for p in (SHARED / "games").glob("*.kif")) if ALL else QUICK


@pytest.mark.parametrize("name", NAMES)
def test_a_scrambled_game_has_the_same_structure(name: str) -> None:
    rules = load_rules(shared("games", f"{name}.kif"))
    renamed = scramble(rules, seed=5)
    circuit, other = compile_rules(rules), compile_rules(renamed.rules)
    structure = find_structure(circuit, rules)
    found = find_structure(other, renamed.rules)
    index = {text.lower(): number for number, text in enumerate(other.fluents)}
    texts = (renamed_text(text, renamed.to_scrambled) for text in circuit.fluents)
    to = np.array([index[text] for text in texts], np.int64)
    assert counted(structure) == counted(found)
    if structure.whole_group:
        expected = described(found, np.arange(len(to)))
        # What is interchangeable may have been exchanged.
        images = (described(structure, s.fluents[to]) for s in found.symmetries)
        assert any(image == expected for image in images)


def counted(structure: Structure) -> tuple[object, ...]:
    """Return how much there is of everything."""
    return (
        sorted((v.value_count, v.exactly, v.evidence.value) for v in structure.variables),
        None if structure.mode is None else sorted(structure.mode.roles.tolist()),
        np.sort(structure.geometry.weight).round(9).tolist(),
        sorted(map(len, structure.lines)),
        sorted((s.initial, *s.roles.tolist()) for s in structure.symmetries),
        structure.whole_group,
    )


def described(structure: Structure, to: Int64s) -> tuple[object, ...]:
    """Return everything about a structure as plain sets, its fluents renumbered."""
    of = [frozenset(to[v.fluents].tolist()) for v in structure.variables]
    variables = zip(of, structure.variables, strict=True)
    mode, geometry = structure.mode, structure.geometry
    one = np.repeat(np.arange(len(of)), np.diff(geometry.start)).tolist()
    pairs = zip(one, geometry.other.tolist(), geometry.weight.tolist(), strict=True)
    roles: object = None
    if mode is not None:
        fluents = to[structure.variables[mode.variable].fluents]
        roles = frozenset(zip(fluents.tolist(), mode.roles.tolist(), strict=True))
    back = np.argsort(to)
    return (
        frozenset((fluents, v.exactly, v.evidence) for fluents, v in variables),
        roles,
        frozenset((of[a], of[b], round(weight, 9)) for a, b, weight in pairs),
        frozenset(frozenset(of[v] for v in line) for line in structure.lines),
        frozenset(
            (to[s.fluents][back].tobytes(), s.roles.tobytes(), s.initial)
            for s in structure.symmetries
        ),
    )


def test_a_condition_may_leave_each_square_several_things() -> None:
    game = Game.load(shared("games/quarto.kif"))
    structure = game.structure
    assert lines_of(game) == {line for line in straight(4, 4, 4) if len(line) == 4}
    assert len(structure.conditions) == 80
    mode = structure.mode
    assert mode is not None
    texts = [game.fluents[f] for f in structure.variables[mode.variable].fluents]
    assert texts == [f"({what} {role})" for what in PHASES for role in ("black", "white")]
    # Pieces anywhere: the game is over where a condition holds, and only there.
    random = np.random.default_rng(7)
    squares = [structure.variables[v].fluents for v in cells(game)]
    states = np.zeros((100, len(game.fluents)), np.bool_)
    for state in states:
        for fluents, piece in zip(squares, random.permutation(16), strict=True):
            content = f"p{piece:04b}" if random.random() < 0.6 else "empty"
            state[[f for f in fluents.tolist() if game.fluents[f].endswith(f" {content})")]] = True
    held = [
        [len(set(structure.variable_of[[f for f in one if state[f]]])) for state in states]
        for one in structure.conditions
    ]
    ended = game.simulator().status(StateBatch.from_bool(torch.from_numpy(states)))[1].numpy()
    assert ((np.array(held) == 4).any(axis=0) == ended).all()
    assert 0.1 < ended.mean() < 0.9
    units = find_rule_units(game, 100, seed=0)
    assert {unit.least for unit in units} == {2, 3}
    assert tuple(one for one in units_read(structure, *rule_weights(game, units))) == units
    network = make_rules_network(game, RulesNetworkConfig(), opposed=True)
    label = labels_in_mode(network, game, 0)[0][0].label
    assert re.match(r"(row|column|diagonal) \(quarto.kif:\d+\): cell \(1 1\) .* any of p", label)
    assert label.endswith("; at least 3 of 4")
