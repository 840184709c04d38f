"""The messages of the GGP protocol as values, and as the texts that travel.

A message is one s-expression. Only parentheses, blanks and comments (from ``;`` to the end of
the line) mean anything here; names are any other characters and keep their spelling. Nothing is
evaluated, and everything takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import final

from neurogame.errors import ProtocolError

MAXIMUM_DEPTH = 1000
"""How deep parentheses may be nested in a message."""

LONGEST_CLOCK = 10**9
"""Clocks are cut to this many seconds: numbers of any length are understood."""

MAXIMUM_MOVES = 1000
"""How many moves a joint move may have."""

_TOKEN = re.compile(r"[()]|;[^\r\n]*+|[^\s();]++")
_BRACKET = re.compile(r"[()]|;[^\r\n]*+")
_NUMBER = re.compile(r"\+?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_TURN = re.compile(r"\d{1,9}", re.ASCII)
_SIGHTED = 4
_SHOWN = 40


@final
@dataclass(frozen=True)
class Info:
    """Are you there, and free? ``PING`` and an empty text mean the same."""


@final
@dataclass(frozen=True)
class Start:
    """A match begins.

    Attributes:
        match: the name of the match: any text without blanks and parentheses.
        role: the role to play, in the sender's spelling.
        rules: the rulesheet: the text between the parentheses of the list, exactly as sent.
        start_clock: seconds until the answer must be there; 0 or more.
        play_clock: seconds for every move; 0 or more.
    """

    match: str
    role: str
    rules: str
    start_clock: float
    play_clock: float


@final
@dataclass(frozen=True)
class Sight:
    """What a manager of GDL-II tells in place of a joint move.

    Attributes:
        turn: joint moves made so far; at least 0.
        own: the move that was made for the player in the last one; None before the first.
        percepts: what the player sees of it; texts as in :class:`Play`.
    """

    turn: int
    own: str | None
    percepts: tuple[str, ...]


@final
@dataclass(frozen=True)
class Play:
    """A move is wanted.

    Attributes:
        match: the name of the match.
        moves: the last joint move: one text per role, in the order of the ``role`` facts and in
            the sender's spelling, spaced as :func:`compact` does; None before the first move.
        sight: what there is instead in GDL-II's form of the message, where ``moves`` is None.
    """

    match: str
    moves: tuple[str, ...] | None
    sight: Sight | None = None


@final
@dataclass(frozen=True)
class Stop:
    """The match is over.

    Attributes:
        match: the name of the match.
        moves: the last joint move, as in :class:`Play`; None if no move was made.
        sight: as in :class:`Play`.
    """

    match: str
    moves: tuple[str, ...] | None
    sight: Sight | None = None


@final
@dataclass(frozen=True)
class Abort:
    """The match ends without a result.

    Attributes:
        match: the name of the match.
    """

    match: str


@final
@dataclass(frozen=True)
class Preview:
    """Rules that a coming match may have.

    Attributes:
        rules: the rulesheet: the text between the parentheses of the list, exactly as sent.
        clock: seconds to look at them; 0 or more.
    """

    rules: str
    clock: float


_FRAME = 1000
_HEAD = re.compile(r"\s*\(\s*start\s+([^\s();]+)\s+([^\s();]+)\s*\(", re.IGNORECASE)
_TAIL = re.compile(r"\)\s*([0-9.]+)\s+([0-9.]+)\s*\)\s*$")
"""How a START begins and ends, within so many characters."""

Message = Info | Start | Play | Stop | Abort | Preview

_FORMS = {
    "start": "( START match role (rules) startclock playclock )",
    "play": "( PLAY match (moves) )",
    "stop": "( STOP match (moves) )",
    "abort": "( ABORT match )",
    "preview": "( PREVIEW (rules) clock )",
    "info": "( INFO )",
    "ping": "( PING )",
}
_LEAST = {"start": 5, "play": 2, "stop": 2, "abort": 1, "preview": 2, "info": 0, "ping": 0}


def parse_message(text: str) -> Message:
    """Read what a game manager sends.

    Command words may be in any case. Text behind the message and arguments beyond those known
    are ignored. Where rules of a START are out of balance, they are all that stands between its
    role and its clocks.

    Args:
        text: the whole message; empty for :class:`Info`.

    Raises:
        ProtocolError: the text is not a message; says what was found and what is allowed.
    """
    try:
        return _parsed(text)
    except ProtocolError:
        start = _unbalanced_start(text)
        if start is None:
            raise
        return start


def _unbalanced_start(text: str) -> Start | None:
    """Return the START whose beginning and end a text has; None if there is none."""
    head, tail = _HEAD.match(text[:_FRAME]), _TAIL.search(text[-_FRAME:])
    if head is None or tail is None:
        return None
    rules = text[head.end() : max(len(text) - len(tail[0]), head.end())]
    return Start(head[1], head[2], rules, _clock("start", tail[1]), _clock("start", tail[2]))


def _parsed(text: str) -> Message:
    """Read a message whose parentheses match; see :func:`parse_message`."""
    begin, end = next(_spans(text, 0), (0, 0))
    if text[begin:end].lower() in ("", "info", "ping"):
        return Info()
    if text[begin] != "(":
        raise _refused(f"found {_shown(text[begin:end])}; write one of {_allowed()}")
    # What stands behind the known arguments is not even looked at.
    spans = islice(_spans(text[: end - 1], begin + 1), 1 + max(_LEAST.values()))
    terms = [text[first:last] for first, last in spans]
    if not terms:
        raise _refused(f"found empty parentheses; write one of {_allowed()}")
    command, arguments = terms[0].lower(), terms[1:]
    if command not in _FORMS:
        raise _refused(f"unknown command {_shown(terms[0])}; write one of {_allowed()}")
    if len(arguments) < _LEAST[command]:
        raise _refused(
            f"{command.upper()} has {len(arguments)} arguments, at least {_LEAST[command]} are "
            f"needed; write {_FORMS[command]}"
        )
    return _message(command, arguments)


def message_text(message: Message) -> str:
    """Return the text that a game manager sends, spaced as GGP-Base does.

    Args:
        message: a message; its rules are sent as they are.
    """
    match message:
        case Info():
            return "( INFO )"
        case Start():
            clocks = f"{_clock_text(message.start_clock)} {_clock_text(message.play_clock)}"
            return f"( START {message.match} {message.role} ({_closed(message.rules)}) {clocks})"
        case Play():
            return f"( PLAY {message.match} {_told_text(message)} )"
        case Stop():
            return f"( STOP {message.match} {_told_text(message)} )"
        case Abort():
            return f"( ABORT {message.match} )"
        case Preview():
            return f"( PREVIEW ({_closed(message.rules)}) {_clock_text(message.clock)} )"


def split_terms(text: str) -> list[str]:
    """Return the top-level terms of a text, each exactly as it stands there.

    Args:
        text: any number of terms, such as ``( mark 2 1 ) noop``.

    Raises:
        ProtocolError: parentheses do not match or are nested too deep.
    """
    return [text[begin:end] for begin, end in _spans(text, 0)]


def compact(term: str) -> str:
    """Return a term with single blanks, and none inside parentheses: ``(mark 2 1)``.

    Args:
        term: a term or several; names keep their case, comments go.
    """
    return " ".join(_tokens(term)).replace("( ", "(").replace(" )", ")")


def spaced(term: str) -> str:
    """Return a term with one blank between all its parts: ``( mark 2 1 )``.

    Args:
        term: a term or several; names keep their case, comments go.
    """
    return " ".join(_tokens(term))


def _message(command: str, arguments: list[str]) -> Message:
    """Return the message of a known command with enough arguments."""
    match command:
        case "start":
            name, role = (_atom(command, argument) for argument in arguments[:2])
            start, play = (_clock(command, argument) for argument in arguments[3:5])
            return Start(name, role, _rules(command, arguments[2]), start, play)
        case "preview":
            return Preview(_rules(command, arguments[0]), _clock(command, arguments[1]))
        case "play":
            return Play(_atom(command, arguments[0]), _moves(arguments[1]), _sight(arguments))
        case "stop":
            return Stop(_atom(command, arguments[0]), _moves(arguments[1]), _sight(arguments))
        case "abort":
            return Abort(_atom(command, arguments[0]))
    return Info()


def _atom(command: str, term: str) -> str:
    """Return a name, refusing lists."""
    if term.startswith("("):
        raise _refused(f"{command.upper()}: found {_shown(term)}, a name is needed")
    return term


def _rules(command: str, term: str) -> str:
    """Return the text inside a list of rules."""
    if not term.startswith("("):
        raise _refused(
            f"{command.upper()}: found {_shown(term)}, the rules in parentheses are needed"
        )
    return term[1:-1]


def _moves(term: str) -> tuple[str, ...] | None:
    """Return the moves of a joint move; any name stands for none."""
    if not term.startswith("("):
        return None
    joint = term[1:-1]
    spans = list(islice(_spans(joint, 0), MAXIMUM_MOVES + 1))
    if len(spans) > MAXIMUM_MOVES:
        raise _refused(f"more than {MAXIMUM_MOVES} moves in one joint move")
    return tuple(compact(joint[begin:end]) for begin, end in spans)


def _sight(arguments: list[str]) -> Sight | None:
    """Return what is seen if there are a turn's number, a move and percepts; None if not."""
    if len(arguments) < _SIGHTED or not _TURN.fullmatch(arguments[1]):
        return None
    move = None if arguments[2].lower() == "nil" else compact(arguments[2])
    return Sight(int(arguments[1]), move, _moves(arguments[3]) or ())


