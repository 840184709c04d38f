"""Random playouts lane by lane and state by state, written from the definition of PlayoutRun.

The states are those of the reference interpreter, the random words are Python integers: nothing is
shared with the kernels but the keys of the roles' random words.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np

from neurogame.gdl.terms import Rules
from neurogame.kernels.playout import PlayoutRun, Tally
from neurogame.simulate.game import Game
from tests.kernels.words.slow_random_words import slow_word
from tests.reference.interpreter import ReferenceGame, ReferenceState


def random_below(total: int, seed: int, lane: int, step: int, stream: int) -> int:
    """Return the first number drawn that is below the total, of as few bits as suffice."""
    bits = (total - 1).bit_length()
    for attempt in range(1000):
        drawn = sum(
            (slow_word(seed, lane // 64, step, stream, attempt, bit) >> lane % 64 & 1) << bit
            for bit in range(bits)
        )
        if drawn < total:
            return drawn
    raise AssertionError("a thousand rejections, each less likely than not")


@dataclass(frozen=True)
class SlowLook:
    """One state: its legal moves by number, ascending; its ends; per role its goals."""

    legal: tuple[tuple[int, ...], ...]
    terminal: bool
    goals: tuple[tuple[int, ...], ...]

    @property
    def stuck(self) -> bool:
        return not self.terminal and not all(self.legal)


class SlowPlayouts:
    """Plays one game with the reference interpreter; every state is looked at once."""

    def __init__(self, rules: Rules, streams: tuple[int, ...]) -> None:
        self.game, self.streams = Game.from_rules(rules, "slow", cache=False), streams
        self.reference = ReferenceGame(rules)
        self.look = cache(self._look)
        self.next = cache(self._next)

    def _look(self, state: ReferenceState) -> SlowLook:
        reference = self.reference
        return SlowLook(
            tuple(
                tuple(
                    sorted(
                        self.game.move_index(name, reference.text(move))
                        for move in reference.legal(state, role)
                    )
                )
                for role, name in enumerate(self.game.roles)
            ),
            reference.terminal(state),
            tuple(tuple(reference.goals(state, role)) for role in range(len(self.game.roles))),
        )

    def _next(self, state: ReferenceState, joint: tuple[int, ...]) -> ReferenceState:
        texts = [self.game.moves[role][move] for role, move in enumerate(joint)]
        return self.reference.next(state, [self.reference.term(text) for text in texts])

    def joint(self, look: SlowLook, seed: int, lane: int, step: int) -> tuple[int, ...]:
        """Return the joint move of a lane: of each role the move of a random rank."""
        return tuple(
            legal[random_below(len(legal), seed, lane, step, stream)]
            for legal, stream in zip(look.legal, self.streams, strict=True)
        )

    def run(self, plan: PlayoutRun) -> Tally:
        """Play every lane by itself."""
        counts, lengths = Counter[str](), Counter[int]()
        offsets = self.game.move_offsets
        names = [(r, v) for r, own in enumerate(self.game.circuit.goals) for v, _ in own]
        goals, made = Counter[int](), Counter[int]()
        made_goals = Counter[tuple[int, int]]()
        for lane in range(plan.lanes):
            game, state, age, moves = lane, self.reference.initial(), 0, set[int]()
            step = 0
            while step < plan.steps if plan.games is None else game < plan.games:  # type: ignore[operator]
                look = self.look(state)
                ending = (
                    "terminal"
                    if look.terminal
                    else "stuck"
                    if look.stuck
                    else "cut"
                    if age == plan.max_plies
                    else None
                )
                if ending is None:
                    joint = self.joint(look, plan.seed, lane, step)
                    moves |= {offsets[role] + move for role, move in enumerate(joint)}
                    state, age = self.next(state, joint), age + 1
                    counts["played"] += 1
                else:
                    counts[ending] += 1
                    counts["several"] += ending == "terminal" and any(
                        len(own) > 1 for own in look.goals
                    )
                    best = {(role, max(own)) for role, own in enumerate(look.goals) if own}
                    held = [row for row, name in enumerate(names) if name in best]
                    goals.update(held)
                    lengths[age] += 1
                    made.update(moves)
                    made_goals.update((move, row) for move in moves for row in held)
                    game, state, age, moves = game + plan.lanes, self.reference.initial(), 0, set()
                step += 1
        everything = range(offsets[-1])
        return Tally(
            games=counts["terminal"] + counts["stuck"] + counts["cut"],
            cut=counts["cut"],
            stuck=counts["stuck"],
            several=counts["several"],
            played=counts["played"],
            goals=np.array([goals[row] for row in range(len(names))], np.int64),
            lengths=np.array([lengths[n] for n in range(max(lengths, default=-1) + 1)], np.int64),
            made=np.array([made[move] for move in everything], np.int64),
            made_goals=np.array(
                [[made_goals[move, row] for row in range(len(names))] for move in everything],
                np.int64,
            ).reshape(offsets[-1], len(names)),
        )


def assert_equal(found: Tally, expected: Tally) -> None:
    """Compare all counts that were asked for."""
    for name in ("games", "cut", "stuck", "several", "played"):
        assert getattr(found, name) == getattr(expected, name), name
    for name in ("goals", "lengths", "made", "made_goals"):
        counts = getattr(found, name)
        if counts is not None:
            np.testing.assert_array_equal(counts, getattr(expected, name), err_msg=name)
