"""Where independent pieces of work are done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.errors import ConfigurationError
from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class WorkerSettings(Settings):
    """How many workers there are, or which cluster has them."""

    workers: int = setting(
        1,
        "pieces of work, such as matches, that are done at the same time, each by a process of "
        "its own (learning on one machine: a thread); no more than there are cores if anything is "
        "limited in seconds",
        least=1,
        most=1024,
    )
    cluster: str | None = setting(
        None,
        "instead of local processes the workers of a Dask cluster: the address of its scheduler, "
        "such as tcp://10.0.0.1:8786, or its scheduler file (needs the extra cluster)",
    )

    def check(self) -> None:
        """Refuse what contradicts itself.

        Raises:
            ConfigurationError: both local workers and a cluster are asked for.
        """
        if self.cluster is not None and self.workers > 1:
            raise ConfigurationError(
                f"workers={self.workers} and cluster={self.cluster}: work is done by local "
                "processes or by a cluster; name one"
            )
