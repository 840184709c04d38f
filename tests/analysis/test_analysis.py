"""The analysis of games and the states it rests on: labels, evidence, the golden file."""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.analyse import AnalysisLimits, GameAnalysis, analyse
from neurogame.analysis.observe import count_lanes
from neurogame.analysis.random_play import WordEvaluator, choose_moves, play
from neurogame.analysis.report import analysis_lines, analysis_record, fluent_patterns
from neurogame.analysis.state_space import StateSpace, enumerate_states
from neurogame.analysis.verdict import Evidence
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import library_names, load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.scramble import scramble
from neurogame.graph.lanes import unpack_lanes
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.analysis.random_games import random_game, slow_space
from tests.conftest import shared
from tests.library import experiment

UNDECIDED = AnalysisLimits(states=0)
GOLDEN = Path(__file__).with_name("game_labels.json")
GOLDEN_LABELS = json.loads(GOLDEN.read_text("utf-8"))
# By default only what is quick to ground and to analyse; NEUROGAME_ALL_LABELS=1 takes all games.
ALL = sorted(GOLDEN_LABELS) if os.environ.get("NEUROGAME_ALL_LABELS") else []
LIBRARY = [
    *("bidding_tictactoe", "breakthrough6", "connectfour", "dotsandboxes", "knightthrough"),
    *("pentago", "reversi6"),
]
LIBRARY = library_names() if ALL else LIBRARY
SHARED = ["asteroids", "battle", "blocker", "chinook", "nineBoardTicTacToe", "sheepAndWolf"]
QUICK = [
    *("2pttc", "ad_game_2x2", "asteroids", "blocksWorld", "breakthroughSmall", "chinook"),
    *("connectFourSimultaneous", "gt_chicken", "kitten_escapes_from_fire", "nim3", "onestep"),
    *("ticTacToe", "tictactoe_3player", "untwistycomplex2"),
]


@cache
def library(name: str) -> Circuit:
    return compile_rules(load_rules(name))


@cache
def analysed(name: str, decide: bool = True) -> GameAnalysis:
    return analyse(library(name), limits=None if decide else UNDECIDED)


def circuit_of(text: str) -> Circuit:
    return compile_rules(parse_rules(text), cache=False)


@pytest.mark.parametrize("name", ["tictactoe", "prisoners", "nim"])
def test_decided_games_agree_with_brute_force(name: str) -> None:
    circuit, found = library(name), analysed(name)
    space = slow_space(circuit)
    roles = np.repeat(np.arange(len(circuit.roles)), list(map(len, circuit.moves)))
    assert found.state_count == len(space.values)
    states = np.array(list(space.values))
    assert (found.never == ~states.any(axis=0)).all()
    assert (found.always == states.all(axis=0)).all()
    before, after = (np.array([step[i] for step in space.steps]) for i in (0, 1))
    assert (found.persistent_true == ~(before & ~after).any(axis=0)).all()
    assert (found.persistent_false == ~(~before & after).any(axis=0)).all()
    assert found.most_plies == space.longest()
    sums, together, stuck, one_goal = set(), False, False, True
    for legal, terminal, goals in space.values.values():
        counts = np.bincount(roles[legal], minlength=len(circuit.roles))
        if terminal:
            one_goal &= sorted(role for role, _ in goals) == sorted(circuit.roles)
            sums.add(sum(value for _, value in goals))
        else:
            together |= (counts > 1).sum() > 1
            stuck |= bool((counts == 0).any())
    assert found.turn_taking.holds == (not together)
    assert found.playable.holds == (not stuck)
    assert found.one_goal.holds == one_goal
    assert found.constant_sum.holds == (len(sums) == 1)
    verdicts = [found.turn_taking, found.playable, found.constant_sum, *found.winnable]
    assert all(v.evidence is Evidence.DECIDED and v.count == len(states) for v in verdicts)


@pytest.mark.parametrize("name", ["tictactoe", "nim", "prisoners"])
def test_without_enumeration_the_same_is_proved_or_sampled(name: str) -> None:
    """What is certain is so; tic-tac-toe has the labels of Trutman and Schiffel by induction."""
    decided, other = analysed(name), analysed(name, decide=False)
    assert other.state_count is None
    assert other.turn_taking.holds == decided.turn_taking.holds
    assert other.noops == decided.noops
    assert not (other.persistent_true_certain & ~decided.persistent_true).any()
    assert not (other.persistent_false_certain & ~decided.persistent_false).any()
    assert other.goal_sum == decided.goal_sum
    assert other.most_plies is None or decided.most_plies is not None
    if name == "tictactoe":
        assert other.turn_taking.evidence is Evidence.PROVED
        assert other.noops_verdict.evidence is Evidence.PROVED
        assert other.terminates.evidence is Evidence.PROVED
        assert other.most_plies == 9
        assert (other.persistent_true_certain == decided.persistent_true).all()
        assert (other.persistent_false_certain == decided.persistent_false).all()


