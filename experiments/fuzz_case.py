"""What the fuzzer does with one input, from bytes to a game that is played three ways."""

from __future__ import annotations

import random
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from neurogame.circuit.build import build_circuit
from neurogame.errors import GameError, GroundingError, LimitError, NeurogameError, RulesError
from neurogame.gdl.check import check_text
from neurogame.gdl.fix import fix_text
from neurogame.gdl.library import load_rules, read_text
from neurogame.gdl.notation import PREFIX, notation_of
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules
from neurogame.gdl.write import rules_text, term_text
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits
from neurogame.simulate.game import Game, State
from neurogame.simulate.playouts import playouts
from tests.reference.interpreter import ReferenceGame

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fuzz_twins import twins_difference

LARGEST_REPAIRED = 5_000
"""Longest text, in characters, that is repaired, too: every cure is checked."""

PLIES = 12
GAMES = 64
REFERENCE_SECONDS = 2.0
Outcome = tuple[str, str]


def try_rules(data: bytes, path: Path, seconds: float, memory: float) -> Outcome:
    """Return what became of an input: how it was refused, or that it was played.

    Args:
        data: the bytes of the rulesheet.
        path: a file for them, which is overwritten.
        seconds: limit for grounding and for building the circuit.
        memory: limit for both, in MiB.

    Raises:
        Exception: whatever should never be raised.
    """
    path.write_bytes(data)
    try:
        text = read_text(path)
    except RulesError as error:
        return _refused("no text", str(error), path)
    rules, findings = check_text(text, str(path))
    lines = text.removeprefix("\ufeff").count("\n") + text.count("\r") + 1
    for finding in findings:
        assert 1 <= finding.position.line <= lines, finding
        assert finding.position.column >= 1, finding
        assert len(finding.message) < 3000, finding
    if len(text) <= LARGEST_REPAIRED and notation_of(text, str(path)).kind == PREFIX:
        left = [finding.severity for finding in fix_text(text, str(path)).left]
        before = [finding.severity for finding in findings]
        assert left.count("error") <= before.count("error"), "a repair made errors"
    if any(finding.severity == "error" for finding in findings):
        try:
            load_rules(path)
        except RulesError as error:
            return _refused("bad rules", str(error), path)
        raise AssertionError("the checks found errors, but the rules were loaded")
    assert parse_rules(rules_text(rules)) == rules, "rules read back differently"
    limits = GroundLimits(seconds=seconds, memory_mb=memory, rules=1_000_000)
    try:
        program = ground(rules, limits)
        game = Game("fuzz", rules, build_circuit(program, rules, limits))
    except GroundingError as error:
        return _with_twins(rules, _refused("cannot be grounded", str(error), path))
    except LimitError as error:
        return _with_twins(rules, ("limit reached", str(error)))
    return _with_twins(rules, _play(game))


def _with_twins(rules: Rules, outcome: Outcome) -> Outcome:
    """Return a finding where prover and reference differ, and what was found before where not."""
    name, detail = outcome
    if name.startswith("FINDING"):
        return outcome
    try:
        with time_limit(REFERENCE_SECONDS):
            difference = twins_difference(rules, PLIES, seed=2)
    except TimeoutError:
        return f"{name}; prover and reference too slow to be compared", detail
    return ("FINDING prover and reference differ", difference) if difference else outcome


def _refused(outcome: str, message: str, path: Path) -> Outcome:
    pattern = re.escape(str(path)) + r":\d+:\d+: "
    last = rf"{re.escape(str(path))}: and \d+ more errors"
    for line in message.splitlines():
        if not re.match(f"{pattern}|{last}", line):
            return f"FINDING {outcome} without a place", message
    return f"refused: {outcome}", message


def _play(game: Game) -> Outcome:
    try:
        playouts(game.simulator(), GAMES, seed=1, max_plies=PLIES)
    except (GameError, LimitError) as error:
        return f"not played: {type(error).__name__}", str(error)
    difference = None
    try:
        with time_limit(REFERENCE_SECONDS):
            difference = _difference(game, game.rules)
    except TimeoutError:
        return "played, reference too slow", ""
    except NeurogameError as error:
        return f"played, reference refuses: {type(error).__name__}", str(error)
    if difference:
        return "FINDING circuit and reference differ", difference
    return "played", ""


def _difference(game: Game, rules: Rules) -> str | None:
    """Play a random game on circuit and reference; return where they differ."""
    reference = ReferenceGame(rules)
    choose = random.Random(1)
    state: State = game.initial_state()
    slow = reference.initial()
    for ply in range(PLIES):
        derived = game.simulator().derive(state.batch)
        found = {text.lower() for text in state.fluent_texts}
        expected = {term_text(term) for term in slow}
        if found != expected:
            return f"ply {ply}, state: {sorted(found ^ expected)[:5]}"
        if bool(derived.terminal[0]) != reference.terminal(slow):
            return f"ply {ply}, terminal: circuit {bool(derived.terminal[0])}"
        flags = iter(derived.goal_flags[0].tolist())
        for role, (begin, end) in enumerate(pairwise(game.move_offsets)):
            held = derived.legal[0, begin:end].nonzero().view(-1).tolist()
            moves = {game.moves[role][m].lower() for m in held}
            expected = {term_text(term) for term in reference.legal(slow, role)}
            if moves != expected:
                return f"ply {ply}, legal of role {role}: {sorted(moves ^ expected)[:5]}"
            goals = sorted({v for v, _ in game.circuit.goals[role] if next(flags)})
            if goals != reference.goals(slow, role):
                return f"ply {ply}, goals of role {role}: circuit {goals}"
        if state.is_terminal or not all(state.legal_moves):
            return None
        joint = [choose.choice(moves) for moves in state.legal_moves]
        texts = [game.moves[role][move] for role, move in enumerate(joint)]
        state = state.next(joint)
        slow = reference.next(slow, [reference.term(text) for text in texts])
    return None


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block after some seconds."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
