"""Orders, counters, coordinates, boards, markers, pieces and quantities."""

from __future__ import annotations

import json
from itertools import pairwise, product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.analyse import analyse
from neurogame.analysis.verdict import Evidence
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.scramble import scramble
from neurogame.simulate.game import Game
from neurogame.structure.boards import GameBoard
from neurogame.structure.relations import Relations, find_relations
from neurogame.structure.report import relation_lines
from neurogame.structure.successors import SuccessorRelation
from neurogame.structure.witnesses import RelationLimits, find_witnesses
from tests.conftest import SHARED, shared
from tests.gdl.public_rules import public_rules
from tests.library import experiment
from tests.reference.interpreter import ReferenceGame
from tests.structure.states import find_successors

LABELS: dict[str, Any] = json.loads(Path(__file__).with_name("labels.json").read_text("utf-8"))
GOAL = 0.95
LARGEST = 3_600
"""Bytes of the largest public rulesheet that is compiled here twice; the script takes them all."""

SLOW = (
    *("racer", "reversi", "crisscross", "amazonsTorus_10x10", "checkersTiny", "skirmish"),
    *("ad_game_2x2", "gt_two_thirds_6p"),
)
"""Public rulesheets that take a second each; of the labelled ones, nothing is wrong or missed."""


def script() -> ModuleType:
    """Return the script that makes the table."""
    return experiment("structure_labels")


def relations_of(text: str, limits: RelationLimits | None = None) -> Relations:
    rules = parse_rules(text)
    return find_relations(rules, compile_rules(rules, cache=False), limits=limits)


def test_precision_and_recall_on_labelled_games(capsys: pytest.CaptureFixture[str]) -> None:
    shared("games")
    assert sum(name.startswith(script().SHARED) for name in LABELS) >= 40
    slow = {script().SHARED + name for name in SLOW}
    labels = {name: label for name, label in LABELS.items() if name not in slow}
    counts = script().compare(labels, SHARED / "games")
    capsys.readouterr()
    kinds = ("blank", "board", "counter", "marker", "ordered", "piece", "quantity", "successor")
    assert tuple(counts) == kinds
    for kind, (right, wrong, missed) in counts.items():
        assert right >= GOAL * (right + wrong), (kind, right, wrong)
        assert right >= GOAL * (right + missed), (kind, right, missed)


def public_games() -> tuple[list[Path], list[Path]]:
    """Return the small and the large public rulesheets."""
    shared("games")
    paths = sorted((SHARED / "games").glob("*.kif"))
    small = [path for path in paths if path.stat().st_size <= LARGEST]
    return small, [path for path in paths if path not in small]


def test_large_rulesheets_have_the_successors_of_their_scrambled_copies() -> None:
    _, large = public_games()
    assert len(large) > 100
    for path in large[::4]:
        if path.stem in SLOW:
            continue
        rules = public_rules(path)
        renaming = scramble(rules, 2)
        theirs = {frozenset(s.chains) for s in find_successors(renaming.rules)}
        names = renaming.to_scrambled
        ours = {
            frozenset(tuple(names.get(v, v) for v in chain) for chain in s.chains)
            for s in find_successors(rules)
        }
        assert ours == theirs, path.stem


def test_small_rulesheets_have_the_relations_of_their_scrambled_copies() -> None:
    small, _ = public_games()
    assert len(small) > 20
    for path in small[::2]:
        assert script().scrambled_differs(load_rules(path), 5) == set(), path.stem


def test_pentago_has_four_boards() -> None:
    """The example of Michulke and Thielscher, section 2.3, in the rules of the paper's game."""
    (board,) = Game.load(shared("games", "pentago.kif")).relations.boards
    assert (board.axes, board.index, board.content) == ((1, 2), (0,), (3,))
    assert board.board_count == 4
    assert [len(board.relation.domains[axis]) for axis in board.axes] == [3, 3]
    assert sorted(board.contents) == [("black",), ("red",)]
    assert board.blank is None


def test_kings_are_pieces_and_pawns_are_markers() -> None:
    """Kuhlmann and Stone: a piece is a marker that is in one cell at a time."""
    found = {m.name: m.piece.holds for m in Game.load("minichess5").relations.markers}
    assert found[("white", "king")]
    assert not found[("white", "pawn")]
    assert len(found) == 12


