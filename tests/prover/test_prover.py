"""The prover and its search: recorded games, rules nobody wrote, what it must survive."""

from __future__ import annotations

import random
import time
from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import GameError, GroundingError, LimitError, RulesError
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Sentence
from neurogame.prover import limits, search
from neurogame.prover.game import ProverGame
from neurogame.prover.search import ProofSearch
from neurogame.simulate.replay import Report, replay
from neurogame.simulate.trace_backends import ProverBackend
from tests.conftest import shared
from tests.prover.heavy import ALL_DIFFERENT, EXACTLY_ONE, HEAVY, LISTS, TWO_THIRDS, programs
from tests.prover.wide import WIDE
from tests.reference.interpreter import ReferenceGame
from tests.reference.test_reference import CASES, MINIMAL

GAMES = (
    *("ticTacToe", "connectFourSimultaneous", "gt_two_thirds_2p", "ruleDepthExponential"),
    *("checkersTiny", "chess", "nim3", "eightPuzzle", "ghostMaze2p", "hex", "pancakes6"),
)


def game(text: str) -> ProverGame:
    return ProverGame(parse_rules(text))


def moves(prover: ProverGame) -> set[str]:
    return {prover.text(move) for move in prover.legal(prover.initial(), 0)}


def replayed(folder: str, name: str) -> Report:
    source = shared(*folder.split(), f"{name}.kif")
    trace = shared(*folder.replace("games", "").split(), "traces", f"{name}.jsonl.gz")
    return replay(trace, ProverBackend(ProverGame(parse_rules(source.read_text(), source.name))))


@pytest.mark.parametrize("name", CASES)
def test_edge_cases_agree_with_their_traces(name: str) -> None:
    report = replayed("gdl-cases", name)
    assert report.states > 0
    assert report.details == ()


@pytest.mark.parametrize("name", GAMES)
def test_games_agree_with_their_traces(name: str) -> None:
    report = replayed("games", name)
    assert report.states > 0
    assert report.details == ()


@pytest.mark.parametrize("name", ["breakthrough6", "reversi6", "prisoners", "hex5", "loa5"])
def test_it_says_what_the_reference_says_in_random_games(name: str) -> None:
    rules = load_rules(name)
    slow, fast, chance = ReferenceGame(rules), ProverGame(rules), random.Random(1)
    assert fast.roles == slow.roles
    state = fast.initial()
    assert state == slow.initial()
    for _ in range(12):
        for role in range(len(fast.roles)):
            first = next(fast.legal_moves(state, role), None)
            assert (first is None) == (not slow.legal(state, role))
            assert fast.legal(state, role) == slow.legal(state, role)
            assert fast.goals(state, role) == slow.goals(state, role)
        assert fast.terminal(state) == slow.terminal(state)
        if slow.terminal(state):
            break
        joint = [
            chance.choice(sorted(slow.legal(state, role), key=slow.text))
            for role in range(len(fast.roles))
        ]
        following = slow.next(state, joint)
        assert fast.next(state, joint) == following
        state = following


@pytest.mark.parametrize("name", HEAVY)
def test_what_cannot_be_joined_is_played(name: str) -> None:
    prover = game(HEAVY[name])
    state, plies = prover.playout(prover.initial(), seed=3, most=20)
    assert prover.terminal(state)
    assert plies == {"exactly one": 9, "lists": 8, "two thirds": 1, "all different": 8}[name]


def played(text: str, *joints: str) -> tuple[ProverGame, list[list[int]]]:
    """Return a game, and the goals of all roles after some joint moves."""
    prover = game(text)
    state = prover.initial()
    for joint in joints:
        state = prover.next(state, [prover.term(move) for move in joint.split(",")])
    return prover, [prover.goals(state, role) for role in range(len(prover.roles))]


def test_goals_of_what_cannot_be_joined() -> None:
    assert played(EXACTLY_ONE)[1] == [[0]]
    assert played(EXACTLY_ONE, "(mark 4)")[1] == [[100]]
    assert played(EXACTLY_ONE, "(mark 4)", "(mark 9)")[1] == [[0]]
    assert played(LISTS, "(take c)", "(take a)")[1] == [[100]]
    assert played(LISTS, "(take a)", "(take c)")[1] == [[0]]
    # The sum is 180, two thirds of the mean are 20.
    guesses = "(guess 20),(guess 60),(guess 20),(guess 0),(guess 79),(guess 1)"
    assert played(TWO_THIRDS, guesses)[1] == [[100], [0], [100], [0], [0], [0]]
    digits = [f"(write {n})" for n in (8, 7, 6, 5, 4, 3, 2)]
    assert played(ALL_DIFFERENT, *digits, "(write 1)")[1] == [[100]]
    assert played(ALL_DIFFERENT, *digits, "(write 8)")[1] == [[0]]


