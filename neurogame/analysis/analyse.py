"""What kind of game a rulesheet describes, and how each statement about it is known.

Small games are decided: all their reachable states are enumerated. Of the others some statements
are proved by induction over the rules, and the rest is sampled in random play. Work is limited in
input literals read, not in seconds, so that the same seed gives the same result everywhere.

*Reference:* Trutman and Schiffel, section 3 (turn-taking, noop, persistent fluents); the game
description language's conditions of well-formedness (termination, playability, winnability).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.exclusive import ExclusiveGroup, candidate_groups
from neurogame.analysis.induction import Candidates, Proof, prove
from neurogame.analysis.observe import Observations, observe_all, observe_play
from neurogame.analysis.random_play import WordEvaluator
from neurogame.analysis.state_space import StateSpace, enumerate_states
from neurogame.analysis.termination import longest_game
from neurogame.analysis.turns import Control, TurnProof, prove_turns, seen_control
from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.array_types import Bools, Int64s
from neurogame.circuit.circuit import Circuit


@final
@dataclass(frozen=True, kw_only=True)
class AnalysisLimits:
    """How much an analysis may cost.

    Attributes:
        states: most states to enumerate; 0 enumerates none. A game that has more is not
            decided.
        steps: most steps between states to enumerate.
        state_work: input literals read for the enumeration.
        games: random games, a multiple of 64; fewer on a large circuit.
        plies: most plies of a random game.
        play_work: input literals read in random play.
        proof_work: input literals read by proofs; 0 proves nothing.
    """

    states: int = 20_000
    steps: int = 100_000
    state_work: int = 50_000_000
    games: int = 512
    plies: int = 1000
    play_work: int = 500_000_000
    proof_work: int = 100_000_000


@final
@dataclass(frozen=True, eq=False)
class GameAnalysis:
    """What is known about a game.

    ``R`` roles, ``F`` fluents, ``M`` moves of all roles in role order. "Always" means in every
    reachable state, and a *step* is one joint move in a state that is not terminal.

    Attributes:
        state_count: number of reachable states if they were enumerated, else None.
        games: random games played; 0 if the states were enumerated.
        unfinished: random games that were stopped before their end by a limit.
        longest: plies of the longest random game seen.
        turn_taking: in no state that is not terminal do two roles have two or more legal moves.
        control: fluents that tell which role has a choice; None where no such group was found,
            in simultaneous games and with one role.
        control_verdict: how the control is known; holds if there is one.
        noops: in a turn-taking game the moves that are all that a role can do while another role
            has a choice, per role its own numbers ``0 ..``; empty if not turn-taking.
        noops_verdict: how these moves are known; certain if no other move can be one.
        one_acts: no two roles that have noops make other moves at once, which they may where nobody
            has a choice.
        persistent_true: once it holds it holds for ever: no step from a state with the fluent
            leads to one without; bool ``[F]``.
        persistent_true_certain: those of them that were proved or decided; bool ``[F]``.
        persistent_false: once it does not hold it never holds again: no step from a state
            without the fluent leads to one with it; bool ``[F]``.
        persistent_false_certain: those of them that were proved or decided; bool ``[F]``.
        never: fluents that certainly hold in no reachable state; they count as persistent, both
            ways; bool ``[F]``.
        always: fluents that certainly hold in every reachable state; likewise; bool ``[F]``.
        groups: disjoint groups of fluents of which certainly at most one, or exactly one, holds.
        constant_sum: the goals of all roles add up to the same total in every terminal state.
            Proved only under :attr:`one_goal`: the rules give the roles opposite goals under
            identical conditions.
        goal_sum: that total, 0..100 R, or None if it is not constant or no end was seen.
        goals_seen: per role the goal values of terminal states reached, ascending.
        one_goal: every role has exactly one goal value in every terminal state.
        one_goal_before: every role has exactly one in every state that is not terminal.
        playable: every role has a legal move in every state that is not terminal.
        terminates: every game ends.
        most_plies: no game is longer (exact if decided), or None if this is not certain.
        winnable: per role, some play ends with the highest goal value its rules name.
    """

    state_count: int | None
    games: int
    unfinished: int
    longest: int
    turn_taking: Verdict
    control: Control | None
    control_verdict: Verdict
    noops: tuple[tuple[int, ...], ...]
    noops_verdict: Verdict
    one_acts: Verdict
    persistent_true: Bools
    persistent_true_certain: Bools
    persistent_false: Bools
    persistent_false_certain: Bools
    never: Bools
    always: Bools
    groups: tuple[ExclusiveGroup, ...]
    constant_sum: Verdict
    goal_sum: int | None
    goals_seen: tuple[tuple[int, ...], ...]
    one_goal: Verdict
    one_goal_before: Verdict
    playable: Verdict
    terminates: Verdict
    most_plies: int | None
    winnable: tuple[Verdict, ...]


def analyse(
    circuit: Circuit, *, seed: int = 0, limits: AnalysisLimits | None = None
) -> GameAnalysis:
    """Find out what kind of game a circuit describes.

    Args:
        circuit: the game.
        seed: of the random play; the result depends on nothing else.
        limits: what it may cost.
    """
    limits = limits or AnalysisLimits()
    evaluator = WordEvaluator(circuit)
    space = enumerate_states(
        evaluator, states=limits.states, steps=limits.steps, work=limits.state_work
    )
    if space is not None:
        return _decided(circuit, space)
    seen = observe_play(
        evaluator, seed=seed, games=limits.games, plies=limits.plies, work=limits.play_work
    )
    finder = ConeFinder(circuit.graph)
    candidates = Candidates(~seen.held, ~seen.missed, ~seen.ended, ~seen.began, seen.sample)
    proof = prove(circuit, finder, candidates, limits.proof_work)
    return _sampled(circuit, finder, seen, proof, limits)


def _decided(circuit: Circuit, space: StateSpace) -> GameAnalysis:
    """Return the analysis of a game whose reachable states are all known."""
    seen = observe_all(circuit, space)
    depth = _longest_path(space)
    count = len(space.states)

    def verdict(holds: bool) -> Verdict:
        return Verdict(holds, Evidence.DECIDED, count)

    never, always = ~seen.held, ~seen.missed
    groups = tuple(candidate_groups(circuit, seen.sample, ~never & ~always))
    turn_taking = not seen.together
    control = seen_control(groups, seen) if turn_taking else None
    noops = _noops(circuit, seen) if turn_taking else _no_noops(circuit)
    return GameAnalysis(
        state_count=count,
        games=0,
        unfinished=0,
        longest=depth or 0,
        turn_taking=verdict(turn_taking),
        control=control,
        control_verdict=verdict(control is not None),
        noops=noops,
        noops_verdict=verdict(True),
        one_acts=verdict(not _act_together(circuit, seen, noops)),
        persistent_true=~seen.ended,
        persistent_true_certain=~seen.ended,
        persistent_false=~seen.began,
        persistent_false_certain=~seen.began,
        never=never,
        always=always,
        groups=groups,
        constant_sum=verdict(len(seen.sums) == 1),
        goal_sum=min(seen.sums) if len(seen.sums) == 1 else None,
        goals_seen=_goals_seen(circuit, seen),
        one_goal=verdict(seen.end_none + seen.end_several == 0),
        one_goal_before=verdict(seen.before_none + seen.before_several == 0),
        playable=verdict(not seen.stuck.any()),
        terminates=verdict(depth is not None),
        most_plies=depth,
        winnable=tuple(verdict(won) for won in _won(circuit, seen)),
    )


def _sampled(
    circuit: Circuit,
    finder: ConeFinder,
    seen: Observations,
    proof: Proof,
    limits: AnalysisLimits,
) -> GameAnalysis:
    """Return the analysis of a game of which play and proofs show some."""
    turns = None
    most_plies = None
    if proof.known is not None:
        turns = prove_turns(circuit, proof.known)
        most_plies = longest_game(circuit, finder, proof.known, proof.changes, limits.proof_work)

    def shown(refuted: bool) -> Verdict:
        """Return a verdict on what one state can refute."""
        if refuted:
            return Verdict(False, Evidence.SEEN)
        return Verdict(True, Evidence.SAMPLED, seen.games)

    turn_taking = shown(seen.together)
    if not seen.together and (len(circuit.roles) == 1 or (turns and turns.control)):
        turn_taking = Verdict(True, Evidence.PROVED)
    control, control_verdict = _control(circuit, seen, proof, turns)
    noops = _noops(circuit, seen) if turn_taking.holds else _no_noops(circuit)
    one_goal = shown(seen.end_none + seen.end_several > 0)
    constant_sum = shown(len(seen.sums) != 1)
    if constant_sum.holds and _opposite_goals(circuit, min(seen.sums)):
        constant_sum = Verdict(True, Evidence.PROVED)
    elif not seen.sums:
        constant_sum = Verdict(False, Evidence.SAMPLED, seen.games)
    terminates = Verdict(seen.unfinished == 0, Evidence.SAMPLED, seen.games)
    if most_plies is not None:
        terminates = Verdict(True, Evidence.PROVED)
    stays = proof.stays | (~seen.ended & seen.left)
    stays_out = proof.stays_out | (~seen.began & seen.held & seen.missed)
    return GameAnalysis(
        state_count=None,
        games=seen.games,
        unfinished=seen.unfinished,
        longest=seen.longest,
        turn_taking=turn_taking,
        control=control,
        control_verdict=control_verdict,
        noops=noops,
        noops_verdict=_noops_verdict(circuit, seen, turns, turn_taking),
        one_acts=shown(_act_together(circuit, seen, noops)),
        persistent_true=stays,
        persistent_true_certain=proof.stays,
        persistent_false=stays_out,
        persistent_false_certain=proof.stays_out,
        never=proof.never,
        always=proof.always,
        groups=proof.groups,
        constant_sum=constant_sum,
        goal_sum=min(seen.sums) if constant_sum.holds else None,
        goals_seen=_goals_seen(circuit, seen),
        one_goal=one_goal,
        one_goal_before=shown(seen.before_none + seen.before_several > 0),
        playable=shown(bool(seen.stuck.any())),
        terminates=terminates,
        most_plies=most_plies,
        winnable=tuple(
            Verdict(won, Evidence.SEEN if won else Evidence.SAMPLED, 0 if won else seen.games)
            for won in _won(circuit, seen)
        ),
    )


def _control(
    circuit: Circuit, seen: Observations, proof: Proof, turns: TurnProof | None
) -> tuple[Control | None, Verdict]:
    """Return the fluents that tell who has a choice, and how they are known."""
    if seen.together or len(circuit.roles) == 1:
        return None, Verdict(False, Evidence.PROVED if not seen.together else Evidence.SEEN)
    if turns is not None and turns.control is not None:
        return turns.control, Verdict(True, Evidence.PROVED)
    control = seen_control(proof.tried, seen)
    return control, Verdict(control is not None, Evidence.SAMPLED, seen.games)


def _noops(circuit: Circuit, seen: Observations) -> tuple[tuple[int, ...], ...]:
    """Return per role the moves that were all it could do while another role had a choice."""
    ranges = pairwise(circuit.move_offsets)
    return tuple(tuple(np.flatnonzero(seen.idle[a:b]).tolist()) for a, b in ranges)


def _no_noops(circuit: Circuit) -> tuple[tuple[int, ...], ...]:
    return tuple(() for _ in circuit.roles)


def _act_together(circuit: Circuit, seen: Observations, noops: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether two roles that have noops were seen to make other moves at once."""
    firsts, role_of = circuit.move_offsets.tolist(), circuit.role_of_move.tolist()
    waiting = {first + move for first, own in zip(firsts, noops, strict=False) for move in own}
    acting = (
        {role_of[move] for move in moves if noops[role_of[move]] and move not in waiting}
        for moves in seen.forced
    )
    return any(len(roles) > 1 for roles in acting)


