"""Cones are the twin's and sound; proofs by induction are never wrong, and strong enough."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.induction import Candidates, Proof, prove
from neurogame.analysis.observe import observe_play
from neurogame.analysis.random_play import WordEvaluator
from neurogame.analysis.termination import longest_game
from neurogame.analysis.turns import prove_turns
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.graph.graph import AND
from neurogame.graph.lanes import ALL, pack_lanes, unpack_lanes
from tests.analysis.random_games import SlowSpace, random_game, slow_space
from tests.circuit.by_hand import NO_ATOMS, graph_of, inputs_of
from tests.circuit.evaluate import evaluate_circuit
from tests.kernels.twin.random_circuits import one_hot, random_circuit, random_moves


def evaluate_partly(circuit: Circuit, literals: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return 0, 1 or 2 (unknown) of literals where each input is 0, 1 or 2; ``[N, B]``.

    Straight from Kleene's tables, gate by gate: the slow twin.
    """
    values = [0, *given.tolist()]

    def of(literal: int) -> int:
        value: int = values[literal >> 1]
        return value if value == 2 else value ^ (literal & 1)

    for gate in range(circuit.gate_count):
        inputs = [of(int(x)) for x in inputs_of(circuit, circuit.input_count + gate)]
        decisive = 0 if circuit.graph.kind[gate] == AND else 1
        if decisive in inputs:
            values.append(decisive)
        else:
            values.append(2 if 2 in inputs else 1 - decisive)
    return np.array([of(int(x)) for x in literals])


