"""The circuit's shape, positive cycles, refusals, and the cache on disk."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit import compile as compile_module
from neurogame.circuit import fixpoint
from neurogame.circuit.build import build_circuit
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.circuit.cycles import find_cycles
from neurogame.errors import GroundingError, LimitError
from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits
from tests.circuit.by_hand import inputs_of
from tests.circuit.evaluate import evaluate_circuit

FRAME = "(role r) (<= (legal r (set ?x ?y)) (node ?x) (node ?y)) (goal r 0)"
NODES = " ".join(f"(node n{i})" for i in range(4))
EDGES = "(<= (next (edge ?x ?y)) (true (edge ?x ?y))) (<= (next (edge ?x ?y)) (does r (set ?x ?y)))"
REACH = """
(<= (reach ?x ?y) (true (edge ?x ?y)))
(<= (reach ?x ?z) (true (edge ?x ?y)) (reach ?y ?z))
(<= terminal (reach n0 n3))
"""


def circuit_of(text: str) -> Circuit:
    return build_circuit(ground(parse_rules(text)))


@pytest.mark.parametrize("name", library_names())
def test_invariants(name: str) -> None:
    circuit = build_circuit(ground(load_rules(name)))
    first = circuit.input_count
    nodes = first + np.repeat(np.arange(circuit.gate_count), np.diff(circuit.graph.start))
    inputs = circuit.graph.inputs
    assert (np.diff(circuit.graph.start) >= 2).all()
    assert (inputs >> 1 < nodes).all()
    assert (inputs >> 1 > 0).all(), "a constant survived"
    same_gate = nodes[1:] == nodes[:-1]
    assert (inputs[1:] >> 1 > inputs[:-1] >> 1)[same_gate].all(), "unsorted, repeated or opposed"
    levels = np.concatenate([np.zeros(first, np.int64), circuit.graph.level])
    expected = 1 + np.maximum.reduceat(levels[inputs >> 1], circuit.graph.start[:-1])
    assert (expected == circuit.graph.level).all()
    used = set((inputs >> 1).tolist()) | set((circuit.graph.outputs >> 1).tolist())
    assert set(range(first, circuit.graph.node_count)) <= used, "a dead gate survived"
    groups = [tuple(inputs_of(circuit, first + g)) for g in range(circuit.gate_count)]
    keys = list(zip(circuit.graph.kind.tolist(), groups, strict=True))
    assert len(set(keys)) == len(keys), "a gate exists twice"


def test_transitive_closure_is_the_least_fixpoint() -> None:
    circuit = circuit_of(FRAME + NODES + EDGES + REACH)
    names = [tuple(f.strip("()").split()[1:]) for f in circuit.fluents]
    rng = np.random.default_rng(5)
    states = rng.random((500, len(names))) < rng.random((500, 1)) * 0.6
    found = evaluate_circuit(circuit, states, np.zeros((500, circuit.move_count), np.bool_))
    for state, terminal in zip(states, found.terminal, strict=True):
        reached = {"n0"}
        edges = list(itertools.compress(names, state))
        for _ in names:
            reached |= {y for x, y in edges if x in reached}
        closed = any(x in reached and y == "n3" for x, y in edges)
        assert terminal == closed


def test_cycles_are_found_and_named() -> None:
    program = ground(parse_rules(FRAME + NODES + EDGES + REACH))
    (cycle,) = [c for c in find_cycles(program) if len(c) > 1][:1] or [[]]
    assert any(program.atoms.text(a).startswith("(reach") for a in cycle)
    assert find_cycles(ground(load_rules("tictactoe"))) == []


def test_negation_through_itself_is_refused_with_its_atoms() -> None:
    text = FRAME + "(node a) terminal (init (p a)) (<= (next (p ?x)) (odd ?x))"
    text += (
        "(<= (odd ?x) (true (p ?x)) (not (even ?x))) (<= (even ?x) (true (p ?x)) (not (odd ?x)))"
    )
    with pytest.raises(GroundingError, match=r"\((odd|even) a\) depends on its own negation"):
        circuit_of(text)


def test_negation_stratified_on_atoms_only_is_accepted() -> None:
    """``goal <- not goal`` with other constants occurs in 14 public games."""
    circuit = circuit_of(
        "(role r) (init p) (legal r go) (<= (next p) (does r go)) (<= terminal (true p))"
        "(<= (goal r 100) (true p)) (<= (goal r 0) (role r) (not (goal r 100)))"
    )
    found = evaluate_circuit(circuit, np.array([[True], [False]]), np.ones((2, 1), np.bool_))
    assert found.goals == [{("r", 100)}, {("r", 0)}]


FLUENTS = 4
ATOMS = 6

LITERAL = st.tuples(st.integers(0, FLUENTS - 1), st.booleans())
RULE = st.tuples(
    st.integers(0, ATOMS - 1),
    st.lists(st.integers(0, ATOMS - 1), max_size=2),
    st.lists(LITERAL, max_size=2),
)
LINEAR_RULE = st.tuples(
    st.integers(0, ATOMS - 1),
    st.lists(st.integers(0, ATOMS - 1), max_size=1),
    st.lists(LITERAL, max_size=2),
)
Rule = tuple[int, list[int], list[tuple[int, bool]]]


def rulesheet(rules: list[Rule]) -> str:
    """Return a game whose move ``m{i}`` is legal where atom ``p{i}`` holds."""
    lines = ["(role r) (goal r 50) terminal (legal r wait)"]
    for i in range(FLUENTS):
        lines.append(f"(init f{i}) (<= (next f{i}) (true f{i}))")
    lines += [f"(<= (legal r m{i}) p{i})" for i in range(ATOMS)]
    for head, atoms, literals in rules:
        body = [f"p{a}" for a in atoms]
        body += [f"(true f{f})" if sign else f"(not (true f{f}))" for f, sign in literals]
        lines.append(f"(<= p{head} {' '.join(body)})" if body else f"p{head}")
    return "\n".join(lines)


def least_model(rules: list[Rule], state: tuple[bool, ...]) -> set[int]:
    holds: set[int] = set()
    while True:
        found = {
            head
            for head, atoms, literals in rules
            if set(atoms) <= holds and all(state[f] == sign for f, sign in literals)
        }
        if found <= holds:
            return holds
        holds |= found


def check_all_states(rules: list[Rule]) -> None:
    program = ground(parse_rules(rulesheet(rules)))
    circuit = build_circuit(program)
    states = np.array(list(itertools.product([False, True], repeat=FLUENTS)))
    values = evaluate_circuit(
        circuit, states, np.zeros((len(states), circuit.move_count), np.bool_)
    )
    for state, legal in zip(states, values.legal, strict=True):
        moves = {m for m, holds in zip(circuit.moves[0], legal, strict=True) if holds}
        expected = {f"m{i}" for i in least_model(rules, tuple(state.tolist()))}
        assert moves == expected | {"wait"}


@given(st.lists(LINEAR_RULE, max_size=14))
def test_linear_cycles(rules: list[Rule]) -> None:
    check_all_states(rules)


@given(st.lists(RULE, max_size=14))
def test_cycles_of_any_kind(rules: list[Rule]) -> None:
    check_all_states(rules)


def test_unrolling_and_elimination_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    chain: list[Rule] = [((i + 1) % ATOMS, [i], [(i % FLUENTS, i < 3)]) for i in range(ATOMS)]
    rules: list[Rule] = [*chain, (0, [], [(0, True)]), (3, [1], []), (2, [], [(3, False)])]
    check_all_states(rules)
    monkeypatch.setattr(fixpoint, "MOST_UNKNOWNS", 0)
    check_all_states(rules)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path))
    return tmp_path


def same(left: Circuit, right: Circuit) -> bool:
    """Return whether two circuits agree in everything, the names of their atoms included."""
    texts = [[c.atoms.text(a) for a in range(len(c.atoms))] for c in (left, right)]
    pairs = [
        (getattr(one, field.name), getattr(other, field.name))
        for one, other in ((left, right), (left.graph, right.graph))
        for field in dataclasses.fields(one)
        if field.name not in ("atoms", "graph")
    ]
    return texts[0] == texts[1] and all(np.array_equal(one, other) for one, other in pairs)


def test_the_cache_gives_the_same_circuit(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules("tictactoe")
    first = compile_rules(rules)
    (file,) = cache.iterdir()
    assert first.key in file.name

    def refuse(*_: object) -> None:
        raise AssertionError("grounded again in spite of the cache")

    monkeypatch.setattr(compile_module, "ground", refuse)
    assert same(compile_rules(rules), first)
    with pytest.raises(AssertionError, match="in spite of"):
        compile_rules(rules, cache=False)


@pytest.mark.parametrize("keep", [0, 100, 2000])
def test_damaged_files_are_ignored(cache: Path, keep: int) -> None:
    rules = load_rules("tictactoe")
    first = compile_rules(rules)
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes()[:keep])
    assert same(compile_rules(rules), first)


def test_a_cache_that_cannot_be_written_is_no_error(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "file").write_text("in the way")
    monkeypatch.setenv("NEUROGAME_CACHE", str(cache / "file"))
    assert compile_rules(load_rules("tictactoe")).roles


def test_nothing_is_cached_at_a_limit(cache: Path) -> None:
    with pytest.raises(LimitError, match="limit is 10 rules"):
        compile_rules(load_rules("tictactoe"), GroundLimits(rules=10))
    assert not list(cache.iterdir())
