"""Games as multi-agent environments of PettingZoo: roles in turn, or all at the same time."""

from __future__ import annotations

from typing import Any, cast, final

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from neurogame.envs.observation import (
    MODES,
    Observation,
    Observed,
    check_action,
    check_begun,
    check_not_stuck,
    check_playable,
    checked_mode,
    legal_mask,
    picture,
    reward_of,
)
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import MAX_PLIES
from neurogame.splitmix import seed_word

Told = dict[str, Observed]
_Infos = dict[str, dict[str, Any]]


class _Match:
    """A match in progress, its spaces, and what is told of it."""

    def __init__(self, game: Game, *, planes: bool) -> None:
        self.game, self.state = game, game.initial_state()
        self.agents = [game.roles[role] for role in game.players]
        self._observation = Observation(game, planes=planes)
        self._random = np.random.default_rng()
        box = spaces.Box(0, 1, self._observation.shape, np.int8)
        self.actions = {
            agent: spaces.Discrete(len(game.moves[game.role_index(agent)])) for agent in self.agents
        }
        self.told = {
            agent: spaces.Dict(
                {"observation": box, "action_mask": spaces.Box(0, 1, (int(space.n),), np.int8)}
            )
            for agent, space in self.actions.items()
        }

    def begin(self, seed: int | None) -> None:
        """Begin a match; a seed begins the choices of chance anew."""
        if seed is not None:
            self._random = np.random.default_rng(seed_word(seed))
        self.state = self.game.initial_state()

    def observe(self, agent: str) -> Told:
        """Return the state and the legal moves of an agent."""
        mask = legal_mask(self.state, self.game.role_index(agent)).view(np.int8)
        return {"observation": self._observation.of_state(self.state), "action_mask": mask}

    def check(self, agent: str, move: int | None) -> int:
        """Return an agent's move.

        Raises:
            GameError: it is not legal.
        """
        role = self.game.role_index(agent)
        check_action(self.state, role, move, whose=f" of {agent}", mask="action_mask")
        return int(cast(int, move))

    def go_on(self, moves: dict[int, int]) -> None:
        """Make the moves of some roles; the others have a single one, and chance draws."""
        legal = self.state.legal_moves
        check_not_stuck(self.state)
        self.state = self.state.next(
            [
                moves[role] if role in moves else int(self._random.choice(options))
                for role, options in enumerate(legal)
            ]
        )

    def rewards(self) -> dict[str, float]:
        """Return what the state is worth to each agent: at the end -1..1, before 0."""
        goals = self.state.goals if self.state.is_terminal else None
        return {
            agent: 0.0 if goals is None else reward_of(goals[self.game.role_index(agent)])
            for agent in self.agents
        }


class _Agents:
    """What both kinds of environment are: a match whose roles are agents, each with its spaces."""

    def __init__(self, game: Game, *, planes: bool = False, render_mode: str | None = None) -> None:
        """Take a game; see :func:`neurogame.envs.pettingzoo`."""
        super().__init__()
        check_playable(game, game.players)
        self.metadata: dict[str, Any] = {"name": f"neurogame_{game.name}", "render_modes": MODES}
        self.render_mode = checked_mode(render_mode)
        self._match = _Match(game, planes=planes)
        self.possible_agents = list(self._match.agents)
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = self._match.told, self._match.actions

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent is told."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's moves, legal or not."""
        return self.action_spaces[agent]

    def render(self) -> str | None:
        """Return the state as the render mode says."""
        return picture(self._match.state, self.render_mode)

    def close(self) -> None:
        """Nothing to let go."""


@final
class TurnsEnv(_Agents, AECEnv[str, Told, int]):
    """A game whose roles are asked one after the other, each that has a choice.

    Single moves, such as the ``noop`` of who waits, are made without asking, and so are moves of
    chance, at random. Where several roles choose at the same time, none learns what the others
    have chosen. All are told the whole state. Rewards are given at the end: from -1 for a goal of 0
    to 1 for a goal of 100. A match in which nobody has a choice for 1000 plies is cut (truncated).
    """

    def __init__(self, game: Game, *, planes: bool = False, render_mode: str | None = None) -> None:
        """Take a game; see :func:`neurogame.envs.pettingzoo`."""
        super().__init__(game, planes=planes, render_mode=render_mode)
        self.metadata["is_parallelizable"] = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match; the seed decides what chance does, options there are none."""
        self._match.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: _Infos = {agent: {} for agent in self.agents}
        self._moves: dict[int, int] = {}
        self._ask()

    def _ask(self) -> None:
        """Go on to the next role that has a choice, or to the end; give up after many plies."""
        match = self._match
        for _ in range(MAX_PLIES):
            if match.state.is_terminal:
                break
            for role in match.game.players:
                if role not in self._moves and len(match.state.legal_moves[role]) > 1:
                    self.agent_selection = match.game.roles[role]
                    return
            match.go_on(self._moves)
            self._moves = {}
        self.rewards = match.rewards()
        self._accumulate_rewards()
        ended = match.state.is_terminal
        self.terminations = dict.fromkeys(self.agents, ended)
        self.truncations = dict.fromkeys(self.agents, not ended)
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Told:
        """Return the state and the legal moves of an agent."""
        return self._match.observe(agent)

    def step(self, action: int) -> None:
        """Make the move of the agent whose turn it is.

        Raises:
            GameError: it is not legal, or no match is going on.
        """
        check_begun(self.agents)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._moves[self._match.game.role_index(agent)] = self._match.check(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._ask()


@final
class TogetherEnv(_Agents, ParallelEnv[str, Told, int]):
    """A game whose roles all move at the same time, as the rules have it; see :class:`TurnsEnv`.

    A role that waits has one legal move.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Told], _Infos]:
        """Begin a match; the seed decides what chance does, options there are none."""
        self._match.begin(seed)
        self.agents = list(self.possible_agents)
        return self._told(), {agent: {} for agent in self.agents}

    def _told(self) -> dict[str, Told]:
        return {agent: self._match.observe(agent) for agent in self.possible_agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Told], dict[str, float], dict[str, bool], dict[str, bool], _Infos]:
        """Make a move of every agent.

        Raises:
            GameError: one is not legal or missing, or no match is going on.
        """
        check_begun(self.agents)
        match, agents = self._match, list(self.agents)
        check_not_stuck(match.state)
        match.go_on(
            {
                match.game.role_index(agent): match.check(agent, actions.get(agent))
                for agent in agents
            }
        )
        ended = match.state.is_terminal
        self.agents = [] if ended else agents
        return (
            self._told(),
            match.rewards(),
            dict.fromkeys(agents, ended),
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )
