"""Trains an action circuit to foresee what a tree search will choose.

The search plays against itself with the circuit as its prior. What it learns of a state in
hundreds of simulations, the shares of its visits among the moves, is what the circuit is to say
at once: its weights follow the gradient of the cross entropy. A better circuit makes a better
search, and so on, round by round.

*Reference:* Anthony, Tian and Barber, "Thinking Fast and Slow with Deep Learning and Tree Search"
(expert iteration), 2017; the circuit is that of Trutman and Schiffel, made trainable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.judges.moves import LOGITS
from neurogame.learn.actions.config import ActionTrainingConfig
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.choices import ChoiceReport, MoveChoices, visit_shares
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game
from neurogame.splitmix import seed_word


def train_action_circuit(
    game: Game,
    circuit: ActionCircuit,
    config: ActionTrainingConfig | None = None,
    *,
    seed: int = 0,
    on_match: Callable[[], None] | None = None,
) -> list[ChoiceReport]:
    """Train a circuit in place, by self-play and back-propagation.

    Args:
        game: the game.
        circuit: a trainable one.
        config: how.
        seed: decides everything.
        on_match: called after each match.

    Returns:
        A report per round.

    Raises:
        ConfigurationError: the circuit is not trainable.
        GameError: no role has had a choice.
    """
    config = config or ActionTrainingConfig()
    if circuit.scale != LOGITS:
        raise ConfigurationError(
            "this action circuit is not trainable; make it with ActionConfig(trainable=True)"
        )
    settings = MctsSettings(tree="action" if config.teacher == "action" else "uct")
    search = Mcts(game, settings=settings, judges={"action": circuit}, seed=seed)
    random = np.random.default_rng(seed_word(seed))
    optimiser = torch.optim.Adam(circuit.parameters(), lr=config.learning_rate)
    seen: list[list[_Row]] = [[], []]
    reports: list[ChoiceReport] = []
    for _ in range(config.rounds):
        for number in range(config.matches):
            held = number < round(config.held_out * config.matches)
            seen[held] += _self_play(game, search, config, random)
            if on_match is not None:
                on_match()
        learned, held_out = (_gathered(game, rows) for rows in seen)
        if not learned:
            raise GameError(
                f"no role has had a choice in the matches of {game.name}: there is nothing to "
                "learn; take a game, or more matches, in which one has"
            )
        if not reports:
            _calibrate(circuit, learned)
        best, kept = _report(circuit, learned, held_out), copied_weights(circuit)
        for _ in range(config.epochs):
            _pass(circuit, learned, config, optimiser, random)
            report = _report(circuit, learned, held_out)
            if report.loss < best.loss:
                best, kept = report, copied_weights(circuit)
        circuit.load_state_dict(kept)
        # Weights have changed: the tree and what it holds of them go.
        search.forget()
        reports.append(best)
    return reports


_FACTORS = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Factors of the scores to begin with, of which the one that fits best is taken."""

_Row = tuple[int, Tensor, Tensor, Tensor]
"""Role, fluents, legal moves of all roles, share of visits."""
_Choices = list[tuple[int, MoveChoices]]
"""Of each role that has some."""


def _self_play(
    game: Game, search: Mcts, config: ActionTrainingConfig, random: np.random.Generator
) -> list[_Row]:
    """Play a match; return what the search said of every choice."""
    search.forget()
    state, rows = game.initial_state(), []
    for ply in range(config.plies):
        if not all(state.legal_moves):
            break
        legal = torch.cat(
            [
                torch.zeros(len(moves), dtype=torch.bool).index_fill(0, torch.tensor(indices), True)
                for moves, indices in zip(game.moves, state.legal_moves, strict=True)
            ]
        )
        joint = []
        for role, indices in enumerate(state.legal_moves):
            if len(indices) == 1:
                joint.append(indices[0])
                continue
            if role == game.chance:
                joint.append(int(random.choice(indices)))
                continue
            outcome = search.search(state, role, Limit(simulations=config.simulations))
            share = torch.from_numpy(visit_shares(outcome, len(game.moves[role])))
            rows.append((role, state.fluents.clone(), legal, share))
            drawn = ply < config.random_plies
            weights = share.double().numpy()
            joint.append(
                int(random.choice(len(weights), p=weights / weights.sum()))
                if drawn
                else outcome.move
            )
        state = state.next(joint)
    return rows


def _gathered(game: Game, rows: Sequence[_Row]) -> _Choices:
    """Return the choices of each role that has any."""
    by_role: _Choices = []
    offsets = game.move_offsets
    for role in range(len(game.roles)):
        role_rows = [row for row in rows if row[0] == role]
        if not role_rows:
            continue
        legal = torch.stack([row[2] for row in role_rows])
        choices = MoveChoices(
            fluents=torch.stack([row[1] for row in role_rows]),
            all_legal=legal,
            legal=legal[:, offsets[role] : offsets[role + 1]],
            shares=torch.stack([row[3] for row in role_rows]),
        )
        by_role.append((role, choices))
    return by_role


def _pass(
    circuit: ActionCircuit,
    learned: _Choices,
    config: ActionTrainingConfig,
    optimiser: torch.optim.Optimizer,
    random: np.random.Generator,
) -> None:
    """Make one pass over the choices, role by role in random batches."""
    circuit.train()
    batches = []
    for role, choices in learned:
        order = torch.from_numpy(random.permutation(len(choices)))
        batches += [(role, choices, part) for part in torch.split(order, config.batch)]
    for place in random.permutation(len(batches)):
        role, choices, part = batches[place]
        optimiser.zero_grad()
        some = choices.select(part)
        loss = some.losses(circuit(some.fluents, role, some.all_legal)).mean()
        loss.backward()
        optimiser.step()
    circuit.eval()


def _calibrate(circuit: ActionCircuit, learned: _Choices) -> None:
    """Set how sharply each role's untrained scores decide, of which the rules say nothing."""
    for role, choices in learned:
        factor = circuit.of_role(role).factor
        losses = []
        with torch.no_grad():
            for value in _FACTORS:
                factor.fill_(value)
                scores = circuit(choices.fluents, role, choices.all_legal)
                losses.append(float(choices.losses(scores).mean()))
            factor.fill_(_FACTORS[int(np.argmin(losses))])


def _report(circuit: ActionCircuit, learned: _Choices, held: _Choices) -> ChoiceReport:
    """Measure the circuit on what it was not trained on."""
    losses, entropies, uniform, agreements = [], [], [], []
    with torch.no_grad():
        for role, part in held or learned:
            scores = circuit(part.fluents, role, part.all_legal)
            losses.append(part.losses(scores))
            entropies.append(part.entropies())
            uniform.append(part.legal.sum(dim=1).float().log())
            agreements.append(part.agreements(scores))
    return ChoiceReport(
        choices=sum(len(part) for _, part in learned),
        held_out=sum(len(part) for _, part in held),
        loss=float(torch.cat(losses).mean()),
        entropy=float(torch.cat(entropies).mean()),
        uniform=float(torch.cat(uniform).mean()),
        agreement=float(torch.cat(agreements).float().mean()),
    )
