"""What the tests of the manager share."""

from __future__ import annotations

import pytest

from tests.processes import PATIENCE


@pytest.fixture
def patient_abort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the manager wait until players have read ABORT.

    It gives them a second, in which a busy machine may not come to run a player at all.
    """
    monkeypatch.setattr("neurogame.ggp.manager.manager._ABORT_SECONDS", PATIENCE)
