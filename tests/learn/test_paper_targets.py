"""Training targets against slow twins written from the definitions (A29 to A32)."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.targets import outcome_examples, outcome_signals, select_states
from neurogame.learn.paper.trajectory import FORCED, SEVERAL, Trajectory, extend_proofs
from tests.learn.trajectories import NAN, random_trajectory

PERCENT = st.integers(0, 100).map(lambda percent: percent / 100)
NETWORK_ROLE = torch.tensor([0, 0, 0, 1, 1, 1])
NETWORK_GOAL = torch.tensor([1.0, 0.5, 0.0, 1.0, 0.5, 0.0], dtype=torch.float64)


def plain_match(plies: int, goals: tuple[float, float]) -> Trajectory:
    """Return a match in which the search has proved the terminal state only."""
    proved = torch.full((plies + 1, 2), NAN, dtype=torch.float64)
    end = torch.tensor(goals, dtype=torch.float64)
    proved[-1] = end
    return Trajectory(
        fluents=torch.eye(plies + 1, dtype=torch.bool),
        goals=end,
        proved=proved,
        moves=torch.zeros((plies, 2), dtype=torch.int64),
    )


def test_terminal_signals_and_discount_are_those_of_equation_9() -> None:
    reached = torch.tensor([True, False])
    signals = outcome_signals(reached, 3, 0.8)
    wanted = [[0.512, -0.512], [0.64, -0.64], [0.8, -0.8], [1.0, -1.0]]
    torch.testing.assert_close(signals, torch.tensor(wanted, dtype=torch.float64))
    assert signals[3].tolist() == [1.0, -1.0]


def test_lambda_zero_leaves_a_signal_at_the_terminal_state_only() -> None:
    assert outcome_signals(torch.tensor([True]), 2, 0.0).flatten().tolist() == [0.0, 0.0, 1.0]


def test_a_win_teaches_every_network_of_every_role() -> None:
    match = plain_match(9, (1.0, 0.0))
    examples = outcome_examples(
        match, NETWORK_ROLE, NETWORK_GOAL, PaperConfig(lambda_=0.8, minimum_share=0.2, proofs=True)
    )
    # 10 states, 20 %: the terminal state, which is solved, and its predecessor.
    assert examples.fluents.to(torch.int64).argmax(dim=1).tolist() == [8, 9]
    signs = [1.0, -1.0, -1.0, -1.0, -1.0, 1.0]
    assert examples.targets[1].tolist() == signs
    assert examples.targets[0].tolist() == pytest.approx([0.8 * sign for sign in signs])


def test_a_proved_state_has_the_full_signal() -> None:
    match = plain_match(9, (1.0, 0.0))
    match.proved[7] = match.goals
    examples = outcome_examples(
        match, NETWORK_ROLE, NETWORK_GOAL, PaperConfig(lambda_=0.8, minimum_share=0.1, proofs=True)
    )
    assert examples.fluents.to(torch.int64).argmax(dim=1).tolist() == [7, 9]
    assert examples.targets[0].tolist() == [1.0, -1.0, -1.0, -1.0, -1.0, 1.0]
    without = outcome_examples(
        match, NETWORK_ROLE, NETWORK_GOAL, PaperConfig(lambda_=0.8, minimum_share=0.1, proofs=False)
    )
    assert without.fluents.to(torch.int64).argmax(dim=1).tolist() == [9]


@pytest.mark.parametrize(
    ("states", "share", "count"), [(30, 0.1, 3), (31, 0.1, 4), (5, 0.1, 1), (20, 0.0, 1)]
)
def test_at_least_the_minimum_share_is_selected(states: int, share: float, count: int) -> None:
    solved = torch.zeros(states, dtype=torch.bool)
    solved[-1] = True
    assert select_states(solved, share).nonzero().flatten().tolist() == list(
        range(states - count, states)
    )


@given(st.lists(st.booleans(), min_size=1, max_size=60), PERCENT)
def test_selection_matches_its_definition(flags: list[bool], share: float) -> None:
    chosen = select_states(torch.tensor(flags), share).tolist()
    twin = list(flags)
    while sum(twin) < share * len(flags) - 1e-6:
        last = max(t for t in range(len(flags)) if not twin[t])
        twin[last] = True
    assert chosen == twin


def slow_outcome(match: Trajectory, lambda_: float, share: float) -> dict[int, list[float]]:
    """Equations (9) and (10), state by state; a proof counts with its own goals."""
    total = match.plies + 1
    found: dict[int, list[float]] = {}
    solved = [not math.isnan(float(match.proved[t, 0])) for t in range(total)]
    use = list(solved)
    if match.finished:
        for t in reversed(range(total)):
            if sum(use) < share * total - 1e-6 and not use[t]:
                use[t] = True
    for t in range(total):
        if not use[t]:
            continue
        value = match.proved[t] if solved[t] else match.goals
        size = 1.0 if solved[t] else lambda_ ** (match.plies - t)
        found[t] = [
            size if float(value[r]) == float(g) else -size
            for r, g in zip(NETWORK_ROLE.tolist(), NETWORK_GOAL.tolist(), strict=True)
        ]
    return found


@given(st.integers(0, 10**6), PERCENT, PERCENT, st.booleans())
def test_outcome_examples_match_the_slow_twin(
    seed: int, lambda_: float, share: float, finished: bool
) -> None:
    match = random_trajectory(seed, finished=finished)
    examples = outcome_examples(
        match,
        NETWORK_ROLE,
        NETWORK_GOAL,
        PaperConfig(lambda_=lambda_, minimum_share=share, proofs=True),
    )
    twin = slow_outcome(match, lambda_, share)
    rows = sorted(twin)
    assert torch.equal(examples.fluents, match.fluents[rows])
    wanted = torch.tensor([twin[t] for t in rows]).reshape(len(rows), 6)
    torch.testing.assert_close(examples.targets, wanted)


def test_proofs_go_back_as_long_as_the_mover_gets_the_best_goal() -> None:
    proved = torch.full((6, 2), NAN, dtype=torch.float64)
    proved[5] = torch.tensor([1.0, 0.0])
    best = torch.ones(2, dtype=torch.float64)
    movers = torch.tensor([0, 1, 0, FORCED, 0])
    result = extend_proofs(proved, movers, best)
    # Role 1 has the choice in state 1, and a loss for it proves nothing there.
    assert torch.isnan(result[:, 0]).tolist() == [True, True, False, False, False, False]
    several = extend_proofs(proved, torch.tensor([0, 0, 0, 0, SEVERAL]), best)
    assert torch.isnan(several[:, 0]).tolist() == [True] * 5 + [False]