def labels(circuit: Circuit, found: GameAnalysis) -> dict[str, object]:
    """Return what must not change when names do."""
    return {
        "turns": (found.turn_taking.holds, found.turn_taking.evidence),
        "noops": sorted(len(own) for own in found.noops),
        "control": None if found.control is None else sorted(found.control.roles.tolist()),
        "true": int(found.persistent_true_certain.sum()),
        "false": int(found.persistent_false_certain.sum()),
        "constant": (int(found.never.sum()), int(found.always.sum())),
        "groups": sorted((len(g.fluents), g.exactly) for g in found.groups),
        "sum": (found.goal_sum, found.constant_sum.evidence),
        "plies": found.most_plies,
        "roles": len(circuit.roles),
    }


@pytest.mark.parametrize(
    "name", ["tictactoe", "connectfour", "bidding_tictactoe", "nim", "tictactoe3p"]
)
def test_scrambled_games_have_the_same_labels(name: str) -> None:
    circuit = library(name)
    limits = AnalysisLimits(states=0, games=128)
    original = analyse(circuit, limits=limits)
    expected = labels(circuit, original)
    for seed in (1, 2):
        renamed = scramble(load_rules(name), seed, numbers=True)
        other = compile_rules(renamed.rules, cache=False)
        found = analyse(other, limits=limits)
        assert labels(other, found) == expected
        back = {
            renamed.to_original.get(word, word)
            for own, moves in zip(found.noops, other.moves, strict=True)
            for word in (moves[m] for m in own)
        }
        noops = zip(original.noops, circuit.moves, strict=True)
        assert back == {moves[m].lower() for own, moves in noops for m in own}


@pytest.mark.parametrize("name", LIBRARY)
def test_certain_facts_hold_on_fresh_random_play(name: str) -> None:
    check_fresh(library(name))


@pytest.mark.parametrize("name", ALL or SHARED)
def test_certain_facts_hold_on_shared_games(name: str) -> None:
    rules = load_rules(shared("games", f"{name}.kif"))
    if GOLDEN_LABELS[name] is None:
        pytest.skip(f"{name} does not ground within the limit of the golden file")
    check_fresh(compile_rules(rules))


def check_fresh(circuit: Circuit) -> None:
    limits = AnalysisLimits(games=64, plies=30, proof_work=20_000_000)
    check_on_play(circuit, analyse(circuit, limits=limits), seed=99)


def check_on_play(circuit: Circuit, found: GameAnalysis, seed: int) -> None:
    """Look for counter-examples in random games that the analysis has not seen."""
    stays, stays_out = found.persistent_true_certain, found.persistent_false_certain
    offsets = np.cumsum([0, *map(len, circuit.moves)])
    evaluator = WordEvaluator(circuit)
    depth = 0
    for ply in play(evaluator, seed=seed, words=1, plies=400, work=10**8):
        moved, present = ply.moved, ply.playing
        assert not (ply.state & ~ply.next & moved)[stays].any()
        assert not (~ply.state & ply.next & moved)[stays_out].any()
        assert not (ply.state & present)[found.never].any()
        assert not (~ply.state & present)[found.always].any()
        for group in found.groups:
            one, two = count_lanes(ply.state[group.fluents])
            assert not (two & present).any()
            assert not group.exactly or not (~one & present).any()
        counts = [count_lanes(ply.legal[a:b]) for a, b in pairwise(offsets.tolist())]
        _, together = count_lanes(np.stack([two for _, two in counts]))
        open_ = present & ~ply.terminal
        assert (
            not found.turn_taking.certain
            or not found.turn_taking.holds
            or not (together & open_).any()
        )
        if found.control is not None and found.control_verdict.certain:
            pairs = zip(found.control.fluents, found.control.roles, strict=True)
            for fluent, role in pairs:
                for other, (_, two) in enumerate(counts):
                    assert other == role or not (ply.state[fluent] & two & open_).any()
        depth += bool(unpack_lanes(moved[None], 64).any())
    assert found.most_plies is None or depth <= found.most_plies


def test_the_analysis_is_reproducible() -> None:
    circuit = library("connectfour")
    first = analysis_record(circuit, analyse(circuit, seed=4))
    assert analysis_record(circuit, analyse(circuit, seed=4)) == first


