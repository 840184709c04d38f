"""Boards found by structure, states as text and as pictures."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import GameError
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.scramble import scramble
from neurogame.show.axis_order import axis_order
from neurogame.show.layout import find_layout
from neurogame.show.paint import Paint, changed
from neurogame.show.piece_labels import piece_labels
from neurogame.show.state_svg import state_svg
from neurogame.simulate.game import Game, State
from tests.structure.states import find_successors

SVG = "{http://www.w3.org/2000/svg}"

# Name: per board its columns, rows, slices, and whether there is a blank content.
BOARDS = {
    "amazons5": [(5, 5, 1, False), (5, 5, 1, False)],
    "arrows4": [(4, 4, 1, False), (4, 4, 1, False)],
    "atarigo5": [(5, 5, 1, False)],
    "breakthrough6": [(6, 6, 1, False)],
    "checkers6": [(6, 6, 1, False)],
    "connectfour": [(7, 6, 1, False)],
    "connectfour_simultaneous": [(8, 6, 2, False)],
    "dotsandboxes": [(4, 4, 2, False), (3, 3, 1, False)],
    "eightpuzzle": [(3, 3, 1, True)],
    "fishery": [],
    "hex5": [(5, 5, 1, False)],
    "lightsout": [(5, 5, 1, False)],
    "loa5": [(5, 5, 1, False)],
    "minichess5": [(5, 5, 1, False)],
    "nim": [],
    "painters": [(5, 5, 1, False), (5, 5, 1, False)],
    "pegs": [(7, 7, 1, False)],
    "pentago": [(3, 3, 4, False)],
    "prisoners": [],
    "pursuit": [(5, 5, 1, False)],
    "qubic": [(4, 4, 4, False)],
    "reversi6": [(6, 6, 1, False)],
    "rockpaperscissors": [],
    "tictactoe": [(3, 3, 1, True)],
    "tictactoe4p": [(5, 5, 1, False)],
}


def shapes(game: Game) -> list[tuple[int, int, int, bool]]:
    return [
        (len(b.columns), len(b.rows), len(b.slices), b.blank is not None)
        for b in find_layout(game).boards
    ]


def line(game: Game, plies: int) -> list[State]:
    """Return the states of a match in which everybody takes a middle move."""
    states = [game.initial_state()]
    while len(states) <= plies and not states[-1].is_terminal:
        states.append(states[-1].next([moves[len(moves) // 2] for moves in states[-1].legal_moves]))
    return states


@pytest.mark.parametrize("name", BOARDS)
def test_boards_of_the_library(name: str) -> None:
    game = Game.load(name)
    assert shapes(game) == BOARDS[name]
    layout = find_layout(game)
    assert find_layout(game) is layout
    shown = [set(board.squares) for board in layout.boards]
    shown += [{index for index, _ in facts.texts} for facts in layout.facts]
    assert sum(map(len, shown)) == len(set().union(*shown)) == len(game.fluents)


@pytest.mark.parametrize("name", ["connectfour", "eightpuzzle", "pentago", "tictactoe", "nim"])
def test_names_do_not_matter(name: str) -> None:
    for seed in (1, 2):
        game = Game.from_rules(scramble(load_rules(name), seed).rules, "scrambled", cache=False)
        assert sorted(shapes(game)) == sorted(BOARDS[name])


def test_blank_of_the_eight_puzzle_is_the_moving_square() -> None:
    (board,) = find_layout(Game.load("eightpuzzle")).boards
    assert board.blank is not None
    assert board.contents[board.blank] == ("blank",)


def test_text_of_a_board() -> None:
    state = Game.load("breakthrough6").initial_state()
    assert str(state) == (
        "cell\n"
        "6 b b b b b b\n"
        "5 b b b b b b\n"
        "4 . . . . . .\n"
        "3 . . . . . .\n"
        "2 w w w w w w\n"
        "1 w w w w w w\n"
        "  1 2 3 4 5 6\n"
        "\n"
        "b = black, w = white\n"
        "\n"
        "control: white"
    )


def test_text_follows_the_moves() -> None:
    state = Game.load("tictactoe").initial_state()
    state = state.next(["(mark 1 3)", "noop"]).next(["noop", "(mark 2 1)"])
    assert str(state) == "cell\n3 x . .\n2 . . .\n1 . o .\n  1 2 3\n\ncontrol: xplayer"


def test_text_of_slices_and_of_facts() -> None:
    state = Game.load("pentago").initial_state()
    assert str(state).splitlines()[:2] == [
        "marble 1   marble 2   marble 3   marble 4",
        "3 . . .    3 . . .    3 . . .    3 . . .",
    ]
    assert str(Game.load("nim").initial_state()).splitlines()[0] == "control: first"
    assert "score: first 0, second 0" in str(Game.load("rockpaperscissors").initial_state())


# A board of two colours of two-letter pieces, with rows named by words in a successor relation
# and a hole, and names that XML has to escape.
AWKWARD = """
(role r&d) (role <b>)
(below one two) (below two three)
(file 1) (file 2) (file 10)
(<= (at ?f ?r) (file ?f) (below ?r ?s))
(<= (at ?f ?s) (file ?f) (below ?r ?s) (distinct ?f 2))
(init (on 1 one r&d king)) (init (on 2 one r&d knight)) (init (on 10 three <b> king))
(init (note a<b))
(<= (legal r&d (put ?f ?r)) (at ?f ?r))
(legal <b> wait)
(<= (next (on ?f ?r r&d king)) (does r&d (put ?f ?r)))
(<= (next (on ?f ?r ?o ?p)) (true (on ?f ?r ?o ?p)) (not (covered ?f ?r)))
(<= (covered ?f ?r) (does r&d (put ?f ?r)))
(<= (next (on 10 one <b> knight)) (true (on 10 two r&d king)) (not (taken 10 one)))
(<= (taken ?f ?r) (true (on ?f ?r ?o ?p)))
(<= (taken ?f ?r) (does r&d (put ?f ?r)))
(next (note a<b))
(<= terminal (true (on 1 two r&d king)) (true (on 2 two r&d king)))
(goal r&d 50) (goal <b> 50)
"""


@pytest.fixture(scope="module")
def awkward() -> Game:
    return Game.from_text(AWKWARD, "a <strange> & game", cache=False)


def test_order_gaps_and_two_part_contents(awkward: Game) -> None:
    assert str(awkward.initial_state()) == (
        "on\n"
        "three  .    bk\n"
        "  two  .  .  .\n"
        "  one rk rn  .\n"
        "       1  2 10\n"
        "\n"
        "bk = <b> king, bn = <b> knight, rk = r&d king, rn = r&d knight\n"
        "\n"
        "note: a<b"
    )


def test_svg_is_well_formed_and_escaped(awkward: Game) -> None:
    root = ElementTree.fromstring(awkward.initial_state().svg())
    assert root.tag == f"{SVG}svg"
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert "note: a<b" in texts
    assert "<b>" in texts
    assert [e.text for e in root.iter(f"{SVG}title")] == ["a <strange> & game: a state"]


def pieces_in(svg: str) -> list[str | None]:
    """Return the fills of the discs on the boards, which are larger than those of the key."""
    root = ElementTree.fromstring(svg)
    return [e.get("fill") for e in root.iter(f"{SVG}rect") if e.get("rx") == "14"]


@pytest.mark.parametrize("name", ["breakthrough6", "dotsandboxes", "eightpuzzle", "nim", "pentago"])
def test_svg_shows_every_piece_in_one_frame(name: str) -> None:
    game = Game.load(name)
    states = line(game, 8)
    frames = {ElementTree.fromstring(state.svg()).get("viewBox") for state in states}
    assert len(frames) == 1
    boards = find_layout(game).boards
    for before, state in pairwise(states):
        change = [
            sum(len(here) for board in boards for here in board.occupied(s).values())
            for s in (before, state)
        ]
        assert [len(pieces_in(s.svg())) for s in (before, state)] == change
        if boards:
            assert state.svg() != before.svg()
    assert states[-1]._repr_svg_() == states[-1].svg()


def test_pieces_of_different_kinds_look_different() -> None:
    svg = Game.load("breakthrough6").initial_state().svg()
    fills = pieces_in(svg)
    assert len(fills) == 24
    assert len(set(fills)) == 2
    root = ElementTree.fromstring(svg)
    letters = [e.text for e in root.iter(f"{SVG}text") if e.get("font-weight")]
    assert [letters.count(letter) for letter in "bw"] == [13, 13], "12 pieces each, and the key"


def test_axis_order() -> None:
    rules = parse_rules("(next_ zeta alpha) (next_ alpha mid) (two a b) (two a c) (less b a)")
    facts = find_successors(rules)
    assert axis_order(["alpha", "mid", "Zeta"], facts) == ("Zeta", "alpha", "mid")
    assert axis_order(["alpha", "Zeta"], facts) == ("Zeta", "alpha")
    assert axis_order(["a", "b"], facts) == ("b", "a")
    assert axis_order(["a", "b", "c"], facts) == ("a", "b", "c")
    assert axis_order(["10", "9", "-1"[1:]], facts) == ("1", "9", "10")
    assert axis_order(["n10", "n9", "n1"], ()) == ("n1", "n9", "n10")
    loop = find_successors(parse_rules("(s a b) (s b c) (s c a)"))
    assert axis_order(["c", "b", "a"], loop) == ("a", "b", "c")


names = st.text("abcxyz12-", min_size=1, max_size=6)


@given(st.integers(0, 3).flatmap(lambda n: st.sets(st.tuples(*[names] * n), max_size=30)))
def test_labels_are_unique(contents: set[tuple[str, ...]]) -> None:
    labels = piece_labels(sorted(contents))
    assert len(set(labels)) == len(contents)
    assert all(labels)


def test_labels_are_short() -> None:
    chess = [("white", piece) for piece in ("bishop", "king", "knight", "pawn", "queen", "rook")]
    assert piece_labels(chess) == ["wb", "wk", "wn", "wp", "wq", "wr"]
    assert piece_labels([("player1",), ("player2",)]) == ["1", "2"]
    assert piece_labels([("xplayer",), ("oplayer",)]) == ["x", "o"]
    assert piece_labels([("1",), ("11",), ("b",)]) == ["1", "11", "b"]
    assert piece_labels([("1", "11"), ("11", "1")]) == ["1-11", "11-1"]


def test_squares_are_painted_with_the_sum_of_their_fluents() -> None:
    game = Game.load("tictactoe")
    before = game.initial_state()
    state = before.next(["(mark 2 2)", "noop"])
    amounts = [0.0] * len(game.fluents)
    for text, amount in (("(cell 2 2 x)", 1.0), ("(cell 2 2 b)", -0.25), ("(cell 1 3 o)", -0.5)):
        amounts[game.fluent_index(text)] = amount
    paint = Paint(by_fluent=amounts, framed=changed(before, state))
    board = find_layout(game).boards[0]
    (marks,) = paint.marks([board])
    assert sorted(mark.text for mark in marks.values()) == ["+0.75", "-0.5"]
    assert sorted(mark.share for mark in marks.values()) == [pytest.approx(-2 / 3), 1]
    assert sum(mark.is_framed for mark in marks.values()) == 1
    texts = [own.text for own in ElementTree.fromstring(state_svg(state, paint)).iter(f"{SVG}text")]
    assert {"+0.75", "-0.5"} <= set(texts)
    assert state_svg(state, Paint()) == state.svg()
    with pytest.raises(GameError, match="1 amounts cannot be painted"):
        state_svg(state, Paint(by_fluent=[1.0]))
