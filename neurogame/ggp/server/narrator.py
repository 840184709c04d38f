"""What happens in a match, in lines for the person at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, final

_LONGEST = 300
_LONGEST_NAME = 60
_HOW = {
    "stop": "over",
    "abort": "aborted by the manager",
    "silence": "dropped, because its manager has been silent for too long,",
    "shutdown": "left, because the server ends,",
}


@final
class Narrator:
    """Turns the events of a match's log into lines; moves without a choice are left out.

    Args:
        match: the name of the match.
        report: is told every line.
    """

    def __init__(self, match: str, report: Callable[[str], None]) -> None:
        self._match = match[:_LONGEST_NAME]
        self._report = report
        self._moves = 0
        self._goals = ""
        self._has_choice = False

    def tell(self, event: str, fields: Mapping[str, Any]) -> None:
        """Report an event if a person should see it.

        Args:
            event: its name in the log.
            fields: what it says.
        """
        line = self._line(event, fields)
        if line:
            # Names come from others: none may tell a terminal what to do.
            words = " ".join(f"{self._match}: {line}".split())
            whole = "".join(letter if letter.isprintable() else "?" for letter in words)
            self._report(whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]} ...")

    def _line(self, event: str, fields: Mapping[str, Any]) -> str:
        """Return what to say; empty for nothing."""
        match event:
            case "start":
                clocks = f"{fields['start_clock']:g} s and {fields['play_clock']:g} s"
                return f"starts, role {fields['role']}, clocks {clocks}"
            case "chosen":
                why = fields.get("text")
                return f"chose {fields.get('player')}: {why}" if why else ""
            case "ready":
                return f"{fields.get('player')} plays"
            case "fallback":
                self._has_choice = True  # Where there is none, no fallback is needed.
            case "answer":
                self._moves += 1
                has_choice, self._has_choice = self._has_choice, False
                source = fields["source"]
                if source == "search" and not has_choice:
                    return ""
                by = "" if source == "search" else f" ({source})"
                return f"move {self._moves}: {fields['move']}{by} after {fields['seconds']:.2f} s"
            case "failure":
                error = fields.get("error")
                return f"failure: {fields.get('what')}" + (f": {error}" if error else "")
            case "died":
                then = "another takes over" if fields.get("replaced") else "none takes over"
                return f"failure: the {fields.get('who')} died ({fields.get('ending')}); {then}"
            case "end" | "guard end":
                goals = fields.get("goals")
                if isinstance(goals, list):
                    self._goals = f", goals {' '.join(map(_number, goals))}"
            case "over":
                moves = "1 move" if self._moves == 1 else f"{self._moves} moves"
                return f"{_HOW.get(fields['how'], fields['how'])} after {moves}{self._goals}"
        return ""


def _number(value: object) -> str:
    """Return a goal as text; rules may give a role several, or none."""
    if isinstance(value, list):
        return "/".join(map(_number, value)) or "none"
    return f"{value:g}" if isinstance(value, int | float) else str(value)
