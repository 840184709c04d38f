"""What many tests read: games of the library, loaded once per process, and experiments' scripts."""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType

import pytest

from neurogame.simulate.game import Game
from tests.conftest import REPOSITORY

load = cache(Game.load)


@cache
def experiment(name: str) -> ModuleType:
    """Return a script of the folder of experiments; it may import its neighbours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "experiments"))
        return importlib.import_module(name)