def _clock(command: str, term: str) -> float:
    """Return seconds; whole numbers stay whole."""
    if not _NUMBER.fullmatch(term):
        raise _refused(
            f"{command.upper()}: found {_shown(term)}, a clock in seconds, 0 or more, is needed"
        )
    seconds = min(float(term), LONGEST_CLOCK)
    return int(seconds) if seconds == int(seconds) else seconds


def _spans(text: str, begin: int) -> Iterator[tuple[int, int]]:
    """Yield where the top-level terms begin and end."""
    position = begin
    while token := _TOKEN.search(text, position):
        position = token.end()
        mark = text[token.start()]
        if mark == ")":
            raise _refused(f"a ')' without its '(' at character {token.start() + 1}")
        if mark == "(":
            position = _group_end(text, token.start())
        if mark != ";":
            yield token.start(), position


def _group_end(text: str, begin: int) -> int:
    """Return the position behind the parenthesis that closes the one at ``begin``."""
    depth = 0
    for token in _BRACKET.finditer(text, begin):
        mark = token[0]
        if mark == "(":
            depth += 1
            if depth > MAXIMUM_DEPTH:
                raise _refused(
                    f"parentheses are nested more than {MAXIMUM_DEPTH} deep at character "
                    f"{token.start() + 1}"
                )
        elif mark == ")":
            depth -= 1
            if not depth:
                return token.end()
    missing = "one ')' is" if depth == 1 else f"{depth} ')' are"
    raise _refused(f"{missing} missing for the '(' at character {begin + 1}")


def _tokens(term: str) -> Iterator[str]:
    return (token[0] for token in _TOKEN.finditer(term) if not token[0].startswith(";"))


def _told_text(message: Play | Stop) -> str:
    sight = message.sight
    if sight is None:
        return _moves_text(message.moves)
    move = "NIL" if sight.own is None else spaced(sight.own)
    return f"{sight.turn} {move} {_moves_text(sight.percepts if sight.turn else None)}"


def _moves_text(moves: tuple[str, ...] | None) -> str:
    return "NIL" if moves is None else f"({''.join(f'{spaced(move)} ' for move in moves)})"


def _clock_text(seconds: float) -> str:
    return f"{seconds:d}" if isinstance(seconds, int) else repr(seconds)


def _closed(rules: str) -> str:
    """Return rules behind which a parenthesis may stand: not inside a comment."""
    return f"{rules}\n" if ";" in re.split(r"[\r\n]", rules)[-1] else rules


def _refused(reason: str) -> ProtocolError:
    return ProtocolError(f"not a message of the protocol: {reason}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _allowed() -> str:
    return ", ".join(_FORMS.values())
