"""The files of a training run, by name, and its settings; without torch, which takes seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from neurogame.errors import CheckpointError

LATEST = "latest.pt"
BEST = "best.pt"
CONFIG = "config.json"
ROUNDS = "rounds.jsonl"
EVALUATIONS = "evaluations.jsonl"
STRENGTH = "strength.jsonl"
LOGS = (ROUNDS, EVALUATIONS)


def read_config(path: Path) -> dict[str, Any]:
    """Return the settings of a run.

    Args:
        path: its folder.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    file = path / CONFIG
    try:
        return dict(**json.loads(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        raise CheckpointError(
            f"{path} holds no run; name a folder that neurogame train has made"
        ) from None
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"{file}: cannot be read ({error})") from None
