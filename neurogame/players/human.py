"""A person at the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from neurogame.errors import GameError
from neurogame.players.player import MatchAbandoned
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State

_HELP = """\
Type the number of a move, or the move itself, such as {move}, in any case, without brackets, too.
  moves   list the legal moves again        state   show the state again
  help    show this                         quit    leave the match (also end of input)
  why     why did the others play as they did?"""
_COLUMNS = 76


@final
class HumanPlayer:
    """Shows the state and the numbered legal moves, and asks until the answer is a legal move."""

    name = "human"

    def __init__(
        self,
        read: Callable[[str], str] | None = None,
        write: Callable[[str], None] = print,
        why: Callable[[], str] = lambda: "nobody tells why; 'neurogame play' lets its players",
    ) -> None:
        """Connect a person.

        Args:
            read: shows a prompt and returns one line; raises EOFError at the end of input. The
                default is the built-in ``input``.
            write: shows text.
            why: tells why the others moved as they did.
        """
        self._read = read or input
        self._write, self._why = write, why
        self._game: Game | None = None
        self._role = 0

    def start(self, match: MatchStart) -> None:
        """Greet; see :class:`neurogame.players.player.Player`."""
        self._game, self._role = match.game, match.role
        role = match.game.roles[match.role]
        self._write(
            f"You are {role} in {match.game.name}. Type 'help' for help, 'why' for reasons."
        )

    def choose(self, state: State, limit: Limit) -> int:
        """Ask for a move; a person has all the time in the world, whatever the limit.

        Args:
            state: the present, non-terminal state.
            limit: not looked at.

        Raises:
            MatchAbandoned: the person typed ``quit`` or the input ended.
        """
        legal = state.legal_moves[self._role]
        if len(legal) == 1:
            return legal[0]
        self._write(f"\n{state}\n")
        self._write(self._list_moves(state))
        while True:
            try:
                answer = self._read(f"{state.game.roles[self._role]}> ").strip()
            except EOFError:
                raise MatchAbandoned from None
            move = self._understand(state, answer)
            if move is not None:
                return move

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Return at once: people think without being asked."""

    def stop(self) -> None:
        """Nothing to clean up."""

    def _understand(self, state: State, answer: str) -> int | None:
        """Return the move that an answer means; otherwise do what it asks and return None."""
        legal = state.legal_moves[self._role]
        command = answer.lower()
        if command in ("quit", "exit", "q"):
            raise MatchAbandoned
        if command in ("help", "?", "h"):
            self._write(_HELP.format(move=state.game.moves[self._role][legal[0]]))
        elif command in ("moves", "m"):
            self._write(self._list_moves(state))
        elif command in ("state", "s"):
            self._write(str(state))
        elif command in ("why", "w"):
            self._write(self._why())
        elif command.isdecimal():
            number = int(command)
            if 1 <= number <= len(legal):
                return legal[number - 1]
            self._write(f"There is no move number {number}; take 1 to {len(legal)}.")
        elif command:
            return self._named(state, answer)
        return None

    def _named(self, state: State, answer: str) -> int | None:
        """Return the legal move with this text, with or without parentheses."""
        role = state.game.roles[self._role]
        legal = state.legal_moves[self._role]
        for text in (answer, f"({answer})"):
            try:
                move = state.game.move_index(role, text)
            except GameError:
                continue
            if move in legal:
                return move
            self._write(f"{answer} is not legal now; 'moves' lists the {len(legal)} legal moves.")
            return None
        self._write(f"{answer!r} is not a move of {role}; type a number, a move, or 'help'.")
        return None

    def _list_moves(self, state: State) -> str:
        """Return the numbered legal moves in columns."""
        texts = state.game.moves[self._role]
        entries = [
            f"{number:3d} {texts[move]}"
            for number, move in enumerate(state.legal_moves[self._role], start=1)
        ]
        width = max(len(entry) for entry in entries) + 2
        columns = max(1, _COLUMNS // width)
        rows = [
            "".join(entry.ljust(width) for entry in entries[begin : begin + columns]).rstrip()
            for begin in range(0, len(entries), columns)
        ]
        return "\n".join(rows)