TOY = """
(role white) (role black)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(file a) (file b) (file c)
(<= (init (cell ?x ?y empty)) (file ?x) (file ?y) (distinct ?x ?y))
(<= (init (cell ?x ?x stone)) (file ?x))
(init (step 0)) (init (score white 0)) (init (score black 0)) (init (left 4))
(<= (legal ?p (take ?x ?y)) (role ?p) (true (cell ?x ?y stone)))
(<= (legal ?p pass) (role ?p))
(<= (taken ?x ?y) (does ?p (take ?x ?y)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (taken ?x ?y)))
(<= (next (cell ?x ?y empty)) (taken ?x ?y))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (left ?n)) (true (left ?m)) (succ ?n ?m))
(<= (next (score ?p ?n)) (does ?p (take ?x ?y)) (true (score ?p ?m)) (succ ?m ?n))
(<= (next (score ?p ?n)) (does ?p pass) (true (score ?p ?n)))
(<= terminal (true (step 4)))
(<= (goal ?p 100) (role ?p) (true (score ?p 4)))
(<= (goal ?p 0) (role ?p) (not (true (score ?p 4))))
"""


def test_evidence_of_a_game_with_few_states() -> None:
    found = relations_of(TOY)
    assert [s.text for s in found.successors] == ["succ"]
    ordered = {(o.relation.name, o.place): o for o in found.ordered}
    assert set(ordered) == {("step", 0), ("left", 0), ("score", 1)}
    score = ordered["score", 1]
    assert [score.relation.domains[1][i] for i in score.order] == ["0", "1", "2", "3", "4"]
    counters = {c.argument.relation.name: c for c in found.counters}
    assert {name: c.upwards for name, c in counters.items()} == {"step": True, "left": False}
    assert all(c.verdict.evidence is Evidence.PROVED for c in counters.values())
    (quantity,) = found.quantities
    assert quantity.argument is score
    assert quantity.verdict.evidence is Evidence.DECIDED
    (board,) = found.boards
    assert board.exclusive.evidence is Evidence.DECIDED
    assert board.blank is not None
    assert {m.name for m in found.markers} == {("stone",)}
    assert found.pieces == ()


def test_evidence_of_random_play() -> None:
    found = relations_of(TOY, RelationLimits(states=0, games=64))
    (quantity,) = found.quantities
    assert (quantity.verdict.evidence, quantity.verdict.count) == (Evidence.SAMPLED, 64)
    assert found.boards[0].exclusive.evidence is Evidence.SAMPLED


def test_an_analysis_proves_what_play_suggests() -> None:
    game = Game.load("breakthrough6")
    (board,) = game.relations.boards
    assert board.exclusive.evidence is Evidence.SAMPLED
    analysis = analyse(game.circuit)
    proved = find_relations(game.rules, game.circuit, analysis=analysis)
    assert proved.boards[0].exclusive.evidence is Evidence.PROVED
    assert proved.boards[0].exclusive.holds


def test_a_counter_that_can_stop_is_none() -> None:
    slower = TOY.replace(
        "(<= (next (left ?n)) (true (left ?m)) (succ ?n ?m))",
        "(<= (next (left ?n)) (true (left ?m)) (succ ?n ?m) (does white pass))"
        "(<= (next (left ?n)) (true (left ?n)) (not (does white pass)))",
    )
    found = relations_of(slower)
    assert {c.argument.relation.name for c in found.counters} == {"step"}
    assert {q.argument.relation.name for q in found.quantities} == {"score", "left"}


def test_an_order_that_no_rule_uses_orders_nothing() -> None:
    found = relations_of(TOY + "(after a b) (after b c)")
    assert [s.text for s in found.successors] == ["succ", "after"]
    assert all(o.relation.name != "cell" for o in found.ordered)
    used = TOY + "(after a b) (after b c) (<= terminal (true (cell ?x ?y stone)) (after ?x ?y))"
    places = {(o.relation.name, o.place) for o in relations_of(used).ordered}
    assert {("cell", 0), ("cell", 1)} <= places


def chains_of(text: str) -> list[tuple[str, set[tuple[str, ...]]]]:
    return [(s.text, set(s.chains)) for s in find_successors(parse_rules(text))]


