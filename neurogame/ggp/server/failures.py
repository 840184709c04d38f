"""What a process behind a match tells the server of an error."""

from __future__ import annotations

import traceback

from neurogame.ggp.server.child import hold_reserve
from neurogame.ggp.server.orders import Event

_LONGEST_TRACE = 10_000


def failure(what: str, error: BaseException) -> Event:
    """Return the event that reports an error; call :func:`release_reserve` before all else.

    Args:
        what: who could not do what.
        error: what was raised.
    """
    trace = "".join(traceback.format_exception(error))
    # What has filled the memory may hang on the frames that the error has left.
    traceback.clear_frames(error.__traceback__)
    hold_reserve()
    return {
        "event": "failure",
        "what": what,
        "error": f"{type(error).__name__}: {error}"[:_LONGEST_TRACE],
        "traceback": trace[-_LONGEST_TRACE:],
    }
