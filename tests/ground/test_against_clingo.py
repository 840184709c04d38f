"""Ground programs and circuits against clingo's stable models on random matches."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from neurogame.circuit.build import build_circuit
from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.parse import parse_rules, parse_term
from neurogame.gdl.terms import Rules, Term
from neurogame.ground.ground import ground
from neurogame.ground.program import GroundProgram
from tests.circuit.evaluate import evaluate_circuit
from tests.conftest import shared
from tests.ground.asp import Translation

SHARED_GAMES = [
    "ticTacToe",
    "biddingTicTacToe",
    "blocker",
    "connectFour",
    "cubicup_3player",
    "eightPuzzle",
    "ghostMaze2p",
    "knightThrough",
    "nim3",
    "pentago",
    "sheepAndWolf",
    "tictactoe_3player",
]

# Rules with a variable that no positive literal binds: clingo refuses them.
UNSAFE_CASES = ("test_case_3b", "test_case_3e", "test_case_3f")


def least_model(program: GroundProgram, true: set[int]) -> set[int]:
    """Return the atoms that hold: plain stratified evaluation, written from the definition.

    Negation is evaluated by recursion on the atom, so it suits ground-stratified programs.
    """
    rules: dict[int, list[list[int]]] = {}
    for n, head in enumerate(program.rule_head.tolist()):
        body = program.rule_body[program.rule_start[n] : program.rule_start[n + 1]].tolist()
        rules.setdefault(head, []).append(body)
    holds = set(true)
    decided: set[int] = set()
    while True:
        # Alternating: derive what follows from decided negations, then decide unreachable atoms.
        grown = True
        while grown:
            grown = False
            for head, bodies in rules.items():
                if head not in holds and any(
                    all(
                        (x >> 1 in decided and x >> 1 not in holds) if x & 1 else x >> 1 in holds
                        for x in body
                    )
                    for body in bodies
                ):
                    holds.add(head)
                    grown = True
        possible = set(holds)
        grown = True
        while grown:
            grown = False
            for head, bodies in rules.items():
                if head not in possible and any(
                    all(x >> 1 not in holds if x & 1 else x >> 1 in possible for x in body)
                    for body in bodies
                ):
                    possible.add(head)
                    grown = True
        before = len(decided)
        decided |= set(range(len(program.atoms))) - possible
        decided |= holds
        if len(decided) == before:
            return holds


def play_and_compare(rules: Rules, seed: int, plies: int) -> None:
    program = ground(rules)
    circuit = build_circuit(program)
    twin = Translation(rules)
    choose = random.Random(seed)
    fluents, count = len(program.fluents), program.move_count
    names = [(r, m) for r, moves in zip(program.roles, program.moves, strict=True) for m in moves]
    state = program.initial
    initial = {m for m in twin.model([], []) if m.startswith("(init ")}
    assert initial == {f"(init {program.fluents[i]})" for i in np.flatnonzero(state)}
    for _ in range(plies):
        before = twin.model(map(term, present(program, state)), [])
        legal = [m for m, (r, t) in enumerate(names) if f"(legal {r} {t})" in before]
        choices = [[m for m in legal if names[m][0] == r] for r in program.roles]
        joint = [choose.choice(c) for c in choices if c]
        does = np.zeros(count, np.bool_)
        does[joint] = True
        expected = twin.model(
            map(term, present(program, state)),
            [(term(names[m][0]), term(names[m][1])) for m in joint],
        )
        expected = {a for a in expected if about_a_role(a, program.roles)}
        values = evaluate_circuit(circuit, state[None], does[None])
        found = {f"(legal {r} {t})" for m, (r, t) in enumerate(names) if values.legal[0, m]}
        found |= {f"(next {f})" for i, f in enumerate(program.fluents) if values.next[0, i]}
        found |= {"terminal"} if values.terminal[0] else set()
        found |= {f"(goal {r} {v})" for r, v in values.goals[0]}
        assert found == expected
        true = set(np.flatnonzero(state).tolist()) | {fluents + m for m in joint}
        holds = least_model(program, true)
        assert {program.atoms.text(a) for a in holds if a in set(program.legal.tolist())} == {
            a for a in expected if a.startswith("(legal ")
        }
        if values.terminal[0]:
            break
        state = values.next[0]


def about_a_role(atom: str, roles: tuple[str, ...]) -> bool:
    """Return whether an atom is an output: goals and moves of non-roles are not."""
    parts = atom.strip("()").split()
    return parts[0] in ("next", "terminal") or (parts[0] in ("legal", "goal") and parts[1] in roles)


def present(program: GroundProgram, state: np.ndarray) -> list[str]:
    return [program.fluents[i] for i in np.flatnonzero(state)]


def term(text: str) -> Term:
    return parse_term(text)


@pytest.mark.parametrize("name", SHARED_GAMES)
def test_shared_games(name: str) -> None:
    path = shared("games", f"{name}.kif")
    play_and_compare(parse_rules(path.read_text(), path.name), seed=1, plies=6)


@pytest.mark.parametrize("name", library_names())
def test_library(name: str) -> None:
    play_and_compare(load_rules(name), seed=2, plies=4)


def test_semantic_cases() -> None:
    folder: Path = shared("gdl-cases")
    for path in sorted(folder.glob("test_case_*.kif")):
        if path.stem not in UNSAFE_CASES:
            play_and_compare(parse_rules(path.read_text(), path.name), seed=3, plies=3)