def test_the_first_legal_move_comes_before_the_others_are_known() -> None:
    # Ten to the power of twenty moves, one after the other.
    digits = " ".join(f"(digit ?d{n})" for n in range(20))
    names = " ".join(f"?d{n}" for n in range(20))
    facts = " ".join(f"(digit {n})" for n in range(10))
    prover = game(f"{MINIMAL}{facts}(<= (legal a (dial {names})) {digits})")
    found = list(islice(prover.legal_moves(prover.initial(), 0), 1000))
    assert len(set(found)) == 1000
    state = prover.initial()
    assert prover.next(state, [found[-1]]) == prover.next(state, [prover.term("go")])


@pytest.mark.parametrize("name", WIDE)
def test_one_move_takes_few_answers_and_all_are_the_same_either_way(name: str) -> None:
    """What relations hold in between is not derived as a whole, either."""
    prover, whole = game(WIDE[name]), game(WIDE[name])
    state = prover.initial()
    first = next(prover.legal_moves(state, 0))
    known = sum(prover._tabling._kept)
    every = whole.legal(state, 0)
    assert first in every
    assert 20 * known < sum(whole._tabling._kept) + len(every)
    # The others come in turns with questions about another state, and once each.
    rest, found = prover.legal_moves(state, 0), list[Sentence]()
    following = prover.next(state, [first])
    for number, move in enumerate(rest):
        found.append(move)
        if number in (0, 1, 100):
            assert prover.is_legal(following, 0, next(prover.legal_moves(following, 0)))
    assert len(found) == len(set(found))
    assert set(found) == every == prover.legal(state, 0)


def test_what_is_interrupted_goes_on_where_answers_come_one_by_one() -> None:
    budget = 500
    prover = ProverGame(parse_rules(WIDE["many"]), lambda: budget == 0)
    state, whole = prover.initial(), game(WIDE["many"])
    found = [*islice(prover.legal_moves(state, 0), budget)]
    budget = 0
    with pytest.raises(LimitError, match="interrupted"):
        list(prover.legal_moves(state, 0))
    budget = 1
    assert set(prover.legal_moves(state, 0)) == whole.legal(state, 0) > set(found)


def test_deep_recursion_is_no_problem_and_endless_recursion_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deep = " ".join(f"(succ {n} {n + 1})" for n in range(5000))
    rules = "(<= (reach ?n) (succ ?m ?n) (reach ?m)) (reach 0)"
    assert "(to 5000)" in moves(
        game(f"{MINIMAL}{deep}{rules}(<= (legal a (to 5000)) (reach 5000))")
    )
    endless = game(f"{MINIMAL}(<= (p ?x) (p (f ?x))) (<= (legal a (m ?x)) (role ?x) (p ?x))")
    # Terms that grow take time that grows with the square of their depth.
    monkeypatch.setattr(limits, "DEEPEST_QUESTIONS", 100)
    for _ in range(2):
        with pytest.raises(LimitError, match="wait for each other"):
            moves(endless)
    assert endless.terminal(endless.initial()) is False


def test_graphs_with_cycles_are_completed() -> None:
    ring = " ".join(f"(edge {n} {(n + 1) % 40}) (edge {n} {(n * 7) % 40})" for n in range(40))
    for rules in (
        "(<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))",
        "(<= (path ?x ?z) (edge ?x ?y) (path ?y ?z)) (<= (path ?x ?y) (edge ?x ?y))",
        "(<= (path ?x ?z) (path ?x ?y) (path ?y ?z)) (<= (path ?x ?y) (edge ?x ?y))",
    ):
        text = f"{MINIMAL}{ring}{rules}(<= (legal a (to ?x)) (path 3 ?x))"
        assert moves(game(text)) == {"go", *(f"(to {n})" for n in range(40))}


