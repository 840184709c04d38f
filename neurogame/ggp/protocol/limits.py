"""What reading a request may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class ReadingLimits(Settings):
    """Bounds on requests and connections."""

    REFUSED = "limits: {name}={value}; {allowed}"

    head: int = setting(
        2**16,
        "request line and headers of one request; bytes, at least 1024",
        least=1024,
        allowed="at least 1024 bytes are needed",
    )
    body: int = setting(
        8 * 2**20,
        "the body of one request, or its address if the message stands there (GET); bytes, at "
        "least 1024",
        least=1024,
        allowed="at least 1024 bytes are needed",
    )
    memory: int = setting(
        64 * 2**20,
        "all requests that are being read together; bytes, at least body. Above it the "
        "largest incomplete one is dropped.",
    )
    seconds: float = setting(
        20.0,
        "from the connection until the request is complete; above 0",
        above=0,
        allowed="seconds above 0 are needed",
    )
    silence: float = setting(
        0.05,
        "how long nothing may arrive behind a complete message whose length was not "
        "announced, until it is taken as all there is; seconds, above 0",
        above=0,
        allowed="seconds above 0 are needed",
    )
    connections: int = setting(
        128,
        "open at the same time, at least 1. When all are taken, the oldest that has no "
        "complete request yet is dropped for a new one.",
        least=1,
        allowed="at least 1 is needed",
    )

    def check(self) -> None:
        """Refuse less memory for all requests than one may take."""
        if self.memory < self.body:
            raise self.refused("memory", f"at least {self.body} bytes are needed")
