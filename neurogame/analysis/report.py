"""An analysis in words and as a JSON object, with fluents and moves by name."""

from __future__ import annotations

from itertools import combinations
from typing import Any, final

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.analysis.verdict import Evidence, Verdict
from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit
from neurogame.ground.atoms import compact

WILD = "*"
"""Stands for every argument in a pattern."""

_SHOWN = 6


def analysis_lines(circuit: Circuit, analysis: GameAnalysis) -> list[str]:
    """Return a short summary, one statement per line."""
    a = analysis
    why = _Reasons(a)
    chance = circuit.chance
    luck = "" if chance is None else f" ({circuit.roles[chance]} is chance)"
    turns = "taken in turns" if a.turn_taking.holds else "simultaneous"
    lines = [
        f"roles: {', '.join(circuit.roles)}{luck}",
        f"looked at: {_looked_at(a)}",
        f"moves: {'one role' if len(circuit.roles) == 1 else turns + why(a.turn_taking)}",
    ]
    if a.control is not None:
        names = [
            f"{circuit.fluents[f]}: {circuit.roles[r] if r >= 0 else 'nobody'}"
            for f, r in zip(a.control.fluents.tolist(), a.control.roles.tolist(), strict=True)
        ]
        lines.append(f"choice: {some(names)}{why(a.control_verdict)}")
    if any(a.noops):
        names = [
            f"{role}: {some([moves[m] for m in noops])}"
            for role, moves, noops in zip(circuit.roles, circuit.moves, a.noops, strict=True)
        ]
        lines.append(f"noop moves: {'; '.join(names)}{why(a.noops_verdict)}")
    best = [f"{r}: {why.yes(won)}" for r, won in zip(circuit.roles, a.winnable, strict=True)]
    goals = [
        f"{role}: {' '.join(map(str, values)) or 'none'}"
        for role, values in zip(circuit.roles, a.goals_seen, strict=True)
    ]
    exact = sum(group.exactly for group in a.groups)
    plies = "" if a.most_plies is None else f"; at most {a.most_plies:,} plies"
    return [
        *lines,
        _fluents(circuit, a, "persistent true", a.persistent_true, a.persistent_true_certain),
        _fluents(circuit, a, "persistent false", a.persistent_false, a.persistent_false_certain),
        f"constant fluents: {int(a.always.sum())} always hold, {int(a.never.sum())} never do",
        f"exclusive groups: {exact} with exactly one fluent, "
        f"{len(a.groups) - exact} with at most one",
        f"goals reached: {'; '.join(goals)}",
        f"goal sum: {_sum(a)}{why.of_sum(a)}",
        f"one goal value per role: at the end {why.yes(a.one_goal)}, "
        f"before {why.yes(a.one_goal_before)}",
        f"a legal move for every role: {why.yes(a.playable)}",
        f"every game ends: {why.yes(a.terminates)}{plies}",
        f"best goal reachable: {'; '.join(best)}",
    ]


def analysis_record(circuit: Circuit, analysis: GameAnalysis) -> dict[str, Any]:
    """Return the analysis as a JSON object."""
    a = analysis
    nothing = np.zeros_like(a.always)
    return {
        "roles": list(circuit.roles),
        "states": a.state_count,
        "games": a.games,
        "unfinished": a.unfinished,
        "longest": a.longest,
        "turn_taking": verdict_record(a.turn_taking),
        "control": None
        if a.control is None
        else {
            circuit.fluents[f]: circuit.roles[r] if r >= 0 else None
            for f, r in zip(a.control.fluents.tolist(), a.control.roles.tolist(), strict=True)
        },
        "control_verdict": verdict_record(a.control_verdict),
        "noops": {
            role: [moves[m] for m in noops]
            for role, moves, noops in zip(circuit.roles, circuit.moves, a.noops, strict=True)
        },
        "noops_verdict": verdict_record(a.noops_verdict),
        "persistent_true": _persistent(circuit, a, a.persistent_true, a.persistent_true_certain),
        "persistent_false": _persistent(circuit, a, a.persistent_false, a.persistent_false_certain),
        "always": fluent_patterns(circuit, a.always, nothing),
        "never": fluent_patterns(circuit, a.never, nothing),
        "groups": len(a.groups),
        "exact_groups": sum(g.exactly for g in a.groups),
        "constant_sum": verdict_record(a.constant_sum),
        "goal_sum": a.goal_sum,
        "goals": {r: list(g) for r, g in zip(circuit.roles, a.goals_seen, strict=True)},
        "one_goal": verdict_record(a.one_goal),
        "one_goal_before": verdict_record(a.one_goal_before),
        "playable": verdict_record(a.playable),
        "terminates": verdict_record(a.terminates),
        "most_plies": a.most_plies,
        "winnable": {r: verdict_record(w) for r, w in zip(circuit.roles, a.winnable, strict=True)},
    }


