"""What the headers say about best play is true on the product's own simulators."""

from __future__ import annotations

from functools import cache
from itertools import combinations

from neurogame.gdl.library import load_rules
from neurogame.simulate.game import Game
from tests.games.plain_games import Qubic, numbers, text
from tests.games.plain_mixed_games import Pegs
from tests.games.plain_other_games import EightPuzzle, LightsOut
from tests.reference.interpreter import ReferenceGame, ReferenceState


def play(name: str, moves: list[str]) -> tuple[bool, tuple[float | None, ...]]:
    """Return whether a game of one role is over after these moves, and its goals."""
    state = Game.load(name).initial_state()
    for move in moves:
        assert not state.is_terminal
        state = state.next([move])
    return state.is_terminal, state.goals


def test_lights_out_needs_five_presses() -> None:
    lights = LightsOut()
    lamps = [(x, y) for x in range(1, 6) for y in range(1, 6)]
    effect = {lamp: lights.next((0, frozenset()), [text("press", *lamp)])[1] for lamp in lamps}
    lit = lights.initial()[1]

    def solutions(presses: int) -> list[tuple[tuple[int, int], ...]]:
        found = []
        for chosen in combinations(lamps, presses):
            dark: frozenset[tuple[int, ...]] = frozenset()
            for lamp in chosen:
                dark = dark ^ effect[lamp]
            if dark == lit:
                found.append(chosen)
        return found

    assert not any(solutions(presses) for presses in range(5))
    (best,) = solutions(5)
    assert play("lightsout", [text("press", *lamp) for lamp in best]) == (True, (100.0,))
    assert not play("lightsout", [text("press", *lamp) for lamp in best[:4]])[0]


def test_eight_puzzle_needs_twelve_moves() -> None:
    puzzle = EightPuzzle()
    start = puzzle.initial()
    reached = {start[1]: list[str]()}
    frontier = [start]
    while (1, 2, 3, 4, 5, 6, 7, 8, 0) not in reached:
        following = []
        for state in frontier:
            for move in puzzle.moves(state)[0]:
                child = puzzle.next(state, [move])
                if child[1] not in reached:
                    reached[child[1]] = [*reached[state[1]], move]
                    following.append(child)
        frontier = following
    moves = reached[1, 2, 3, 4, 5, 6, 7, 8, 0]
    assert len(moves) == 12
    assert play("eightpuzzle", moves) == (True, (100.0,))


def test_pegs_can_be_solved_in_31_jumps() -> None:
    pegs = Pegs()
    seen: set[frozenset[tuple[int, ...]]] = set()

    def solution(state: frozenset[tuple[int, ...]]) -> list[str] | None:
        """Return moves that leave one peg in the middle, found in depth first."""
        if state == {(4, 4)}:
            return []
        if state in seen:
            return None
        seen.add(state)
        for move in pegs.moves(state)[0]:
            rest = solution(pegs.next(state, [move]))
            if rest is not None:
                return [move, *rest]
        return None

    moves = solution(pegs.initial())
    assert moves is not None
    assert len(moves) == 31
    assert play("pegs", moves) == (True, (100.0,))


def test_nim_is_won_exactly_where_the_heaps_do_not_cancel_out() -> None:
    game = ReferenceGame(load_rules("nim"))
    checked = 0

    @cache
    def mover_wins(state: ReferenceState) -> bool:
        nonlocal checked
        texts = [game.text(fluent) for fluent in state]
        mover = int("(control second)" in texts)
        if game.terminal(state):
            wins = game.goals(state, mover) == [100]
        else:
            (idle,) = game.legal(state, 1 - mover)
            joints = [
                (move, idle) if mover == 0 else (idle, move) for move in game.legal(state, mover)
            ]
            replies = [mover_wins(game.next(state, joint)) for joint in joints]
            wins = not all(replies)
        total = 0
        for heap in texts:
            total ^= sum(numbers(heap))
        assert wins == (total != 0)
        checked += 1
        return wins

    assert not mover_wins(game.initial())
    # Of 2 * 2 * 4 * 6 * 8 heaps and movers only a few cannot be reached from the start.
    assert checked > 700


def test_qubic_has_76_lines_of_four_cells() -> None:
    """The rules' naming of lines by three kinds of coordinates names each line once."""
    atoms = Game.load("qubic").circuit.atoms
    parts = [text for text in map(atoms.text, range(len(atoms))) if text.startswith("(has ")]
    assert len(parts) == 2 * len(Qubic().lines) * 4 == 2 * 76 * 4
