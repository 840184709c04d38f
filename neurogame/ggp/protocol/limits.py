"""What reading a request may cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from neurogame.errors import ConfigurationError


@final
@dataclass(frozen=True, kw_only=True)
class ReadingLimits:
    """Bounds on requests and connections.

    Attributes:
        head: request line and headers of one request; bytes, at least 1024.
        body: the body of one request, or its address if the message stands there (GET); bytes,
            at least 1024.
        memory: all requests that are being read together; bytes, at least ``body``. Above it
            the largest incomplete one is dropped.
        seconds: from the connection until the request is complete; above 0.
        silence: how long nothing may arrive behind a complete message whose length was not
            announced, until it is taken as all there is; seconds, above 0.
        connections: open at the same time, at least 1. When all are taken, the oldest that has
            no complete request yet is dropped for a new one.
    """

    head: int = 2**16
    body: int = 8 * 2**20
    memory: int = 64 * 2**20
    seconds: float = 20.0
    silence: float = 0.05
    connections: int = 128

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        for name, least in (("head", 1024), ("body", 1024), ("memory", self.body)):
            if getattr(self, name) < least:
                raise ConfigurationError(
                    f"limits: {name}={getattr(self, name)}; at least {least} bytes are needed"
                )
        for name in ("seconds", "silence"):
            if not 0 < getattr(self, name) < math.inf:
                raise ConfigurationError(
                    f"limits: {name}={getattr(self, name)}; seconds above 0 are needed"
                )
        if self.connections < 1:
            raise ConfigurationError(
                f"limits: connections={self.connections}; at least 1 is needed"
            )