def fluent_patterns(circuit: Circuit, members: Bools, ignored: Bools) -> list[str]:
    """Describe a set of fluents by as few patterns as possible.

    Args:
        circuit: the game.
        members: the set; bool ``[F]``.
        ignored: fluents that a pattern may cover although they are no members; bool ``[F]``.

    Returns:
        Compact KIF in which :data:`WILD` stands for every argument that occurs there, such as
        ``(cell * * x)``, sorted. Each pattern covers members and ignored fluents only.
    """
    terms = circuit.atoms.terms
    patterns: list[str] = []
    for name, alike, arguments in circuit.atoms.sentences(len(circuit.fluents)):
        if not members[alike].any():
            continue
        shown, kept = _telling(arguments, members[alike], ~members[alike] & ~ignored[alike])
        for row in shown:
            words = [
                terms.text(int(a)) if place in kept else WILD
                for place, a in enumerate(row.tolist())
            ]
            patterns.append(compact(name, words))
    return sorted(patterns)


def _telling(
    arguments: np.ndarray, inside: Bools, outside: Bools
) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return the fewest arguments that tell members from others, and their values in members."""
    size = arguments.shape[1]
    best: tuple[np.ndarray, tuple[int, ...]] | None = None
    for number in range(size + 1):
        for kept in combinations(range(size), number):
            columns = list(kept)
            held, first = (
                np.unique(arguments[inside][:, columns], axis=0, return_index=True)
                if number
                else (np.zeros((1, 0)), np.zeros(1, np.int64))
            )
            others = {tuple(row) for row in arguments[outside][:, columns].tolist()}
            if not any(tuple(row) in others for row in held.tolist()):
                values = arguments[inside][first]
                if best is None or len(values) < len(best[0]):
                    best = (values, kept)
        if best is not None:
            return best
    raise AssertionError("two fluents have the same arguments")


def _persistent(
    circuit: Circuit, analysis: GameAnalysis, members: Bools, certain: Bools
) -> dict[str, Any]:
    constant = analysis.never | analysis.always
    return {
        "fluents": int((members & ~constant).sum()),
        "certain": int((certain & ~constant).sum()),
        "patterns": fluent_patterns(circuit, certain & ~constant, constant),
        "sampled": fluent_patterns(circuit, members & ~certain & ~constant, constant),
    }


@final
class _Reasons:
    """Says how statements are known; nothing where the whole game has been decided."""

    def __init__(self, analysis: GameAnalysis) -> None:
        self.decided = analysis.state_count is not None

    def __call__(self, verdict: Verdict) -> str:
        return "" if self.decided else f" ({verdict.reason})"

    def yes(self, verdict: Verdict) -> str:
        return ("yes" if verdict.holds else "no") + self(verdict)

    def of_sum(self, analysis: GameAnalysis) -> str:
        verdict = analysis.constant_sum
        if verdict.evidence is Evidence.PROVED:
            return " (proved where each role has one goal value)"
        return self(verdict)


def _fluents(circuit: Circuit, a: GameAnalysis, name: str, members: Bools, certain: Bools) -> str:
    constant = a.never | a.always
    known, likely = certain & ~constant, members & ~certain & ~constant
    text = f"{name}: {int(known.sum())} of {len(circuit.fluents)} fluents"
    if known.any():
        reason = " (proved by induction)" if a.state_count is None else ""
        text += f"{reason}: {some(fluent_patterns(circuit, known, constant))}"
    if likely.any():
        patterns = fluent_patterns(circuit, likely, constant)
        text += f"; {int(likely.sum())} more sampled: {some(patterns)}"
    return text


def _sum(a: GameAnalysis) -> str:
    if a.constant_sum.holds:
        return str(a.goal_sum)
    return "varies" if any(a.goals_seen) else "no end"


def _looked_at(a: GameAnalysis) -> str:
    if a.state_count is not None:
        return f"all {a.state_count:,} reachable states, so all of this is certain"
    text = f"{a.games:,} random games of at most {a.longest:,} plies"
    return f"{text}, {a.unfinished:,} of them not played to the end" if a.unfinished else text


def verdict_record(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as a JSON object."""
    record: dict[str, Any] = {"holds": verdict.holds, "evidence": verdict.evidence.value}
    return {**record, "count": verdict.count} if verdict.count else record


def some(texts: list[str], most: int = _SHOWN) -> str:
    """Return the first texts, and how many there are more."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f", and {more:,} more" if more > 0 else "") or "none"
