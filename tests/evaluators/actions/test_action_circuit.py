"""Action heuristics: printed numbers, the definition, shared formulas, gradients."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.analyse import GameAnalysis, analyse
from neurogame.errors import ConfigurationError, GameError, LimitError
from neurogame.evaluators.actions import build, role_circuit
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.build import action_circuit_of, make_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.graph import build_graph
from neurogame.evaluators.actions.role_circuit import RoleCircuit
from neurogame.graph.graph import AND, OR
from neurogame.graph.rewrite import narrowed
from neurogame.judges.moves import LINEAR, LOGITS
from neurogame.regress.action_formulas import action_formulas
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.circuit.by_hand import graph_of
from tests.circuit.random_steps import Steps, random_steps
from tests.conftest import REPOSITORY, shared
from tests.evaluators.actions.slow_twin import slow_scores

EDGE, CORNER, CENTRE = "(mark 1 2)", "(mark 1 1)", "(mark 2 2)"


@cache
def analysis_of(name: str) -> tuple[Game, GameAnalysis]:
    """Return a game of the library, or a shared one, and its analysis."""
    path = REPOSITORY / "games" / f"{name}.kif"
    game = Game.load(path if path.exists() else shared("games", f"{name}.kif"))
    return game, analyse(game.circuit)


@cache
def steps_of(name: str) -> Steps:
    """Return steps of random games."""
    return random_steps(analysis_of(name)[0], 4, 12, 5)


def initial_scores(game: Game, config: ActionConfig) -> list[float]:
    """Return the scores of an edge, a corner and the centre in the initial state."""
    judge = make_action_circuit(game, config)
    found = judge(game.initial_state().fluents[None], 0)[0]
    return [float(found[game.move_index(game.roles[0], text)]) for text in (EDGE, CORNER, CENTRE)]


@pytest.mark.parametrize("persistence", [True, False])
def test_the_printed_table_is_that_of_all_eight_lines(persistence: bool) -> None:
    # In the initial state persistence makes no difference: every mark is still to be made, and
    # blank cells may be marked.
    game = Game.load(shared("games", "ticTacToe.kif"))
    found = initial_scores(game, ActionConfig(persistence=persistence))
    assert np.round(found, 6).tolist() == [0.001909, 0.002754, 0.003598]
    printed = initial_scores(game, ActionConfig(p=0.9706, persistence=persistence))
    assert np.round(printed, 4).tolist() == [0.0018, 0.0026, 0.0035]


def test_the_example_with_only_diagonals_has_other_numbers() -> None:
    text = shared("games", "ticTacToe.kif").read_text()
    kept = [
        text[: text.index("(<= (line ?x) (row ?m ?x))")],
        text[text.index("(<= (line ?x) (diagonal ?x))") :],
    ]
    game = Game.from_text("".join(kept), "diagonals", cache=False)
    found = initial_scores(game, ActionConfig())
    assert np.round(found, 6).tolist() == [0.000054, 0.000901, 0.001747]


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("tictactoe", ActionConfig()),
        ("tictactoe", ActionConfig(p=0.8, persistence=False, goals="all")),
        ("tictactoe", ActionConfig(steps=2, others="least")),
        ("tictactoe3p", ActionConfig(goals="all")),
        ("bidding_tictactoe", ActionConfig()),
        ("bidding_tictactoe", ActionConfig(unknown="legal", goals="all")),
        ("battle", ActionConfig()),
        ("battle", ActionConfig(unknown="half", persistence=False)),
        ("battle", ActionConfig(unknown="legal")),
        ("pursuit", ActionConfig(unknown="legal", goals="all")),
        ("lightsout", ActionConfig()),
    ],
)
def test_it_is_the_definition(name: str, config: ActionConfig) -> None:
    game, analysis = analysis_of(name)
    judge = make_action_circuit(game, config, analysis=analysis)
    steps = steps_of(name)
    assert judge.scale == LINEAR
    formulas = action_formulas(
        game.circuit,
        analysis,
        goals=config.goals,
        unknown=config.unknown,
        steps=config.steps,
        others=config.others,
    )
    for role in range(len(game.roles)):
        states = torch.from_numpy(steps.states[-4:])
        found = judge(states, role)
        told = judge(states, role, torch.from_numpy(steps.legal[-4:]))
        assert torch.equal(found, told)
        for row, own in enumerate(found.tolist()):
            state, legal = steps.states[-4 + row], steps.legal[-4 + row]
            slow = slow_scores(game.circuit, analysis, config, state, legal, formulas[role])
            np.testing.assert_allclose(own, slow, rtol=1e-5, atol=2e-16)


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough6", "knightthrough"])
def test_at_p_near_one_it_says_which_moves_win_at_once(name: str) -> None:
    game, analysis = analysis_of(name)
    assert analysis.turn_taking.holds
    config = ActionConfig(p=1 - 1e-9, persistence=False)
    judge = make_action_circuit(game, config, analysis=analysis)
    steps = random_steps(game, 16, 60, 3)
    wins = 0
    for role in range(len(game.roles)):
        mine = ~np.isin(steps.moves[:, role], analysis.noops[role])
        moves = steps.moves[mine, role]
        scores = judge(torch.from_numpy(steps.states[mine]), role).numpy()
        following = StateBatch.from_bool(torch.from_numpy(steps.following[mine]))
        best = game.circuit.goals[role][0][0]
        look = game.simulator().look(following)
        won = (look.terminal & (look.goals[:, role] == best / 100)).numpy()
        assert ((scores[np.arange(len(moves)), moves] > 0.5) == won).all()
        wins += int(won.sum())
    assert wins > 0


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
def test_gradients(name: str) -> None:
    game, analysis = analysis_of(name)
    config = ActionConfig(trainable=True, goals="all", unknown="legal", floor=1e-6)
    judge = make_action_circuit(game, config, analysis=analysis).double()
    generator = torch.Generator().manual_seed(1)
    own = judge.of_role(0)
    with torch.no_grad():
        # Away from the ends, where clipping has no derivative.
        own.weight.uniform_(0.2, 0.9, generator=generator)
        own.truth.normal_(generator=generator)
        own.bias.normal_(generator=generator)
    fluents = torch.rand(2, len(game.fluents), dtype=torch.float64, generator=generator)
    legal = torch.ones(2, game.move_offsets[-1], dtype=torch.bool)
    fluents.requires_grad_()
    parameters = tuple(own.parameters())

    def score(states: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = judge(states, 0, legal)
        return found

    assert torch.autograd.gradcheck(score, (fluents, *parameters), fast_mode=True)
    untrained = make_action_circuit(game, ActionConfig(), analysis=analysis).double()
    assert torch.autograd.gradcheck(lambda states: untrained(states, 0), (fluents,))


@given(st.data())
def test_wide_gates_are_products_and_their_duals(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(2, 40), min_size=1, max_size=4))
    kinds = data.draw(st.lists(st.sampled_from([AND, OR]), min_size=4, max_size=4))
    start = np.cumsum([0, *sizes])
    rows = np.split(2 + 2 * np.arange(start[-1]), start[1:-1])
    first = 1 + int(start[-1])
    wide = graph_of(first, kinds[: len(sizes)], rows, 2 * (first + np.arange(len(sizes))))
    truth = np.random.default_rng(start[-1]).random((int(start[-1]), 2))
    flags = np.random.default_rng(1).random(int(start[-1])) < 0.5
    held = np.where(flags, truth[:, 1], truth[:, 0])
    small = narrowed(wide, 4)
    leaves = 2 * np.arange(1, first)
    graph = build_graph(small, leaves, truth, (small.outputs >> 1,), (1.0,))
    assert all(2 <= run.fan_in <= 4 for run in graph.runs)
    inputs = torch.from_numpy(np.concatenate([[0], flags])).double()[None]
    found = RoleCircuit(graph, int(start[-1]), 1, ActionConfig()).double()(inputs)[0]
    for kind, first, last, own in zip(kinds, start, start[1:], found.tolist(), strict=False):
        part = held[first:last]
        slow = np.prod(part) if kind == AND else 1 - np.prod(1 - part)
        assert own == pytest.approx(slow, rel=1e-9, abs=1e-15)


def test_untrained_weights_leave_the_order_of_moves_as_it_was() -> None:
    game, analysis = analysis_of("tictactoe")
    plain = make_action_circuit(game, analysis=analysis)
    trained = make_action_circuit(game, ActionConfig(trainable=True), analysis=analysis)
    assert trained.scale == LOGITS
    states = game.initial_state().fluents[None]
    torch.testing.assert_close(trained(states, 0).exp(), plain(states, 0), rtol=1e-4, atol=0)


def test_training_moves_the_score_of_a_move_and_weights_stay_within_their_ends() -> None:
    game, analysis = analysis_of("tictactoe")
    judge = make_action_circuit(game, ActionConfig(trainable=True), analysis=analysis)
    states = game.initial_state().fluents[None]
    target = torch.tensor([game.move_index(game.roles[0], EDGE)])
    optimiser = torch.optim.Adam(judge.of_role(0).parameters(), lr=0.05)
    losses = []
    for _ in range(30):
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(judge(states, 0), target)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] / 2
    weights = judge.of_role(0).weights()
    assert weights is not None
    weights = weights.detach()
    assert 0 <= float(weights.min()) < 1
    assert float(weights.max()) == 1


def test_a_description_and_its_weights_make_the_same_heuristic_again() -> None:
    game, analysis = analysis_of("connectfour5")
    judge = _disturbed(make_action_circuit(game, ActionConfig(trainable=True), analysis=analysis))
    again = make_action_circuit(game, ActionConfig.from_json(judge.describe()), analysis=analysis)
    again.load_state_dict(judge.state_dict())
    states = torch.from_numpy(steps_of("connectfour5").states[-8:])
    assert torch.equal(judge(states, 1), again(states, 1))


def _disturbed(judge: ActionCircuit) -> ActionCircuit:
    """Return it with other parameters."""
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in judge.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return judge


def test_what_does_not_fit_is_refused() -> None:
    game, analysis = analysis_of("tictactoe")
    judge = make_action_circuit(game, analysis=analysis)
    with pytest.raises(GameError, match=r"\[B, 29\]: is it another game's"):
        judge(torch.zeros(1, 3, dtype=torch.bool), 0)
    with pytest.raises(GameError, match="there is no role 2; roles are 0 to 1"):
        judge(game.initial_state().fluents[None], 2)
    with pytest.raises(LimitError, match="more than the 10 of the setting 'gates'"):
        make_action_circuit(game, ActionConfig(gates=10), analysis=analysis)


def test_without_goals_no_move_is_better_than_another() -> None:
    text = (REPOSITORY / "games" / "tictactoe.kif").read_text()
    game = Game.from_text(
        text[: text.index("(<= (goal ?p 50)")].replace(
            "(<= (goal ?p 100)", "(<= (goal xplayer 100) (role ?p)"
        ),
        cache=False,
    )
    judge = make_action_circuit(game)
    state = game.initial_state().fluents[None]
    assert judge(state, 1).tolist() == [[0.5] * len(game.moves[1])]
    assert len(set(judge(state, 0)[0].tolist())) > 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"p": 0.5}, "p=0.5; .*above 0.5 and below 1"),
        ({"unknown": "none"}, "unknown='none'; allowed: one of neutral, half, legal"),
        ({"goals": "best"}, "goals='best'; allowed: one of top, all"),
        ({"steps": 0}, "steps=0; .*at least 1"),
        ({"others": "most"}, "others='most'; allowed: one of unknown, least"),
        ({"gates": 0}, "gates=0; .*1..100,000,000"),
        ({"least": 0.5}, "least=0.5; .*above 0 and below 0.5"),
        ({"floor": 0.0}, "floor=0.0; .*1e-30..1"),
        ({"colour": 1}, "action heuristic: unknown option colour"),
    ],
)
def test_impossible_settings_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        ActionConfig.from_json(values)


def test_settings_survive_json() -> None:
    config = ActionConfig(p=0.9, goals="all", trainable=True)
    assert ActionConfig.from_json(config.to_json()) == config


EVERYTHING = ActionConfig(unknown="legal", goals="all", persistence=False)


def judge_of(name: str, config: ActionConfig, budget: int = 0) -> ActionCircuit:
    """Return a heuristic whose formulas are shared unless there is a budget."""
    game, analysis = analysis_of(name)
    formulas = action_formulas(
        game.circuit, analysis, goals=config.goals, unknown=config.unknown, budget=budget
    )
    judge = action_circuit_of(game.circuit, formulas, analysis, config)
    assert all(graph.is_shared for graph in judge.graphs) == (budget == 0)
    return judge


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("tictactoe", ActionConfig()),
        ("connectfour", ActionConfig(goals="all")),
        ("breakthrough6", EVERYTHING),
        ("lightsout", ActionConfig()),
        ("pentago", ActionConfig()),
        ("bidding_tictactoe", EVERYTHING),
        ("rockpaperscissors", ActionConfig()),
        ("rockpaperscissors", ActionConfig(goals="all")),
        ("battle", ActionConfig()),
    ],
)
def test_their_values_are_those_of_each_moves_own(name: str, config: ActionConfig) -> None:
    shared, single = judge_of(name, config), judge_of(name, config, 10**7)
    steps = steps_of(name)
    states = torch.from_numpy(steps.states[-3:])
    for role in range(shared.role_count):
        expected = single(states, role).to(shared.of_role(role).dtype)
        torch.testing.assert_close(shared(states, role), expected, rtol=1e-5, atol=1e-12)
        legal = torch.from_numpy(steps.legal[-3:])
        own = torch.split(legal, list(shared.move_counts), dim=1)[role]
        expected = torch.where(own, expected, 0.0)
        torch.testing.assert_close(shared(states, role, legal), expected, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
def test_they_are_the_definition(name: str) -> None:
    # Of all goal values, in which specialisation finds equal parts that count once.
    game, analysis = analysis_of(name)
    config = ActionConfig(goals="all", unknown="legal")
    judge, steps = judge_of(name, config), steps_of(name)
    formulas = action_formulas(game.circuit, analysis, goals="all", unknown="legal", budget=0)
    for role, own in enumerate(formulas):
        found = judge(torch.from_numpy(steps.states[-2:]), role)
        for row in range(2):
            state, legal = steps.states[row - 2], steps.legal[row - 2]
            slow = slow_scores(game.circuit, analysis, config, state, legal, own)
            np.testing.assert_allclose(found[row], slow, rtol=1e-5, atol=2e-16)


def test_gradients_and_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    game, _ = analysis_of("tictactoe")
    judge = judge_of("tictactoe", ActionConfig(trainable=True, floor=1e-6)).double()
    generator = torch.Generator().manual_seed(1)
    own = judge.of_role(0)
    with torch.no_grad():
        own.weight.uniform_(0.2, 0.9, generator=generator)
        own.truth.normal_(generator=generator)
    fluents = torch.rand(2, len(game.fluents), dtype=torch.float64, generator=generator)
    fluents.requires_grad_()

    def gradients() -> list[torch.Tensor]:
        score = judge(fluents, 0).square().sum()
        return [score.detach(), *torch.autograd.grad(score, (fluents, *own.parameters()))]

    whole = gradients()
    monkeypatch.setattr(role_circuit, "_MOST_VALUES", 500)
    torch.testing.assert_close(gradients(), whole)
    inputs = (fluents, *own.parameters())
    assert torch.autograd.gradcheck(
        lambda states, *_: judge(states, 0), inputs, fast_mode=True, atol=1e-4
    )


def test_no_legal_move_is_no_score() -> None:
    judge = judge_of("tictactoe", ActionConfig())
    game, _ = analysis_of("tictactoe")
    states = game.initial_state().fluents[None]
    legal = torch.zeros(1, game.move_offsets[-1], dtype=torch.bool)
    assert judge(states, 0, legal).tolist() == [[0.0] * len(game.moves[0])]


def test_games_that_are_far_too_large_are_refused_before_they_are_analysed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, _ = analysis_of("tictactoe")
    monkeypatch.setattr(build, "_MANY_GATES", 10)
    monkeypatch.setattr(build, "analyse", None)
    with pytest.raises(LimitError, match="more than the 20 of the setting 'gates'"):
        build.make_action_circuit(game, ActionConfig(gates=20))
