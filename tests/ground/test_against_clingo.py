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

SHARED_GAMES = ["blocker", "cubicup_3player", "ghostMaze2p", "nim3", "sheepAndWolf"]

# Rules with a variable that no positive literal binds: clingo refuses them.
UNSAFE_CASES = ("test_case_3b", "test_case_3e", "test_case_3f")


RuleParts = list[tuple[int, set[int], set[int]]]
"""Rules of a ground program: the head, and the atoms of positive and of negative literals."""


def rules_of(program: GroundProgram) -> RuleParts:
    found = []
    for n, head in enumerate(program.rule_head.tolist()):
        body = program.rule_body[program.rule_start[n] : program.rule_start[n + 1]].tolist()
        positive = {x >> 1 for x in body if not x & 1}
        found.append((head, positive, {x >> 1 for x in body if x & 1}))
    return found


def least_model(rules: RuleParts, atoms: int, true: set[int]) -> set[int]:
    """Return the atoms that hold: plain stratified evaluation, written from the definition.

    Negation is evaluated by recursion on the atom, so it suits ground-stratified programs.
    """
    holds, false = set(true), set[int]()
    while True:
        # Alternating: derive what follows from decided negations, then decide unreachable atoms.
        holds = derived(holds, [(h, positive) for h, positive, no in rules if no <= false])
        before = len(false)
        possible = derived(holds, [(h, positive) for h, positive, no in rules if not no & holds])
        false = set(range(atoms)) - possible
        if len(false) == before:
            return holds


def derived(true: set[int], rules: list[tuple[int, set[int]]]) -> set[int]:
    """Return what follows from atoms by rules without negation: each head and what it needs."""
    readers: dict[int, list[int]] = {}
    for n, (_, body) in enumerate(rules):
        for atom in body:
            readers.setdefault(atom, []).append(n)
    missing = [len(body) for _, body in rules]
    new = [*true, *(head for head, body in rules if not body)]
    holds: set[int] = set()
    while new:
        atom = new.pop()
        if atom in holds:
            continue
        holds.add(atom)
        for n in readers.get(atom, ()):
            missing[n] -= 1
            if not missing[n]:
                new.append(rules[n][0])
    return holds


def play_and_compare(rules: Rules, seed: int, plies: int) -> None:
    program = ground(rules)
    circuit, program_rules = build_circuit(program), rules_of(program)
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
        holds = least_model(program_rules, len(program.atoms), true)
        assert {program.atoms.text(a) for a in holds & set(program.legal.tolist())} == {
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
    play_and_compare(load_rules(name), seed=2, plies=2)


def test_semantic_cases() -> None:
    folder: Path = shared("gdl-cases")
    for path in sorted(folder.glob("test_case_*.kif")):
        if path.stem not in UNSAFE_CASES:
            play_and_compare(parse_rules(path.read_text(), path.name), seed=3, plies=3)
