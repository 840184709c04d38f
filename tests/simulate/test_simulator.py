"""The simulator's conventions, and its agreement with single states and with the rules."""

from __future__ import annotations

import warnings
from itertools import product

import pytest
import torch

from neurogame.errors import GameError, LimitError, NeurogameWarning
from neurogame.gdl.library import load_rules
from neurogame.kernels import joint_moves as joint_moves_module
from neurogame.kernels.playout import GivenLanes
from neurogame.kernels.twin import gates
from neurogame.simulate.game import Game, State
from neurogame.simulate.states import StateBatch
from tests.reference.interpreter import ReferenceGame, ReferenceState

# Two roles; red may end the game at once, blue may not do anything but wait. The goals of red
# are none, one or two, depending on how it ended.
GOALS = """
(role red) (role blue) (init playing)
(<= (legal red none) (true playing)) (<= (legal red one) (true playing))
(<= (legal red both) (true playing)) (<= (legal red stay) (true playing))
(legal blue wait)
(<= (next ended) (does red ?m) (distinct ?m stay))
(<= (next playing) (does red stay))
(<= (next (by ?m)) (does red ?m))
(<= terminal (true ended))
(<= (goal red 40) (true (by one)))
(<= (goal red 30) (true (by both))) (<= (goal red 70) (true (by both)))
(<= (goal blue 100) (true ended))
"""


@pytest.fixture
def goals_game() -> Game:
    return Game.from_text(GOALS, "goals", cache=False)


def after(game: Game, *moves: str) -> StateBatch:
    """Return one state per move of red."""
    rows = [[game.move_index("red", move), game.move_index("blue", "wait")] for move in moves]
    return game.simulator().step(game.simulator().initial(len(moves)), torch.tensor(rows))


def test_initial_states() -> None:
    game = Game.load("tictactoe")
    for size in (0, 1, 63, 64, 65):
        states = game.simulator().initial(size)
        assert len(states) == size
        assert states.to_bool().tolist() == [game.initial_state().fluents.tolist()] * size
    assert game.simulator() is game.simulator("cpu")


def test_empty_batches() -> None:
    simulator = Game.load("tictactoe").simulator()
    none = simulator.initial(0)
    look = simulator.look(none)
    assert look.legal.shape[0] == look.terminal.shape[0] == look.goals.shape[0] == 0
    assert len(simulator.step(none, torch.zeros((0, 2), dtype=torch.int64))) == 0
    assert len(simulator.expand(none).states) == 0