def three_valued(circuit: Circuit, literals: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return the same with a cone; ``given`` is ``[inputs, B]``."""
    cone = ConeFinder(circuit.graph).find(literals)
    batch = given.shape[1]
    rows = cone.start(-(-batch // 64))
    own = given[cone.leaves - 1]
    rows[2 : 2 + 2 * cone.leaf_count : 2] = pack_lanes(own != 0)
    rows[3 : 3 + 2 * cone.leaf_count : 2] = pack_lanes(own != 1)
    cone.evaluate(rows)
    index = cone.rows(literals)
    can_hold, can_fail = unpack_lanes(rows[index], batch), unpack_lanes(rows[index ^ 1], batch)
    assert (can_hold | can_fail).all()
    return np.where(can_hold & can_fail, 2, can_hold)


@given(st.integers(0, 10**6), st.integers(0, 30), st.integers(1, 70))
def test_three_values_are_kleenes(seed: int, gates: int, batch: int) -> None:
    circuit = random_circuit(seed, gates)
    literals = circuit.graph.outputs
    given_values = np.random.default_rng(seed).integers(0, 3, (circuit.input_count - 1, batch))
    found = three_valued(circuit, literals, given_values)
    for lane in range(min(batch, 5)):
        assert (found[:, lane] == evaluate_partly(circuit, literals, given_values[:, lane])).all()


@given(st.integers(0, 10**6), st.integers(0, 25))
def test_what_is_known_holds_in_every_completion(seed: int, gates: int) -> None:
    circuit = random_circuit(seed, gates)
    literals = circuit.graph.outputs
    rng = np.random.default_rng(seed)
    partial = rng.integers(0, 2, circuit.input_count - 1)
    unknown = rng.permutation(len(partial))[:6]
    partial[unknown] = 2
    found = three_valued(circuit, literals, partial[:, None])[:, 0]
    completions = np.repeat(partial[:, None], 2 ** len(unknown), axis=1)
    completions[unknown] = np.array(list(product((0, 1), repeat=len(unknown)))).T
    truth = three_valued(circuit, literals, completions)
    assert (truth < 2).all()
    for value, row in zip(found, truth, strict=True):
        assert value == 2 or (row == value).all()


@given(st.integers(0, 10**6))
def test_nothing_is_lost_where_every_input_is_read_once(seed: int) -> None:
    """On a tree Kleene's values are exact: unknown means that completions differ."""
    rng = np.random.default_rng(seed)
    fluents = 7
    pool = (2 * np.arange(1, 1 + fluents) + rng.integers(0, 2, fluents)).tolist()
    rows, kinds, node = [], [], 1 + fluents + 1
    while len(pool) > 1:
        width = min(len(pool), int(rng.integers(2, 4)))
        rows.append(np.sort([pool.pop(int(rng.integers(0, len(pool)))) for _ in range(width)]))
        kinds.append(int(rng.integers(0, 2)))
        pool.append(2 * node + int(rng.integers(0, 2)))
        node += 1
    outputs = np.append(np.ones(1, np.int64), np.zeros(fluents, np.int64))
    circuit = Circuit(
        roles=("r",),
        fluents=tuple(f"f{i}" for i in range(fluents)),
        moves=(("m",),),
        initial=np.zeros(fluents, np.bool_),
        graph=graph_of(1 + fluents + 1, kinds, rows, np.append(outputs, pool)),
        named_goals=((),),
        atoms=NO_ATOMS,
        key="tree",
    )
    literals = np.array(pool)
    states = np.array(list(product((0, 1), repeat=fluents))).T
    inputs = np.concatenate([states, np.ones((1, states.shape[1]), np.int64)])
    truth = three_valued(circuit, literals, inputs)[0].astype(bool)
    for partial in rng.integers(0, 3, (20, fluents)):
        agree = ((partial[:, None] == 2) | (states == partial[:, None])).all(axis=0)
        possible = set(truth[agree].tolist())
        known = three_valued(circuit, literals, np.append(partial, 1)[:, None])[0, 0]
        assert known == (2 if len(possible) == 2 else int(possible.pop()))


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough6", "bidding_tictactoe", "hex5"])
def test_words_are_the_twins(name: str) -> None:
    circuit = compile_rules(load_rules(name))
    check_words(circuit, 130, 3)


@given(st.integers(0, 10**6), st.integers(0, 30), st.integers(1, 130))
def test_words_are_the_twins_on_random_circuits(seed: int, gates: int, batch: int) -> None:
    check_words(random_circuit(seed, gates), batch, seed)


def check_words(circuit: Circuit, batch: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    states = rng.random((batch, len(circuit.fluents))) < rng.random((batch, 1))
    does = one_hot(circuit, random_moves(circuit, batch, rng))
    # Before moving no move is made: the random circuits, unlike games, would mind.
    expected = evaluate_circuit(circuit, states, np.zeros_like(does))
    evaluator = WordEvaluator(circuit)
    legal, terminal, goals = evaluator.look(pack_lanes(states.T))
    assert (expected.legal == unpack_lanes(legal, batch).T).all()
    assert (unpack_lanes(terminal[None], batch)[0] == expected.terminal).all()
    following = evaluator.step(pack_lanes(states.T), pack_lanes(does.T))
    made = evaluate_circuit(circuit, states, does)
    assert (made.next == unpack_lanes(following, batch).T).all()
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    flags = unpack_lanes(goals, batch)
    for lane in range(batch):
        held = {name for name, flag in zip(names, flags[:, lane], strict=True) if flag}
        assert held == expected.goals[lane]


def test_packing_is_undone() -> None:
    rows = np.random.default_rng(0).random((5, 131)) < 0.5
    words = pack_lanes(rows)
    assert words.shape == (5, 3)
    assert (unpack_lanes(words, 131) == rows).all()
    assert int(words[0, 0] >> np.uint64(63)) == int(rows[0, 63])
    assert (unpack_lanes(np.full((1, 1), ALL), 64)).all()


LIMIT = 50_000_000


@cache
def library(name: str) -> Circuit:
    return compile_rules(load_rules(name))


def proof_of(circuit: Circuit, plies: int = 300) -> Proof:
    """Prove what one word of random games does not refute."""
    seen = observe_play(WordEvaluator(circuit), seed=1, games=64, plies=plies, work=10**9)
    candidates = Candidates(~seen.held, ~seen.missed, ~seen.ended, ~seen.began, seen.sample)
    return prove(circuit, ConeFinder(circuit.graph), candidates, LIMIT)


def hopeful(circuit: Circuit, constants: bool = True) -> Candidates:
    """Return every candidate that the initial state allows: most of them are false."""
    initial = circuit.initial
    everything = np.ones(len(initial), np.bool_)
    never, always = ~initial & constants, initial & constants
    return Candidates(never, always, everything, everything, initial[None])


def check_true(circuit: Circuit, proof: Proof, space: SlowSpace) -> None:
    """Compare everything proved with all reachable states."""
    states = np.array(list(space.values), np.bool_).reshape(len(space.values), -1)
    assert not (states & proof.never).any()
    assert (states | ~proof.always).all()
    steps = np.array(space.steps, np.bool_).reshape(len(space.steps), 2, states.shape[1])
    before, after = steps[:, 0], steps[:, 1]
    assert not (proof.stays & before & ~after).any()
    assert not (proof.stays_out & ~before & after).any()
    for group, changes in zip(proof.groups, proof.changes, strict=True):
        held = [part[:, group.fluents] for part in (before, after)]
        values = [np.where(h.any(axis=1), h.argmax(axis=1), h.shape[1]) for h in held]
        assert changes[values[0], values[1]].all()
    for group in proof.groups:
        held = states[:, group.fluents].sum(axis=1)
        assert (held <= 1).all()
        assert not group.exactly or (held == 1).all()
    if proof.known is None:
        return
    turns = prove_turns(circuit, proof.known)
    roles = np.repeat(np.arange(len(circuit.roles)), list(map(len, circuit.moves)))
    for state, (legal, terminal, _) in space.values.items():
        counts = np.bincount(roles[legal], minlength=len(circuit.roles))
        if terminal or turns.control is None:
            continue
        (value,) = np.flatnonzero(np.array(state)[turns.control.fluents])
        choosing = np.flatnonzero(counts > 1)
        assert len(choosing) <= 1
        assert set(choosing.tolist()) <= {int(turns.control.roles[value])}
        if len(choosing):
            assert turns.idle[legal & (roles != choosing[0])].all()
    bound = longest_game(circuit, ConeFinder(circuit.graph), proof.known, proof.changes, LIMIT)
    if bound is not None:
        longest = space.longest()
        assert longest is not None
        assert longest <= bound


@given(st.integers(0, 10**6), st.integers(0, 25), st.sampled_from(["seen", "hoped", "free"]))
@example(seed=29658, gates=5, kind="seen")  # A gate reads the constant, and there is no fluent.
def test_what_is_proved_of_random_games_is_true(seed: int, gates: int, kind: str) -> None:
    circuit = random_game(seed, gates)
    if kind == "seen":
        proof = proof_of(circuit, 3)
    else:
        proof = prove(circuit, ConeFinder(circuit.graph), hopeful(circuit, kind == "hoped"), LIMIT)
    check_true(circuit, proof, slow_space(circuit))


def test_random_games_give_something_to_prove() -> None:
    """Otherwise the test above would show nothing."""
    totals = np.zeros(6, np.int64)
    for seed in range(150):
        circuit = random_game(seed, 12)
        proof = prove(circuit, ConeFinder(circuit.graph), hopeful(circuit, seed % 2 == 0), LIMIT)
        assert proof.known is not None
        bound = longest_game(circuit, ConeFinder(circuit.graph), proof.known, proof.changes, LIMIT)
        control = prove_turns(circuit, proof.known).control
        totals += [
            proof.never.sum(),
            proof.always.sum(),
            (proof.stays & ~proof.never & ~proof.always).sum(),
            len(proof.groups),
            bound is not None,
            control is not None,
        ]
    assert (totals > 2).all()


@pytest.mark.parametrize("name", ["tictactoe", "nim", "prisoners", "rockpaperscissors"])
def test_what_is_proved_of_small_games_is_true(name: str) -> None:
    circuit = library(name)
    check_true(circuit, proof_of(circuit), slow_space(circuit))


def fluents(circuit: Circuit, members: np.ndarray) -> set[str]:
    return {circuit.fluents[f] for f in np.flatnonzero(members)}


def test_tic_tac_toe() -> None:
    """The example of Trutman and Schiffel: marks are persistent true, blanks persistent false."""
    circuit = library("tictactoe")
    proof = proof_of(circuit)
    cells = [f"(cell {x} {y} " for x in "123" for y in "123"]
    assert fluents(circuit, proof.stays) == {f"{cell}{m})" for cell in cells for m in "xo"}
    assert fluents(circuit, proof.stays_out) == {f"{cell}b)" for cell in cells}
    assert len(proof.groups) == 10
    assert all(group.exactly for group in proof.groups)
    assert proof.known is not None
    turns = prove_turns(circuit, proof.known)
    assert turns.control is not None
    found = {
        circuit.fluents[f]: circuit.roles[r]
        for f, r in zip(turns.control.fluents, turns.control.roles, strict=True)
    }
    assert found == {"(control xplayer)": "xplayer", "(control oplayer)": "oplayer"}
    moves = [move for own in circuit.moves for move in own]
    assert [moves[m] for m in np.flatnonzero(turns.idle)] == ["noop", "noop"]
    assert longest_game(circuit, ConeFinder(circuit.graph), proof.known, proof.changes, LIMIT) == 9


def test_facts_that_need_each_other_are_proved_together() -> None:
    """A cell has one mark because moves need the blank, and stays because it has one mark."""
    circuit = library("bidding_tictactoe")
    proof = proof_of(circuit)
    texts = [[circuit.fluents[f] for f in group.fluents] for group in proof.groups]
    assert sum(len(own) == 2 and all(f.startswith("(cell ") for f in own) for own in texts) == 9
    assert fluents(circuit, proof.stays) == {f for f in circuit.fluents if f.startswith("(cell ")}
    phases = [set(own) for own, group in zip(texts, proof.groups, strict=True) if group.exactly]
    assert any({"(control x)", "(control o)"} < own for own in phases)


def test_a_counter_bounds_the_game() -> None:
    rules = parse_rules(
        "(role a) (init (step 0)) (init p) (succ 0 1) (succ 1 2) (succ 2 3) (legal a x) (legal a y)"
        "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (goal a 0)"
        "(<= (next p) (does a x)) (<= terminal (true (step 3)))"
    )
    circuit = compile_rules(rules, cache=False)
    proof = proof_of(circuit)
    assert proof.known is not None
    assert longest_game(circuit, ConeFinder(circuit.graph), proof.known, proof.changes, LIMIT) == 3
    assert fluents(circuit, proof.stays) == {"(step 3)"}
    assert fluents(circuit, proof.stays_out) == {"(step 0)"}


def test_what_only_seems_so_is_not_proved() -> None:
    """The lamp can be switched off again, but only by a move that play hardly ever makes."""
    many = " ".join(f"(n {i})" for i in range(400))
    rules = parse_rules(
        f"(role a) {many} (<= (legal a (go ?x)) (n ?x)) (init lamp) (goal a 0)"
        "(<= (next lamp) (true lamp) (not (does a (go 7))))"
        "(<= (next other) (true other)) (<= (next other) (does a (go 8)))"
        "(<= terminal (true never))"
    )
    circuit = compile_rules(rules, cache=False)
    for constants in (True, False):
        proof = prove(circuit, ConeFinder(circuit.graph), hopeful(circuit, constants), LIMIT)
        assert fluents(circuit, proof.stays) == {"other"}
        assert fluents(circuit, proof.stays_out) == {"lamp"}
        assert not proof.always.any()
        assert not proof.groups


def test_no_work_proves_nothing() -> None:
    circuit = library("nim")
    none = prove(circuit, ConeFinder(circuit.graph), hopeful(circuit), 0)
    assert not (none.never | none.always | none.stays | none.stays_out).any()
    assert none.known is None
    some = prove(circuit, ConeFinder(circuit.graph), hopeful(circuit), 20_000)
    check_true(circuit, some, slow_space(circuit))
