"""Values of pieces and squares, learned from random games, that playouts draw moves by."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest

from neurogame.learn.fast import learn_fast, piece_kinds
from neurogame.players.judges import make_judges
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game

game = cache(Game.load)


def test_each_type_of_piece_is_a_kind() -> None:
    checkers = game("checkers6")
    kinds = piece_kinds(checkers)
    types: dict[int, set[str]] = {}
    for fluent, kind in enumerate(kinds):
        types.setdefault(int(kind), set()).add(str(checkers.fluents[fluent]).split()[-1])
    others = types.pop(-1)
    assert all(len(names) == 1 for names in types.values())
    assert len(types) == 4
    assert not others & {name for names in types.values() for name in names}


def test_without_a_board_there_are_no_kinds() -> None:
    assert (piece_kinds(game("nim")) == -1).all()


def test_own_pieces_are_worth_something_and_those_of_others_too() -> None:
    """In breakthrough who has more pieces wins more random games."""
    breakthrough = game("breakthrough6")
    judge, kinds = learn_fast(breakthrough, 3000, seed=1), piece_kinds(breakthrough)
    psi = judge.psi.detach().numpy()
    means = np.array([[own[kinds == kind].mean() for kind in (0, 1)] for own in psi])
    first, second = means
    assert np.sign(first[0] - first[1]) == -np.sign(second[0] - second[1]) != 0


def test_a_capture_is_worth_more_than_most_moves() -> None:
    breakthrough = game("breakthrough6")
    judge = learn_fast(breakthrough, 3000, seed=1)
    random = np.random.default_rng(2)
    better = worse = 0
    for _ in range(60):
        state = breakthrough.initial_state()
        for _ in range(12):
            if state.is_terminal:
                break
            state = state.next([int(random.choice(moves)) for moves in state.legal_moves])
        role = int(len(state.legal_moves[1]) > 1) if not state.is_terminal else 0
        if state.is_terminal or len(state.legal_moves[role]) < 2:
            continue
        held = int(state.fluents.sum())
        captures: list[float] = []
        quiet: list[float] = []
        legal = np.isin(np.arange(len(breakthrough.moves[role])), state.legal_moves[role])[None]
        scores = judge.move_scores(state.fluents[None].numpy(), legal, role)[0]
        for move in state.legal_moves[role]:
            joint = [moves[0] for moves in state.legal_moves]
            joint[role] = move
            kind = captures if int(state.next(joint).fluents.sum()) < held else quiet
            kind.append(float(scores[move]))
        if captures and quiet:
            better += np.mean(captures) > np.mean(quiet)
            worse += np.mean(captures) <= np.mean(quiet)
    assert better > 3 * worse


def test_the_same_seed_learns_the_same_and_a_deadline_ends_it() -> None:
    first, second = (learn_fast(game("tictactoe"), 200, seed=3) for _ in range(2))
    assert (first.psi == second.psi).all()
    late = learn_fast(game("tictactoe"), 10**9, seed=3, deadline=time.monotonic())
    assert 0 < int(late.games) <= 64


def test_playouts_take_it_by_name() -> None:
    settings = MctsSettings(playout="fast")
    assert settings.judges == ("fast",)
    assert (settings.playout_choice, settings.playout_scaling) == ("gibbs", "raw")
    assert set(make_judges(game("tictactoe"), settings)) == {"fast"}
    player = make_player("mcts:playout=fast,games=100,lanes=8")
    player.start(game("tictactoe"), 0, 1)
    state = game("tictactoe").initial_state()
    assert player.choose(state, Limit(simulations=40)) in state.legal_moves[0]


@pytest.mark.parametrize("text", ["mcts:tree=fast", "mcts:playout=uniform,tree=fast"])
def test_the_tree_does_not(text: str) -> None:
    with pytest.raises(ValueError, match="tree"):
        make_player(text)
