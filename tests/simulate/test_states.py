"""Single states and batches: looking things up, comparing, and refusing nonsense."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import CheckpointError, ConfigurationError, GameError
from neurogame.gdl.write import rules_text
from neurogame.simulate.game import Game, State
from neurogame.simulate.game_mapping import map_game
from neurogame.simulate.playouts import playouts
from neurogame.simulate.state_rows import rows_of, states_of
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
    with pytest.raises(GameError, match=r"no role 0; its roles are xplayer, oplayer"):
        game.role_index(0)  # type: ignore[arg-type]
    with pytest.raises(GameError, match=r"no fluent '\(cell 4 4 b\)'; it has 29, such as"):
        game.fluent_index("(cell 4 4 b)")
    with pytest.raises(GameError, match=r"xplayer has no move 'jump' in tictactoe; it has 10"):
        game.move_index("xplayer", "jump")
    with pytest.raises(GameError, match="no role"):
        game.move_index("zed", "noop")
    for text in ("(cell 1 1 x)", ""):
        with pytest.raises(ConfigurationError, match=r"state: found the text .* give a list, such"):
            game.state(text)


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


def test_moves_are_whole_numbers(game: Game) -> None:
    state, first = game.initial_state(), [moves[0] for moves in game.initial_state().legal_moves]
    assert state.next([np.int64(first[0]), *first[1:]]) == state.next(first)  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match=r"move=0\.9; a whole number is needed"):
        state.next([0.9, *first[1:]])  # type: ignore[list-item]


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


@given(
    states=st.integers(1, 200),
    fluents=st.integers(1, 200),
    chosen=st.lists(st.integers(0, 10**6), max_size=200),
    seed=st.integers(0, 2**32),
)
def test_rows_are_the_states_and_are_picked_in_any_order(
    states: int, fluents: int, chosen: list[int], seed: int
) -> None:
    flags = np.random.default_rng(seed).random((states, fluents)) < 0.5
    batch = StateBatch.from_bool(torch.from_numpy(flags))
    rows = rows_of(batch)
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    assert (bits[:, :fluents] == flags).all()
    assert not bits[:, fluents:].any()
    # Words of one state, of many, and of some.
    repeated = [number for number in chosen[:3] for _ in range(seed % 130)]
    index = np.array([*repeated, *chosen], np.int64) % states
    picked = states_of(rows, index, fluents)
    assert len(picked) == len(index)
    assert torch.equal(picked.words, batch.select(torch.from_numpy(index)).words)


def test_another_game_is_refused_by_name_and_structure() -> None:
    with pytest.raises(CheckpointError, match=r"trained on tictactoe .* nim .* other rules"):
        map_game(Game.load("tictactoe"), Game.load("nim"))


def test_a_game_of_the_same_fluents_and_other_rules_is_refused() -> None:
    home = Game.load("tictactoe")
    text = rules_text(home.rules)
    other = Game.from_text(text.replace("(goal ?p 50)", "(goal ?p 51)"), "other")
    assert (other.fluents, other.roles) == (home.fluents, home.roles)
    with pytest.raises(CheckpointError, match=r"other .* has other rules"):
        map_game(home, other)


def test_a_state_can_be_copied_and_sent_after_its_game_was_played(game: Game) -> None:
    state = game.initial_state().next(["(mark 2 2)", "noop"])
    playouts(game.simulator(), 64, 1)
    for other in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert other == state
        after = ["noop", "(mark 1 1)"]
        assert other.next(after) == state.next(after)
