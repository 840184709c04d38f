"""What reading a request may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class ReadingLimits(Settings):
    """Bounds on requests and connections."""

    SUBJECT = "limits of reading: "

    head: int = setting(2**16, "request line and headers of one request; bytes", least=1024)
    body: int = setting(
        8 * 2**20,
        "the body of one request, or its address if the message stands there (GET); bytes",
        least=1024,
    )
    memory: int = setting(
        64 * 2**20,
        "all requests that are being read together; bytes, at least body. Above it the largest "
        "incomplete one is dropped.",
    )
    seconds: float = setting(20.0, "from the connection until the request is complete", above=0)
    silence: float = setting(
        0.05,
        "how long nothing may arrive behind a complete message whose length was not announced, "
        "until it is taken as all there is; seconds",
        above=0,
    )
    connections: int = setting(
        128,
        "open at the same time. When all are taken, the oldest that has no complete request yet "
        "is dropped for a new one.",
        least=1,
    )

    def check(self) -> None:
        """Refuse less memory for all requests than one may take."""
        if self.memory < self.body:
            raise self.refused("memory", f"at least {self.body} bytes")
