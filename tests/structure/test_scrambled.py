"""Names play no part: a scrambled rulesheet has the structure of the original."""

from __future__ import annotations

import os

import numpy as np
import pytest

from neurogame.array_types import Int64s
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.gdl.renaming import renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.structure.structure import Structure, find_structure
from tests.conftest import SHARED, shared

# Small games of all kinds: boards, puzzles, simultaneous moves, three roles, recursion, many
# symmetries. All 141 rulesheets with NEUROGAME_ALL_STRUCTURES=1, which takes about half an hour.
QUICK = [
    *("2pttc", "asteroids", "atariGoVariant_7x7", "biddingTicTacToe", "blocker", "coins"),
    *("connectFour", "eightPuzzle", "factoringGeorgeForman", "lightsOnSimultaneous"),
    *("mummyMaze2p_2007", "nim3", "onestep", "queens08ug", "sheepAndWolf", "tictactoe_3player"),
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
