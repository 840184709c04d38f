"""Whether networks are evaluated by plain torch or by the compiled kernel."""

from __future__ import annotations

import os

from neurogame.errors import ConfigurationError

VARIABLE = "NEUROGAME_EVALUATOR"
"""Environment variable that chooses; read whenever an evaluator is called."""

CHOICES = ("auto", "torch", "kernel")
"""Its values: the kernel where it can compute (the default), never, or the first again."""


def kernel_wanted() -> bool:
    """Return whether networks on the CPU are to be evaluated by the compiled kernel.

    Raises:
        ConfigurationError: the environment variable has another value.
    """
    choice = os.environ.get(VARIABLE, "auto")
    if choice not in CHOICES:
        raise ConfigurationError(
            f"{VARIABLE} is {choice!r}; it must be one of {', '.join(CHOICES)}"
        )
    return choice != "torch"