def test_successors_of_facts_rules_and_slices() -> None:
    assert chains_of("(s 1 2) (s 2 3) (<= (p ?x ?y) (s ?y ?x))") == [
        ("s", {("1", "2", "3")}),
        ("p", {("3", "2", "1")}),
    ]
    sums = "(plus 1 1 2) (plus 1 2 3) (plus 2 1 3) (<= (q ?x) (plus 1 ?x ?y))"
    assert chains_of(sums) == [("plus 1 * *", {("1", "2", "3")})]
    assert chains_of("(s a b) (s b c) (s c a)") == []
    assert chains_of("(s a b) (s a c) (s c d)") == []
    assert chains_of("(s a c) (s b c) (s c d)") == []
    assert chains_of("(s a a) (s b c) (s c d)") == []
    assert chains_of("(s a b)") == [("s", {("a", "b")})]
    assert chains_of("(opposite a b) (opposite c d)") == []


pairs = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=10)


@given(pairs)
def test_successor_relations_are_those_of_the_definition(found: set[tuple[int, int]]) -> None:
    """Functional, injective and acyclic; and chains of three values on average, or one chain."""
    text = " ".join(f"(s n{a} n{b})" for a, b in sorted(found))
    reached = set(found)
    for _ in found:
        reached |= {(a, d) for (a, b), (c, d) in product(reached, found) if b == c}
    functional = len({a for a, _ in found}) == len({b for _, b in found}) == len(found)
    chains = len({a for a, _ in found} - {b for _, b in found})
    in_a_row = chains == 1 or len(found) + chains >= 3 * chains
    expected = functional and all(a != b for a, b in reached) and in_a_row
    successors = find_successors(parse_rules(text))
    assert bool(successors) == expected
    for successor in successors:
        links = {pair for chain in successor.chains for pair in pairwise(chain)}
        assert links == {(f"n{a}", f"n{b}") for a, b in found}


def test_values_on_one_chain_are_ordered() -> None:
    successor = SuccessorRelation("s", (None, None), (("a", "b", "c", "d"), ("x", "y", "z")))
    assert successor.ordered(["d", "a", "c"]) == ("a", "c", "d")
    assert successor.ordered(["a", "x"]) is None
    assert successor.ordered(["a", "e"]) is None


def squares(board: GameBoard, held: set[int]) -> list[int]:
    return [
        int(s) for s, f in zip(board.square_of, board.relation.fluents, strict=True) if f in held
    ]


@pytest.mark.parametrize("name", ["eightpuzzle", "minichess5", "painters", "tictactoe"])
def test_boards_and_pieces_are_as_said_in_slow_play(name: str) -> None:
    """The claims about contents, blanks and pieces hold in a match of the slow interpreter."""
    game = Game.load(name)
    slow = ReferenceGame(game.rules)
    state = slow.initial()
    found = game.relations
    for ply in range(12):
        held = {game.fluent_index(slow.text(fluent)) for fluent in state}
        for board in found.boards:
            own = squares(board, held)
            if board.exclusive.holds:
                assert len(own) == len(set(own))
            if board.blank is not None:
                assert set(own) == set(board.square_of.tolist())
        for marker in found.pieces:
            fluents = marker.board.relation.fluents[marker.board.content_of == marker.content]
            assert len(held & set(fluents.tolist())) <= 1
        moves = [sorted(slow.legal(state, role), key=slow.text) for role in range(len(game.roles))]
        state = slow.next(state, [own[(5 * ply) % len(own)] for own in moves])


def test_names_in_parentheses_of_their_own_are_moves_like_others() -> None:
    text = "(role a) (init (n 1)) (legal a (go)) (legal a (go 2)) (legal a go) (goal a 0)"
    rules = parse_rules(f"{text} (<= (next (n 1)) (true (n 1))) (<= terminal (true (n 2)))")
    limits = RelationLimits(states=0, games=64, plies=9)
    found = find_witnesses(rules, compile_rules(rules, cache=False), limits=limits)
    assert found.count == 64
    assert found.states.all()


def test_random_play_is_the_same_for_a_scrambled_game() -> None:
    rules = load_rules("connectfour5")
    renaming = scramble(rules, 4)
    limits = RelationLimits(states=0, games=64, plies=20)
    ours = find_witnesses(rules, compile_rules(rules), limits=limits)
    circuit = compile_rules(renaming.rules)
    theirs = find_witnesses(renaming.rules, circuit, limits=limits)
    assert sorted(map(bytes, ours.states)) == sorted(map(bytes, theirs.states))


def test_report_names_what_was_found() -> None:
    lines = relation_lines(relations_of(TOY))
    assert lines[0] == "successor relations: succ (0 .. 4) (from static facts)"
    assert "step counters: left down succ (proved by induction), " in lines[2]
    assert any(line.startswith("  cell: 3 x 3 (axes 1 2, content 3, blank empty") for line in lines)