def test_negation_through_a_cycle() -> None:
    chain = "(succ 1 2) (succ 2 3) (succ 3 4) (<= (win ?x) (succ ?x ?y) (not (win ?y)))"
    assert moves(game(f"{MINIMAL}{chain}(<= (legal a (m ?x)) (win ?x))")) == {
        "go",
        "(m 1)",
        "(m 3)",
    }
    # Stratified atom by atom, but what is asked is not: the reference decides.
    doubtful = "(p 1) (<= (p 2) (some 1)) (<= (some ?x) (p ?x) (not (q ?x))) (<= (q 2) (all ?y))"
    doubtful += "(<= (all ?x) (p ?x))"
    text = f"{MINIMAL}{doubtful}(<= (legal a (m ?x)) (some ?x))"
    twin = ReferenceGame(parse_rules(text))
    expected = {twin.text(move) for move in twin.legal(twin.initial(), 0)}
    assert moves(game(text)) == expected
    refused = game(f"{MINIMAL}(<= odd (not even)) (<= even (not odd)) (<= (legal a (m 1)) odd)")
    for _ in range(2):
        with pytest.raises(GroundingError, match="depends on its own negation"):
            moves(refused)


def played_on(prover: ProverGame) -> list[int]:
    """Return the first role's goals after all have guessed 99."""
    final = prover.next(prover.initial(), [prover.term("(guess 99)")] * 6)
    return prover.goals(final, 0)


def test_limits_and_interruptions_leave_the_prover_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = True
    rules = parse_rules(TWO_THIRDS)
    prover = ProverGame(rules, stop=lambda: busy)
    with pytest.raises(LimitError, match="interrupted"):
        played_on(prover)
    busy = False
    assert played_on(prover) == [0]
    monkeypatch.setattr(limits, "MOST_ANSWERS", 100)

    with pytest.raises(LimitError, match="more than 100 answers"):
        played(TWO_THIRDS, "(guess 9),(guess 9),(guess 9),(guess 9),(guess 9),(guess 90)")


def test_wrong_moves_are_refused_like_by_the_reference() -> None:
    rules = parse_rules(f"{MINIMAL}(role b)")
    for one in (ProverGame(rules), ReferenceGame(rules)):
        state = one.initial()
        for joint, message in ((["go"], "2 moves"), (["x", "go"], "x is not a legal move of a")):
            with pytest.raises(GameError, match=message):
                one.next(state, [one.term(text) for text in joint])
        with pytest.raises(GameError, match="role b has no legal move"):
            one.next(state, [one.term("go"), one.term("go")])
    with pytest.raises(RulesError, match="at least one"):
        game("(legal a b)")
    with pytest.raises(RulesError, match="unsafe rule for legal"):
        game(f"{MINIMAL}(<= (legal a ?x) (not (role ?x)))")


_FRAME = (
    "(role a) (init (s z)) (goal a 0) (<= terminal (true (s q))) (<= (next (s z)) (true (s z)))"
)
_TEN = "(f " * 10 + "?x" + ")" * 10


@pytest.mark.parametrize(
    "rules",
    [
        f"(<= (legal a go) (p z)) (<= (p ?x) (p {_TEN}))",
        f"(<= (legal a (go ?x)) (p ?x)) (p z) (<= (p {_TEN}) (p ?x))",
        "(<= (legal a (go ?x)) (p ?x)) (p z) (<= (p (f ?x ?x)) (p ?x))",
        "(<= (legal a go) (q z)) (<= (p ?x) (q (f ?x)) (q ?x)) (<= (q ?x) (p (f ?x ?x)))",
    ],
)
def test_terms_that_nest_without_end_are_refused(rules: str) -> None:
    endless = game(_FRAME + rules)
    with pytest.raises(
        LimitError, match=r"terms nest more than 300 deep|terms have more than 10,000 parts"
    ):
        endless.legal(endless.initial(), 0)


def test_rounds_and_questions_can_be_interrupted() -> None:
    numbers = count(1)
    rules = _FRAME + "(<= (legal a (go ?x)) (p ?x)) (p z) (<= (p (f ?x)) (p ?x))"
    endless = ProverGame(parse_rules(rules), lambda: next(numbers) > 3)
    with pytest.raises(LimitError, match="interrupted"):
        endless.legal(endless.initial(), 0)
    assert next(numbers) == 5


