"""How much memory there is: of the machine, of a container, and of what a process may take."""

from __future__ import annotations

import os
from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")
_MACHINE = Path("/proc/meminfo")
_PROCESS = Path("/proc/self/status")


_SHARERS = [1]


def share_memory(processes: int) -> None:
    """Tell that so many processes work side by side, this one included."""
    _SHARERS[0] = processes


def sharers() -> int:
    """Return how many processes share the memory of the machine; 1 if nobody has said."""
    return _SHARERS[0]


def machine_memory() -> int | None:
    """Return the bytes of memory of the machine, or of the container if that has fewer.

    None where the system tells nothing.
    """
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
    group = _number(_GROUP / "memory.max")
    return machine if group is None else min(machine, group)


def free_memory() -> int | None:
    """Return the bytes that this process can still take; None where the system tells nothing.

    That is the least of what is available on the machine, what is left to the container, and what
    the process's own limits leave, which count memory that is reserved as used.
    """
    bounds = [_kibibytes(_MACHINE, "MemAvailable:")]
    most, used = _number(_GROUP / "memory.max"), _number(_GROUP / "memory.current")
    if most is not None and used is not None:
        bounds.append(most - used)
    bounds += [_left("RLIMIT_DATA", "VmData:"), _left("RLIMIT_AS", "VmSize:")]
    known = [max(number, 0) for number in bounds if number is not None]
    return min(known, default=machine_memory())


def data_size() -> int:
    """Return how many bytes of writable memory this process has; 0 where the system won't tell."""
    return _kibibytes(_PROCESS, "VmData:") or 0


def _left(limit: str, counted: str) -> int | None:
    """Return what a limit of the process leaves, None if there is no such limit.

    Args:
        limit: its name in the module ``resource``.
        counted: the line of the process's status that tells what it counts.
    """
    try:
        import resource
    except ImportError:
        return None
    most, _ = resource.getrlimit(getattr(resource, limit))
    used = _kibibytes(_PROCESS, counted)
    return None if most == resource.RLIM_INFINITY or used is None else most - used


def _number(path: Path) -> int | None:
    """Return the number that a file holds, None if it holds none."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _kibibytes(path: Path, name: str) -> int | None:
    """Return the bytes that a line of a file tells in kibibytes, None if there is no such line."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(name)), None)
