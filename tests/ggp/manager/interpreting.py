"""A fake player that understands the rules it is sent, by the reference interpreter alone."""

from __future__ import annotations

import random
import re

from neurogame.gdl.parse import parse_rules
from tests.ggp.manager.fake_players import Seen
from tests.reference.interpreter import ReferenceGame


class Interpreting:
    """Plays random legal moves in the spelling it was sent; notes whatever is not as it should.

    Use the object itself as the answering function of a fake player.
    """

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.complaints: list[str] = []
        self.final_goals: list[list[int]] = []
        self.rules = ""

    def __call__(self, seen: Seen) -> str:
        words = nested(seen.body)
        assert isinstance(words, list)
        match words[0].upper():
            case "START":
                self.rules = " ".join(map(text, words[3]))
                self.game = ReferenceGame(parse_rules(self.rules))
                self.me = self.game.roles.index(words[2])
                self.state = self.game.initial()
                return "ready"
            case "PLAY":
                self.follow(words[2])
                legal = sorted(map(self.game.text, self.game.legal(self.state, self.me)))
                return self.random.choice(legal)
            case "STOP":
                self.follow(words[2])
                if not self.game.terminal(self.state):
                    self.complaints.append("STOP before the end")
                roles = range(len(self.game.roles))
                self.final_goals.append([self.game.goals(self.state, r)[0] for r in roles])
                return "done"
        return "aborted"

    def follow(self, moves: object) -> None:
        if isinstance(moves, str):
            if moves.upper() != "NIL" or self.state != self.game.initial():
                self.complaints.append(f"no moves: {moves}")
            return
        assert isinstance(moves, list)
        spelled = [text(move) for move in moves]
        terms = [self.game.term(move) for move in spelled]
        if [self.game.text(term) for term in terms] != spelled:
            self.complaints.append(f"spelled otherwise: {spelled}")
        self.state = self.game.next(self.state, terms)


def nested(body: str) -> object:
    """Return an s-expression as lists of words."""
    stack: list[list[object]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", body):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    assert len(stack) == 1
    return stack[0][0]


def text(term: object) -> str:
    """Return a nested list as compact KIF."""
    return f"({' '.join(map(text, term))})" if isinstance(term, list) else str(term)
