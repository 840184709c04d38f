"""The settings of each search that a player string may name."""

from __future__ import annotations

from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.mcts.settings import MctsSettings
from neurogame.settings import Settings

SEARCHES: dict[str, type[Settings]] = {"alphabeta": SearchSettings, "mcts": MctsSettings}
"""Search -> its settings: what they declare is read from player strings, checked and listed."""
