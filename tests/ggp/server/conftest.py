"""One set of warm processes for all tests of matches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from neurogame.ggp.server.processes import Processes


@pytest.fixture(scope="session")
def processes() -> Iterator[Processes]:
    """Processes that have loaded what searching players need."""
    made = Processes("alphabeta:cilp")
    assert made.warm_up() == ()
    yield made
    made.close()
