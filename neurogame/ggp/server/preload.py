"""Imported once, by the process that all others are copied from: loads what players need.

Nothing that fails here ends that process: copies of a cold one are only slower. The server itself
never imports this module.
"""

from __future__ import annotations

import atexit
import os
import signal

from neurogame.errors import on_one_line
from neurogame.ggp.server.forker import say_warm
from neurogame.ggp.server.processes import PLAYER_VARIABLE
from neurogame.ggp.server.warmth import WARMTH

_OWN = os.getpid()


def _leave() -> None:
    """End this process, not a copy of it, as it stands: what it holds was never meant to go."""
    if os.getpid() == _OWN:
        os._exit(0)


atexit.register(_leave)
# While it loads, Ctrl-C ends this process without a word; later the server ends it.
signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    import neurogame.ggp.server.guard
    import neurogame.ggp.server.thinker  # noqa: F401 - for those who are copied from here
    from neurogame.ggp.server.warm import rehearse

    WARMTH.remarks += rehearse(os.environ.get(PLAYER_VARIABLE, "mcts"))
    WARMTH.is_complete = True
except Exception as error:
    WARMTH.remarks.append(f"not everything was loaded beforehand: {on_one_line(error)}")
signal.signal(signal.SIGINT, signal.SIG_IGN)
say_warm()
