"""Single states and batches: looking things up, comparing, and refusing nonsense."""

from __future__ import annotations

import pytest
import torch

from neurogame.errors import GameError
from neurogame.simulate.game import Game, State
from neurogame.simulate.states import StateBatch


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.load("tictactoe")


def test_names_in_any_case_and_spacing(game: Game) -> None:
    assert game.roles == ("xplayer", "oplayer")
    assert game.role_index("XPlayer") == 0
    for role, moves in zip(game.roles, game.moves, strict=True):
        for index, move in enumerate(moves):
            spaced = f" {move.upper()} ".replace("(", "( ").replace(" ", "  ")
            assert game.move_index(role.upper(), spaced) == index
    for index, fluent in enumerate(game.fluents):
        assert game.fluent_index(fluent.title()) == index


def test_unknown_names_say_what_there_is(game: Game) -> None:
    with pytest.raises(GameError, match=r"no role 'zed'; its roles are xplayer, oplayer"):
        game.role_index("zed")
    with pytest.raises(GameError, match=r"no fluent '\(cell 4 4 b\)'; it has 29, such as"):
        game.fluent_index("(cell 4 4 b)")
    with pytest.raises(GameError, match=r"xplayer has no move 'jump' in tictactoe; it has 10"):
        game.move_index("xplayer", "jump")
    with pytest.raises(GameError, match="no role"):
        game.move_index("zed", "noop")


def test_move_offsets_and_repr(game: Game) -> None:
    assert game.move_offsets == [0, 10, 20]
    assert "tictactoe" in repr(game)
    assert "2 roles, 29 fluents, 20 moves" in repr(game)


def test_a_match_by_names(game: Game) -> None:
    state = game.initial_state()
    assert len(state.fluent_texts) == 10
    assert "(control xplayer)" in state.fluent_texts
    assert [len(moves) for moves in state.legal_moves] == [9, 1]
    for x, o in [("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"), ("(mark 1 2)", "noop"),
                 ("noop", "(mark 3 3)"), ("(MARK 1 3)", "NOOP")]:  # fmt: skip
        assert not state.is_terminal
        state = state.next([x, o])
    assert state.is_terminal
    assert state.goals == (100.0, 0.0)
    assert state.legal_moves == ((), ())
    assert state.next(["nonsense"]) is state


def test_equality_and_hash(game: Game) -> None:
    state = game.initial_state()
    one = state.next(["(mark 1 1)", "noop"]).next(["noop", "(mark 2 2)"])
    one = one.next(["(mark 3 3)", "noop"])
    other = state.next(["(mark 3 3)", "noop"]).next(["noop", "(mark 2 2)"])
    assert one != other
    other = other.next(["(mark 1 1)", "noop"])
    assert one == other
    assert hash(one) == hash(other)
    assert len({state, one, other, game.initial_state()}) == 2
    assert state == Game.load("tictactoe").initial_state()
    assert state != "a state"
    text = "(role r) (init a) (legal r m) (next a) (goal r {}) (<= terminal (true b))"
    twins = [Game.from_text(text.format(g), cache=False).initial_state() for g in (0, 1)]
    assert twins[0].fluents.tolist() == twins[1].fluents.tolist()
    assert twins[0] != twins[1], "states of different rules are equal"


def test_goals_are_none_where_there_are_none() -> None:
    text = "(role r) (role s) (init a) (legal r m) (legal s m) (next a) (<= terminal (true a))"
    game = Game.from_text(text + "(goal s 5) (goal s 35)", cache=False)
    assert game.initial_state().goals == (None, 35.0)


def test_wrong_joint_moves(game: Game) -> None:
    state = game.initial_state()
    with pytest.raises(GameError, match=r"has 2 moves, one per role, not 1"):
        state.next(["noop"])
    with pytest.raises(GameError, match=r"noop is not legal for role xplayer"):
        state.next(["noop", "noop"])
    with pytest.raises(GameError, match=r"oplayer has no move"):
        state.next(["(mark 1 1)", "pass"])
    with pytest.raises(GameError, match=r"has no move 10; its moves are 0..9"):
        state.next([10, 9])


@pytest.mark.parametrize(
    "fluents",
    [torch.zeros(28, dtype=torch.bool), torch.zeros(29), torch.zeros((1, 29), dtype=torch.bool)],
)
def test_wrong_fluents(game: Game, fluents: torch.Tensor) -> None:
    with pytest.raises(GameError, match=r"a state of tictactoe is bool \[29\]"):
        State(game, fluents)


def test_repr_is_short_enough_to_read_in_a_failure(game: Game) -> None:
    assert "Game('tictactoe'" in repr(game.initial_state())


def test_batches_select_and_refuse() -> None:
    flags = torch.rand((130, 7), generator=torch.Generator().manual_seed(1)) < 0.5
    batch = StateBatch.from_bool(flags)
    assert (len(batch), batch.device.type) == (130, "cpu")
    assert torch.equal(batch.to_bool(), flags)
    index = torch.tensor([129, 0, 63, 64, 0])
    assert torch.equal(batch.select(index).to_bool(), flags[index])
    assert len(batch.select(index[:0])) == 0
    for wrong in (-1, 130):
        with pytest.raises(GameError, match=r"a state index must lie in 0..129"):
            batch.select(torch.tensor([0, wrong]))


def test_batches_of_a_wrong_shape_or_type() -> None:
    with pytest.raises(GameError, match=r"states are given as bool \[B, F\]"):
        StateBatch.from_bool(torch.zeros((2, 3)))
    with pytest.raises(GameError, match=r"states are given as bool \[B, F\]"):
        StateBatch.from_bool(torch.zeros(3, dtype=torch.bool))
    with pytest.raises(GameError, match=r"must be int64 \[F, W\]"):
        StateBatch(torch.zeros((3, 1)), 5)
    with pytest.raises(GameError, match="65 states take 2 words per fluent, not 1"):
        StateBatch(torch.zeros((3, 1), dtype=torch.int64), 65)


def test_a_state_from_the_texts_of_its_fluents(game: Game) -> None:
    state = game.initial_state().next(["(mark 2 2)", "noop"])
    assert game.state(reversed(state.fluent_texts)) == state
    assert game.state(text.upper() for text in state.fluent_texts) == state
    assert not game.state([]).fluents.any()
    with pytest.raises(GameError, match=r"no fluent '\(cell 9 9 b\)'"):
        game.state(["(cell 9 9 b)"])
