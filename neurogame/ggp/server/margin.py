"""How much of a clock is kept back, so that the answer is there in time.

*Reference:* Jacobson and Karels; RFC 6298: a smoothed mean plus four smoothed deviations bounds
a delay that fluctuates. Here only what is later than the mean counts as deviation: something
early is no reason to be more careful.
"""

from __future__ import annotations

import socket
import struct
from typing import final

_MEAN_GAIN, _DEVIATION_GAIN, _DEVIATIONS = 1 / 8, 1 / 4, 4.0
_LEAST_LATENESS = 0.05
_SHORT_CLOCK_SHARE = 1 / 20
_ROUND_TRIP_OFFSET = 68  # of tcpi_rtt in the kernel's struct tcp_info; microseconds
_TCP_INFO_LENGTH = 104


@final
class SmoothedDelay:
    """A bound on a delay, from samples of it.

    Args:
        mean: assumed at first; seconds.
        deviation: assumed at first; seconds.
    """

    def __init__(self, mean: float, deviation: float) -> None:
        self._mean = mean
        self._deviation = deviation

    @property
    def bound(self) -> float:
        """What the delay rarely exceeds; seconds."""
        return self._mean + _DEVIATIONS * self._deviation

    def observe(self, seconds: float) -> None:
        """Take a sample.

        Args:
            seconds: a measured delay, 0 or more.
        """
        later = max(0.0, seconds - self._mean)
        self._deviation += _DEVIATION_GAIN * (later - self._deviation)
        self._mean += _MEAN_GAIN * (seconds - self._mean)


@final
class Margin:
    """The parts of a match's clocks that are kept back; they follow what is measured.

    The *reserve* is for the way of the answer to the manager: behind it nothing can be waited
    for. The whole *margin* is the reserve and the time by which searches end late. Together they
    begin with 0.4 s, are never below the reserve's least and 0.05 s (a search that ends a little
    late is better than a move without one), and never take more than half of a clock.

    Args:
        least: of the reserve; seconds, 0 or more. Of short clocks a twentieth is enough.
    """

    def __init__(self, least: float) -> None:
        self._least = least
        self._lateness = SmoothedDelay(0.1, 0.05)
        self._way = SmoothedDelay(0.01, 0.01)

    def observe_lateness(self, seconds: float) -> None:
        """Take by how much a search ended later than it should have.

        Args:
            seconds: 0 or more.
        """
        self._lateness.observe(max(0.0, seconds))

    def observe_way(self, seconds: float) -> None:
        """Take how long bytes travel, or how much later than planned an answer left.

        Args:
            seconds: 0 or more.
        """
        self._way.observe(max(0.0, seconds))

    def reserve(self, clock: float) -> float:
        """Return how long before the end of a clock the answer must leave; seconds.

        Args:
            clock: seconds, 0 or more.
        """
        return min(self._for_the_way(clock), clock / 4)

    def whole(self, clock: float) -> float:
        """Return how long before the end of a clock thinking must end; seconds.

        Args:
            clock: seconds, 0 or more.
        """
        lateness = max(_LEAST_LATENESS, self._lateness.bound)
        return min(self._for_the_way(clock) + lateness, clock / 2)

    def _for_the_way(self, clock: float) -> float:
        return max(min(self._least, _SHORT_CLOCK_SHARE * clock), self._way.bound)


def round_trip(connection: socket.socket) -> float:
    """Return the round-trip time that the kernel measured on a connection.

    Args:
        connection: an open TCP connection.

    Returns:
        Seconds; 0 where the system does not tell.
    """
    try:
        answer = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_LENGTH)
        return float(struct.unpack_from("=I", answer, _ROUND_TRIP_OFFSET)[0]) / 1e6
    except (AttributeError, OSError, struct.error):
        return 0.0