def _noops_verdict(
    circuit: Circuit, seen: Observations, turns: TurnProof | None, turn_taking: Verdict
) -> Verdict:
    if not turn_taking.holds:
        return Verdict(True, Evidence.SEEN)
    if len(circuit.roles) == 1:
        return Verdict(True, Evidence.PROVED)
    if turns is not None and turns.control is not None and not (turns.idle & ~seen.idle).any():
        return Verdict(True, Evidence.PROVED)
    return Verdict(True, Evidence.SAMPLED, seen.games)


def _goals_seen(circuit: Circuit, seen: Observations) -> tuple[tuple[int, ...], ...]:
    reached = iter(seen.ends_with.tolist())
    values = ([value for value in values if next(reached)] for values in circuit.goal_values)
    return tuple(tuple(sorted(some)) for some in values)


def _won(circuit: Circuit, seen: Observations) -> list[bool]:
    """Return per role whether its highest goal value was reached."""
    reached = _goals_seen(circuit, seen)
    return [
        bool(pairs) and bool(values) and values[-1] == pairs[0][0]
        for pairs, values in zip(circuit.goals, reached, strict=True)
    ]


def _opposite_goals(circuit: Circuit, total: int) -> bool:
    """Return whether two roles' goals add up to a total under identical conditions.

    Where each role has exactly one goal value, the value of one then decides that of the other.
    """
    if len(circuit.goals) != 2:
        return False
    mine, other = (dict(pairs) for pairs in circuit.goals)
    return all(other.get(total - value) == literal for value, literal in mine.items())


def _longest_path(space: StateSpace) -> int | None:
    """Return the plies of the longest game, or None if play can go on for ever."""
    waiting = np.bincount(space.target, minlength=len(space.states))
    order = np.argsort(space.source, kind="stable")
    source, target = space.source[order], space.target[order]
    start = np.searchsorted(source, np.arange(len(space.states) + 1))
    ready: Int64s = np.flatnonzero(waiting == 0)
    if not len(ready):
        return None
    done, depth = 0, -1
    while len(ready):
        done, depth = done + len(ready), depth + 1
        edges = np.concatenate([target[start[s] : start[s + 1]] for s in ready.tolist()])
        np.subtract.at(waiting, edges, 1)
        touched = np.unique(edges)
        ready = touched[waiting[touched] == 0]
    return depth if done == len(space.states) else None