def test_goals_one_none_several(goals_game: Game) -> None:
    simulator = goals_game.simulator()
    states = after(goals_game, "stay", "one", "none", "both")
    with pytest.warns(NeurogameWarning, match=r"role red has 0 goals in a terminal state"):
        look = simulator.look(states)
    assert look.goals.dtype == torch.float32
    assert look.terminal.tolist() == [False, True, True, True]
    torch.testing.assert_close(
        look.goals, torch.tensor([[0, 0], [0.4, 1], [0, 1], [0.7, 1]], dtype=torch.float32)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulator.look(states)
    assert goals_game.circuit.goals[0][0][0] == 70, "highest goal first"
    assert simulator.derive(states).goal_flags[:, :3].tolist() == [
        [False, False, False],
        [False, True, False],
        [False, False, False],
        [True, False, True],
    ]


def test_a_look_in_blocks_is_that_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = Game.load("tictactoe3p").simulator()
    words = simulator.initial(320).words
    end = simulator.playout_kernel("torch").finish(GivenLanes(words, torch.arange(5), 1, steps=20))
    whole = simulator.look(StateBatch(end.words, 320))
    monkeypatch.setattr(gates, "_BLOCK_BYTES", 0)
    monkeypatch.setattr(gates, "_LEAST_WORDS", 2)
    simulator = Game.load("tictactoe3p").simulator()
    for size in (1, 64, 300):
        look = simulator.look(StateBatch(end.words, 320).select(torch.arange(size)))
        assert torch.equal(look.terminal, whole.terminal[:size])
        assert torch.equal(look.goals, whole.goals[:size])
        assert torch.equal(look.legal, whole.legal[:size])
    assert 0 < int(look.terminal.sum()) < 300


def test_no_warning_before_the_end(goals_game: Game) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        goals_game.simulator().look(after(goals_game, "stay", "one"))


def test_legal_moves_of_terminal_states(goals_game: Game) -> None:
    simulator = goals_game.simulator()
    states = after(goals_game, "one", "stay")
    wait = goals_game.move_offsets[1] + goals_game.move_index("blue", "wait")
    assert simulator.derive(states).legal[:, wait].tolist() == [True, True]
    assert simulator.look(states).legal.sum(dim=1).tolist() == [0, 5]
    legal, terminal = simulator.status(states)
    assert torch.equal(legal, simulator.look(states).legal)
    assert terminal.tolist() == [True, False]


def test_terminal_states_stay_whatever_the_moves(goals_game: Game) -> None:
    simulator = goals_game.simulator()
    states = after(goals_game, "one", "both", "stay")
    moves = torch.tensor([[-5, 99], [0, 7], [goals_game.move_index("red", "one"), 0]])
    stepped = simulator.step(states, moves)
    assert torch.equal(stepped.to_bool()[:2], states.to_bool()[:2])
    assert torch.equal(stepped.to_bool()[2], states.to_bool()[0])


def test_illegal_moves_name_state_role_and_move() -> None:
    game = Game.load("tictactoe")
    simulator = game.simulator()
    noop, mark = game.move_index("oplayer", "noop"), game.move_index("xplayer", "(mark 2 2)")
    states = simulator.step(simulator.initial(70), torch.tensor([[mark, noop]] * 70))
    x_noop = game.move_index("xplayer", "noop")
    moves = torch.tensor([[x_noop, game.move_index("oplayer", "(mark 1 1)")]] * 70)
    simulator.step(states, moves)
    moves[66, 1] = game.move_index("oplayer", "(mark 2 2)")
    with pytest.raises(GameError, match=r"state 66: \(mark 2 2\) is not legal for role oplayer"):
        simulator.step(states, moves)
    assert len(simulator.step(states, moves, check=False)) == 70
    moves[66] = torch.tensor([mark, noop])
    with pytest.raises(GameError, match=r"state 66: \(mark 2 2\) is not legal for role xplayer"):
        simulator.step(states, moves)


@pytest.mark.parametrize("bad", [-1, 10, 1000])
def test_moves_out_of_range(bad: int) -> None:
    game = Game.load("tictactoe")
    simulator = game.simulator()
    moves = torch.tensor([[0, 9]] * 3)
    moves[2, 1] = bad
    with pytest.raises(GameError, match=rf"state 2: role oplayer has no move {bad}; .* 0\.\.9"):
        simulator.step(simulator.initial(3), moves)


@pytest.mark.parametrize(
    "moves",
    [
        torch.zeros((2, 2), dtype=torch.int64),
        torch.zeros((3, 1), dtype=torch.int64),
        torch.zeros(3, dtype=torch.int64),
        torch.zeros((3, 2), dtype=torch.int32),
        torch.zeros((3, 2)),
    ],
)
def test_moves_of_a_wrong_shape_or_type(moves: torch.Tensor) -> None:
    simulator = Game.load("tictactoe").simulator()
    with pytest.raises(GameError, match=r"the moves of 3 states must be int64 \[3, 2\], not"):
        simulator.step(simulator.initial(3), moves)


def test_states_of_another_game_are_refused() -> None:
    states = Game.load("connectfour").simulator().initial(2)
    simulator = Game.load("tictactoe").simulator()
    with pytest.raises(GameError, match="states of another game"):
        simulator.look(states)
    with pytest.raises(GameError, match="states of another game"):
        simulator.step(states, torch.zeros((2, 2), dtype=torch.int64))


def test_children_takes_one_state() -> None:
    simulator = Game.load("rockpaperscissors").simulator()
    children = simulator.children(simulator.initial(1))
    assert len(children.states) == 9
    with pytest.raises(GameError, match="one state, not 2"):
        simulator.children(simulator.initial(2))


def test_too_many_joint_moves_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_moves_module, "_MOST_CHILDREN", 8)
    simulator = Game.load("rockpaperscissors").simulator()
    with pytest.raises(LimitError, match="9 joint moves, the limit is 8"):
        simulator.expand(simulator.initial(1))


def texts(reference: ReferenceGame, state: ReferenceState) -> list[str]:
    return sorted(reference.text(term) for term in state)


@pytest.mark.parametrize(
    "name",
    [
        "bidding_tictactoe",
        "connectfour_simultaneous",
        "eightpuzzle",
        "nim",
        "pentago",
        "prisoners",
        "reversi6",
        "rockpaperscissors",
        "tictactoe",
        "tictactoe3p",
    ],
)
def test_expansion_equals_single_states_and_the_reference(name: str) -> None:
    """Children along a random line: order, moves, states, ends and goals."""
    game = Game.load(name)
    reference = ReferenceGame(load_rules(name))
    simulator = game.simulator()
    generator = torch.Generator().manual_seed(1)
    state, slow = game.initial_state(), reference.initial()
    for _ in range(5):
        found = simulator.children(state.batch)
        assert [tuple(row) for row in found.joint.tolist()] == list(product(*state.legal_moves))
        assert len(set(map(tuple, found.joint.tolist()))) == len(found.joint)
        assert not bool(found.parent.any())
        if len(found.joint) == 0:
            break
        rows = found.states.to_bool()
        chosen = torch.randperm(len(found.joint), generator=generator)[:4].tolist()
        for child in chosen:
            joint = found.joint[child].tolist()
            moves = [game.moves[role][move] for role, move in enumerate(joint)]
            slow_next = reference.next(slow, [reference.term(move) for move in moves])
            fast_next = State(game, rows[child])
            assert state.next(joint) == state.next(moves) == fast_next
            assert list(fast_next.fluent_texts) == texts(reference, slow_next)
            compare_look(game, fast_next, reference, slow_next)
            offsets = game.move_offsets
            for role, legal in enumerate(fast_next.legal_moves):
                own = found.look.legal[child, offsets[role] : offsets[role + 1]]
                assert own.nonzero().view(-1).tolist() == list(legal)
            assert bool(found.look.terminal[child]) == fast_next.is_terminal
        state, slow = fast_next, slow_next


def compare_look(game: Game, state: State, reference: ReferenceGame, slow: ReferenceState) -> None:
    assert state.is_terminal == reference.terminal(slow)
    for role in range(len(game.roles)):
        goals = reference.goals(slow, role)
        assert state.goals[role] == (max(goals) if goals else None)
        legal = [] if state.is_terminal else texts(reference, reference.legal(slow, role))
        assert [game.moves[role][move] for move in state.legal_moves[role]] == legal


def test_expansion_of_many_states_is_that_of_each(goals_game: Game) -> None:
    simulator = goals_game.simulator()
    states = after(goals_game, "stay", "one", "stay", "none")
    with pytest.warns(NeurogameWarning):
        found = simulator.expand(states)
    assert found.parent.tolist() == [0] * 4 + [2] * 4
    single = [simulator.children(states.select(torch.tensor([i]))) for i in range(4)]
    assert torch.equal(found.joint, torch.cat([one.joint for one in single]))
    assert torch.equal(found.states.to_bool(), torch.cat([one.states.to_bool() for one in single]))
    given = simulator.expand(states, simulator.status(states)[0])
    assert torch.equal(given.joint, found.joint)
    one = simulator.status(states)[0]
    one[:, goals_game.move_index("red", "stay")] = False
    assert len(simulator.expand(states, one).joint) == 6