def test_one_role_simultaneous_and_more_roles() -> None:
    assert analysed("eightpuzzle").turn_taking.holds
    assert analysed("eightpuzzle").control is None
    assert len(analysed("eightpuzzle").winnable) == 1
    rock = analysed("rockpaperscissors")
    assert not rock.turn_taking.holds
    assert rock.noops == ((), ())
    three = analysed("tictactoe3p")
    assert three.turn_taking.holds
    assert three.turn_taking.evidence is Evidence.PROVED
    assert three.control is not None
    assert sorted(three.control.roles.tolist()) == [0, 1, 2]
    moves = library("tictactoe3p").moves
    assert [[own[m] for m in idle] for own, idle in zip(moves, three.noops, strict=True)] == [
        ["noop"]
    ] * 3


def test_goals_none_and_several_are_told_apart() -> None:
    found = analyse(
        circuit_of(
            "(role a) (role b) (init s) (legal a l) (legal a r) (legal b w)"
            "(<= (next left) (does a l)) (<= (next right) (does a r))"
            "(<= terminal (not (true s))) (goal a 10) (<= (goal a 90) (true left))"
            "(<= (goal b 30) (true right)) (<= (goal b 70) (true left))"
        )
    )
    assert found.state_count == 3
    assert not found.one_goal.holds
    assert not found.one_goal_before.holds
    assert found.goals_seen == ((10, 90), (30, 70))
    # The highest value counts where there are several: 90 + 70, and 10 + 30.
    assert not found.constant_sum.holds
    assert [v.holds for v in found.winnable] == [True, True]
    assert found.noops == ((), (0,))


def test_endless_and_stuck_games() -> None:
    endless = analyse(
        circuit_of(
            "(role a) (init p) (legal a x) (goal a 0) (<= (next p) (true q)) (<= terminal (true t))"
            "(<= (next q) (true p)) (<= (next t) (true t))"
        )
    )
    assert not endless.terminates.holds
    assert endless.most_plies is None
    stuck = analyse(
        circuit_of(
            "(role a) (init p) (<= (legal a x) (true p)) (goal a 0) (next q) (<= terminal (true t))"
            "(<= (next t) (true t))"
        )
    )
    assert not stuck.playable.holds
    assert stuck.terminates.holds


def test_patterns_cover_exactly_their_fluents() -> None:
    circuit = library("breakthrough6")
    count = len(circuit.fluents)
    rng = np.random.default_rng(3)
    for share in (0.1, 0.5, 0.9):
        members = rng.random(count) < share
        ignored = ~members & (rng.random(count) < 0.3)
        patterns = [p.strip("()").split() for p in fluent_patterns(circuit, members, ignored)]
        for fluent in range(count):
            words = circuit.fluents[fluent].strip("()").split()
            covered = any(
                len(p) == len(words) and all(a in ("*", b) for a, b in zip(p, words, strict=True))
                for p in patterns
            )
            assert covered == members[fluent] or ignored[fluent]


def test_the_summary_says_how_things_are_known() -> None:
    decided = "\n".join(analysis_lines(library("tictactoe"), analysed("tictactoe")))
    assert "all 5,478 reachable states" in decided
    assert "persistent true: 18 of 29 fluents: (cell * * o), (cell * * x)" in decided
    proved = "\n".join(analysis_lines(library("tictactoe"), analysed("tictactoe", decide=False)))
    assert "moves: taken in turns (proved by induction)" in proved
    assert "a legal move for every role: yes (sampled in 512 random games)" in proved


@pytest.mark.parametrize("name", ALL or QUICK)
def test_labels_are_the_golden_ones(name: str) -> None:
    path = shared("games", f"{name}.kif")
    expected = GOLDEN_LABELS[name]
    if expected is None:
        pytest.skip(f"{name} does not ground within the limit of the golden file")
    assert json.loads(json.dumps(experiment("game_labels").label(path))) == expected


def test_every_shared_game_has_a_label() -> None:
    names = {path.stem for path in shared("games").glob("*.kif")}
    assert names == set(GOLDEN_LABELS)
    assert [name for name, label in GOLDEN_LABELS.items() if label is None] in ([], ["chess"])


def check(circuit: Circuit, limit: int) -> StateSpace:
    space = enumerate_states(WordEvaluator(circuit), states=limit, steps=10**6, work=10**9)
    assert space is not None
    slow = slow_space(circuit)
    rows = [tuple(row) for row in space.states.tolist()]
    assert len(set(rows)) == len(rows)
    assert set(rows) == set(slow.values)
    assert rows[0] == tuple(circuit.initial.tolist())
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    for index, row in enumerate(rows):
        legal, terminal, goals = slow.values[row]
        assert (space.legal[index] == legal).all()
        assert space.terminal[index] == terminal
        held = {n for n, flag in zip(names, space.goals[index], strict=True) if flag}
        assert held == goals
    steps = zip(space.source.tolist(), space.target.tolist(), strict=True)
    assert Counter((rows[a], rows[b]) for a, b in steps) == Counter(slow.steps)
    return space