@given(programs(), st.integers(0, 7))
def test_it_says_what_the_reference_says(text: str, choose: int) -> None:
    rules = parse_rules(text)
    try:
        slow = ReferenceGame(rules)
    except GroundingError:
        return
    fast = ProverGame(rules)
    state = slow.initial()
    assert fast.initial() == state
    for ply in range(3):
        try:
            moves = [slow.legal(state, role) for role in range(2)]
        except GroundingError:
            return
        for role in range(2):
            # Some are asked for and left; then all.
            assert set(islice(fast.legal_moves(state, role), choose % 3)) <= moves[role]
            assert set(fast.legal_moves(state, role)) == moves[role]
            assert fast.goals(state, role) == slow.goals(state, role)
            assert fast.legal(state, role) == moves[role]
        assert fast.terminal(state) == slow.terminal(state)
        if not all(moves) or slow.terminal(state):
            return
        joint = [sorted(own, key=str)[(choose + ply) % len(own)] for own in moves]
        try:
            following = slow.next(state, joint)
        except GroundingError:
            return
        assert fast.next(state, joint) == following
        state = following


TICTACTOE = load_rules("tictactoe")


def state_of(game: ProverGame, *fluents: str) -> frozenset:  # type: ignore[type-arg]
    return frozenset(map(game.term, fluents))


def test_it_wins_and_prevents_at_once() -> None:
    game = ProverGame(TICTACTOE)
    start = game.initial()
    marked = {"(cell 1 1 x)", "(cell 2 2 x)", "(cell 1 3 o)", "(cell 1 2 o)", "(control xplayer)"}
    blank = {game.text(f) for f in start if game.text(f).endswith("b)")}
    taken = {text[:9] for text in marked}
    position = marked | {text for text in blank if text[:9] not in taken}
    found = ProofSearch(TICTACTOE, 1).search(state_of(game, *position), 0, simulations=300)
    assert found is not None
    assert game.text(found.move) == "(mark 3 3)"
    assert found.value > 0.9
    assert found.simulations == 300


def test_the_same_seed_finds_the_same() -> None:
    game = ProverGame(TICTACTOE)
    one, two = (ProofSearch(TICTACTOE, 7).search(game.initial(), 0, simulations=60) for _ in "ab")
    assert one == two
    assert one is not None


@pytest.mark.parametrize("name", ["prisoners", "lightsout", "tictactoe3p", "eightpuzzle"])
def test_games_of_all_shapes_are_searched(name: str) -> None:
    rules = load_rules(name)
    game = ProverGame(rules)
    for role in range(len(game.roles)):
        found = ProofSearch(rules, 3).search(game.initial(), role, simulations=5)
        assert found is not None
        assert found.move in game.legal(game.initial(), role)
        assert 0 <= found.value <= 1


def test_it_beats_random_moves() -> None:
    game, chance = ProverGame(TICTACTOE), random.Random(5)
    points = 0
    for match in range(6):
        own, state = match % 2, game.initial()
        searcher = ProofSearch(TICTACTOE, match)
        while not game.terminal(state):
            joint = []
            for role in range(2):
                moves = sorted(game.legal(state, role), key=game.text)
                move = chance.choice(moves)
                if role == own and len(moves) > 1:
                    found = searcher.search(state, role, simulations=80)
                    assert found is not None
                    move = found.move
                joint.append(move)
            state = game.next(state, joint)
        points += game.goals(state, own)[0]
    assert points >= 500


def test_it_stops_when_it_is_told_to() -> None:
    game, searcher = ProverGame(TICTACTOE), ProofSearch(TICTACTOE, 1)
    asked = count()
    found = searcher.search(game.initial(), 0, stop=lambda: next(asked) > 200)
    assert found is None or found.simulations > 0
    assert searcher.search(game.initial(), 0, until=time.monotonic()) is None or found is not None
    # What was interrupted is no worse for it.
    again = searcher.search(game.initial(), 0, simulations=20)
    assert again is not None
    assert again.simulations == 20


def test_a_full_tree_grows_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_NODES", 10)
    found = ProofSearch(TICTACTOE, 1).search(ProverGame(TICTACTOE).initial(), 0, simulations=100)
    assert found is not None
    assert found.nodes == 10


@pytest.mark.parametrize("name", ["exactly one", "lists"])
def test_what_is_wide_is_searched(name: str) -> None:
    rules = parse_rules(HEAVY[name])
    game = ProverGame(rules)
    found = ProofSearch(rules, 1).search(game.initial(), 0, simulations=3)
    assert found is not None
    assert found.move in game.legal(game.initial(), 0)
