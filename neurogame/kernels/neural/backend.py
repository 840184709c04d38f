"""Whether networks are evaluated by plain torch or by the compiled kernel."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

from neurogame.errors import ConfigurationError, MissingExtraError

VARIABLE = "NEUROGAME_EVALUATOR"
"""Environment variable that chooses; read whenever an evaluator is called."""

CHOICES = ("auto", "torch", "kernel")
"""Its values: the kernel where it can compute (the default), never, or an error where numba is
missing."""


def kernel_wanted() -> bool:
    """Return whether networks on the CPU are to be evaluated by the compiled kernel.

    Raises:
        ConfigurationError: the environment variable has another value.
        MissingExtraError: the kernel is asked for by name and numba is not installed.
    """
    choice = os.environ.get(VARIABLE, "auto")
    if choice not in CHOICES:
        raise ConfigurationError(
            f"{VARIABLE} is {choice!r}; it must be one of {', '.join(CHOICES)}"
        )
    if choice == "kernel" and not _has_numba():
        raise MissingExtraError(f"{VARIABLE}=kernel needs numba: pip install numba")
    return choice != "torch" and _has_numba()


@cache
def _has_numba() -> bool:
    return find_spec("numba") is not None