@pytest.mark.parametrize(
    ("name", "states"), [("tictactoe", 5478), ("prisoners", None), ("nim", None)]
)
def test_library_games(name: str, states: int | None) -> None:
    space = check(compile_rules(load_rules(name)), 20_000)
    assert states is None or len(space.states) == states


@given(st.integers(0, 10**6), st.integers(0, 25))
def test_random_games(seed: int, gates: int) -> None:
    check(random_game(seed, gates), 10_000)


def test_limits_give_none() -> None:
    circuit = compile_rules(load_rules("tictactoe"))
    evaluator = WordEvaluator(circuit)
    assert enumerate_states(evaluator, states=5477, steps=10**6, work=10**9) is None
    assert enumerate_states(evaluator, states=5478, steps=16_166, work=10**9) is None
    assert enumerate_states(evaluator, states=10**6, steps=10**6, work=100_000) is None
    space = enumerate_states(evaluator, states=5478, steps=16_167, work=10**9)
    assert space is not None
    assert np.bincount(space.source).max() == 9


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe", "reversi6", "tictactoe3p"])
def test_the_simulator_agrees_on_every_ply(name: str) -> None:
    game = Game.load(name)
    simulator = game.simulator()
    evaluator = WordEvaluator(game.circuit)
    playing = np.ones(64, np.bool_)
    plies = 0
    for ply in play(evaluator, seed=5, words=1, plies=500, work=10**9):
        plies += 1
        state = unpack_lanes(ply.state, 64).T
        batch = StateBatch.from_bool(torch.from_numpy(state))
        derived = simulator.derive(batch)
        assert (derived.legal.numpy() == unpack_lanes(ply.legal, 64).T).all()
        terminal = unpack_lanes(ply.terminal[None], 64)[0]
        assert (terminal == derived.terminal.numpy()).all()
        assert (derived.goal_flags.numpy() == unpack_lanes(ply.goals, 64).T).all()
        assert (unpack_lanes(ply.playing[None], 64)[0] == playing).all()
        moved = unpack_lanes(ply.moved[None], 64)[0]
        assert (moved == playing & ~terminal).all()
        successors = simulator.expand(batch).states.to_bool().numpy()
        known = {row.tobytes() for row in successors}
        following = unpack_lanes(ply.next, 64).T
        assert all(following[lane].tobytes() in known for lane in np.flatnonzero(moved))
        playing = moved
    assert not playing.any()
    assert plies > 4


def test_moves_are_legal_one_per_role_and_uniform() -> None:
    game = Game.load("bidding_tictactoe")
    circuit = game.circuit
    evaluator = WordEvaluator(circuit)
    words = 200
    state = np.repeat(circuit.initial[:, None], words, axis=1) * np.uint64(2**64 - 1)
    legal, _, _ = evaluator.look(state)
    moves, able = choose_moves(circuit, legal, np.random.default_rng(0))
    assert (able == np.uint64(2**64 - 1)).all()
    assert not (moves & ~legal).any()
    flags = unpack_lanes(moves, 64 * words)
    for begin, end in zip(game.move_offsets, game.move_offsets[1:], strict=False):
        assert (flags[begin:end].sum(axis=0) == 1).all()
        counts = flags[begin:end].sum(axis=1)[unpack_lanes(legal[begin:end], 1)[:, 0]]
        expected = 64 * words / len(counts)
        # Chi square; 60 would be exceeded once in a million for up to 20 moves.
        assert len(counts) > 3
        assert ((counts - expected) ** 2 / expected).sum() < 60


def test_a_role_without_moves_stops_its_game_only() -> None:
    game = Game.from_text(
        "(role a) (init (s 0)) (next (s 1)) (<= (legal a go) (true (s 0))) (goal a 0)"
        "(<= terminal (true never)) (<= (next never) (true never))"
    )
    plies = list(play(WordEvaluator(game.circuit), seed=0, words=1, plies=9, work=10**6))
    assert [bool(ply.moved.any()) for ply in plies] == [True, False]


def test_play_is_reproducible_and_limited() -> None:
    evaluator = WordEvaluator(Game.load("connectfour").circuit)

    def states(seed: int, plies: int = 100, work: int = 10**9) -> list[np.ndarray]:
        return [p.state for p in play(evaluator, seed=seed, words=2, plies=plies, work=work)]

    first = states(1)
    assert all((a == b).all() for a, b in zip(first, states(1), strict=True))
    assert any((a != b).any() for a, b in zip(first, states(2), strict=False))
    assert len(states(1, plies=3)) == 3
    assert len(states(1, work=1)) == 1
