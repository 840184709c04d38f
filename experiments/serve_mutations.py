"""Mutated rulesheets, served: is every move legal and in time?

Forty sheets are made of ten library games: a closing parenthesis is dropped, an unsafe rule is
added, a word is replaced by one that nobody knows, and all three at once; where nobody could move
any more, at another place. One ``neurogame serve`` plays the first moves of each over HTTP, with
short clocks. The manager here knows the true legal moves: those of the sheet as the package reads
it, by the slow reference interpreter. One line is printed per sheet, and a table per mutation;
exit code 1 where a move was illegal, late or ``nil``, or a message was refused::

    python experiments/serve_mutations.py --seed 1 --log runs/mutations
    python experiments/serve_mutations.py --kinds bracket word --games nim hex5 --moves 3
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from neurogame.errors import NeurogameError
from neurogame.gdl.check import readable_rules
from neurogame.gdl.library import library_path
from neurogame.gdl.parse import parse_term
from neurogame.gdl.terms import Term
from neurogame.ggp.protocol.messages import Play, Start, Stop, message_text
from tests.reference.interpreter import ReferenceGame, ReferenceState

GAMES = (
    *("tictactoe", "connectfour5", "nim", "hex5", "breakthrough6"),
    *("minichess5", "lightsout", "tictactoe3p", "bidding_tictactoe", "pursuit"),
)
_TRIES = 50
"""Places at which a sheet is mutated until it can be played."""
FAULTS = ("illegal", "late", "nil", "refused")
"""What counts as a fault of the player; ``refused`` is a message that HTTP answers with 400."""


def dropped_bracket(text: str, chance: random.Random) -> str:
    """Return a sheet without one of its closing parentheses."""
    places = [found.start() for found in re.finditer(r"\)", _blanked(text))]
    place = chance.choice(places)
    return text[:place] + text[place + 1 :]


def unsafe_rule(text: str, chance: random.Random) -> str:
    """Return a sheet with a rule whose head has a variable that nothing binds."""
    rule = chance.choice(
        (
            "(<= (surplus ?x) (not (surplus_of ?x)))",
            "(<= (surplus ?x ?y) (true ?x))",
            "(<= (surplus ?x) (distinct ?x nothing))",
        )
    )
    lines = text.splitlines(keepends=True)
    # Between statements, as the library is laid out: a line that begins with a parenthesis.
    starts = [n for n, line in enumerate(lines) if line.startswith("(")]
    place = chance.choice(starts)
    return "".join([*lines[:place], rule + "\n", *lines[place:]])


def unknown_word(text: str, chance: random.Random) -> str:
    """Return a sheet in which one name, at one place, is another one that occurs nowhere else."""
    kept = {"role", "init", "legal", "next", "goal", "terminal", "does", "true", "base", "input"}
    found = [
        word
        for word in re.finditer(r"(?<=\()[a-z][\w-]*", _blanked(text))
        if word[0] not in kept | {"not", "or", "and", "distinct"}
    ]
    place = chance.choice(found)
    return f"{text[: place.start()]}surplus_word{text[place.end() :]}"


def all_three(text: str, chance: random.Random) -> str:
    """Return a sheet with one fault of each kind."""
    return dropped_bracket(unknown_word(unsafe_rule(text, chance), chance), chance)


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "bracket": dropped_bracket,
    "unsafe": unsafe_rule,
    "word": unknown_word,
    "all": all_three,
}


def playable(text: str, kind: str, name: str) -> str:
    """Return a mutated sheet in whose initial state every role has a move, or the last one tried.

    Args:
        text: the sheet.
        kind: one of :data:`KINDS`.
        name: decides the places.
    """
    for number in range(_TRIES):
        sheet = KINDS[kind](text, random.Random(f"{name} {number}"))
        game, _ = _as_read(sheet)
        if game is None:
            continue
        state = game.initial()
        moves = [_by_text(game, state, role) for role in range(len(game.roles))]
        if all(moves) and not game.terminal(state):
            break
    return sheet


def _blanked(text: str) -> str:
    """Return a sheet with blanks in place of its comments; everything else stays where it is."""
    return re.sub(r";[^\n]*", lambda found: " " * len(found[0]), text)


@dataclass(frozen=True)
class Outcome:
    """What happened with one sheet.

    Attributes:
        asked: moves asked for.
        choices: of them, those with more than one legal move.
        faults: how often each of :data:`FAULTS` happened.
        slowest: seconds until the slowest answer.
        note: why less than usual was asked for; empty if it was not.
    """

    asked: int
    choices: int
    faults: Counter[str]
    slowest: float
    note: str


class Manager:
    """Plays the beginnings of matches with a served player.

    Args:
        address: of the player.
        clocks: seconds for the start, and for a move.
        moves: joint moves of a match, at most.
    """

    def __init__(self, address: str, clocks: tuple[int, int], moves: int) -> None:
        self._address, self._clocks, self._moves = address, clocks, moves

    def play(self, name: str, text: str, seed: int) -> Outcome:
        """Play the beginning of a match of a sheet.

        Args:
            name: of the match.
            text: the sheet.
            seed: decides the role and the moves of others.
        """
        faults, chance = Counter[str](), random.Random(seed)
        game, note = _as_read(text)
        role = chance.randrange(len(game.roles)) if game is not None else 0
        roles = ("nobody",) if game is None else game.roles
        _, seconds, status = self._ask(Start(name, roles[role], text, *self._clocks))
        faults["refused"] += status == 400
        faults["late"] += seconds > self._clocks[0]
        asked, choices, slowest, last = 0, 0, 0.0, None
        if game is not None and status == 200:
            state = game.initial()
            while asked < self._moves and not game.terminal(state):
                legal = [_by_text(game, state, own) for own in range(len(game.roles))]
                if not all(legal):
                    note = "a role has no legal move"
                    break
                answer, seconds, _ = self._ask(Play(name, last))
                asked, choices = asked + 1, choices + (len(legal[role]) > 1)
                slowest = max(slowest, seconds)
                move = _meant(answer, game)
                faults["late"] += seconds > self._clocks[1]
                faults["nil"] += answer == "nil"
                faults["illegal"] += answer != "nil" and move not in legal[role]
                joint = [chance.choice(sorted(own)) for own in legal]
                joint[role] = move if move in legal[role] else min(legal[role])
                last = tuple(joint)
                state = game.next(
                    state, [own[move] for own, move in zip(legal, joint, strict=True)]
                )
        self._ask(Stop(name, last))
        return Outcome(asked, choices, +faults, slowest, note)

    def _ask(self, message: Start | Play | Stop) -> tuple[str, float, int]:
        """Return the answer, the seconds that it took, and the status of HTTP."""
        began = time.monotonic()
        try:
            with urlopen(Request(self._address, data=message_text(message).encode())) as reply:
                return reply.read().decode(), time.monotonic() - began, reply.status
        except HTTPError as error:
            return error.read().decode(), time.monotonic() - began, error.code


def _as_read(text: str) -> tuple[ReferenceGame | None, str]:
    """Return the game that the package makes of a sheet, or why there is none."""
    try:
        game = ReferenceGame(readable_rules(text))
        state = game.initial()
        game.terminal(state)
        for role in range(len(game.roles)):
            game.legal(state, role)
    except (NeurogameError, RecursionError) as error:
        return None, f"no game: {str(error).splitlines()[0][:100]}"
    return (game, "") if game.roles else (None, "no roles")


def _by_text(game: ReferenceGame, state: ReferenceState, role: int) -> dict[str, Term]:
    return {game.text(move): move for move in game.legal(state, role)}


def _meant(answer: str, game: ReferenceGame) -> str:
    try:
        return game.text(parse_term(answer))
    except NeurogameError:
        return answer


@contextmanager
def served(player: str, log: str) -> Iterator[str]:
    """Start a player, and give its address."""
    line = ["serve", "--player", player, "--port", "0", "--log", log]
    with subprocess.Popen(
        [sys.executable, "-m", "neurogame.cli.main", *line], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            for said in process.stdout:
                if found := re.search(r"http://\S+?:\d+", said):
                    yield found[0]
                    break
        finally:
            process.terminate()


def table(outcomes: dict[str, list[Outcome]]) -> str:
    """Return what happened, one row per kind of mutation."""
    head = ("mutation", "sheets", "no game", "moves", "choices", *FAULTS, "slowest s")
    rows: list[tuple[str, ...]] = [head]
    for kind, own in outcomes.items():
        faults = sum((one.faults for one in own), Counter[str]())
        none = sum(one.note.startswith("no ") for one in own)
        moves, choices = sum(one.asked for one in own), sum(one.choices for one in own)
        counts = (len(own), none, moves, choices, *(faults[name] for name in FAULTS))
        slowest = max(one.slowest for one in own)
        rows.append((kind, *map(str, counts), f"{slowest:.2f}"))
    return "\n".join("  ".join(f"{word:>8}" for word in row) for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the sheets, serve them, and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--player", default="mcts", help="player string (default mcts)")
    parser.add_argument("--games", nargs="+", default=GAMES, help="library games")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--clocks", nargs=2, type=int, default=(5, 2), metavar="SECONDS")
    parser.add_argument("--moves", type=int, default=6, help="joint moves of a match, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", default="", help="folder for the logs of matches; default none")
    parser.add_argument("--sheets", type=Path, help="folder to write the sheets to")
    options = parser.parse_args(arguments)
    outcomes: dict[str, list[Outcome]] = defaultdict(list)
    start, play = options.clocks
    with served(options.player, options.log) as address:
        manager = Manager(address, (start, play), options.moves)
        for game in options.games:
            text = library_path(game).read_text(encoding="utf-8")
            for kind in options.kinds:
                name = f"{game}.{kind}.{options.seed}"
                sheet = playable(text, kind, name)
                if options.sheets is not None:
                    options.sheets.mkdir(parents=True, exist_ok=True)
                    (options.sheets / f"{name}.kif").write_text(sheet, encoding="utf-8")
                outcome = manager.play(name, sheet, options.seed)
                outcomes[kind].append(outcome)
                faults = ", ".join(f"{n} {what}" for what, n in outcome.faults.items())
                said = f"{outcome.asked} moves, {outcome.slowest:.2f} s, {faults or 'no fault'}"
                print(f"{name}: {said}{outcome.note and f' ({outcome.note})'}", flush=True)
    print(table(outcomes))
    return 1 if any(one.faults for own in outcomes.values() for one in own) else 0


if __name__ == "__main__":
    sys.exit(main())
