"""What is free is the least of what the machine, a container and the process's limits leave."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from neurogame import machine_memory


def test_the_least_of_all_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_memory, "_GROUP", tmp_path)
    monkeypatch.setattr(machine_memory, "_MACHINE", tmp_path / "meminfo")
    monkeypatch.setattr(machine_memory, "_PROCESS", tmp_path / "status")
    unlimited = resource.RLIM_INFINITY
    limits = {resource.RLIMIT_DATA: unlimited, resource.RLIMIT_AS: unlimited}
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (limits[limit], unlimited))
    assert machine_memory.free_memory() == machine_memory.machine_memory()
    (tmp_path / "meminfo").write_text("MemTotal: 900 kB\nMemAvailable: 800 kB\n")
    assert machine_memory.free_memory() == 800 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1024\n")
    assert machine_memory.free_memory() == 800 * 1024
    (tmp_path / "memory.max").write_text(f"{701 * 1024}\n")
    assert machine_memory.free_memory() == 700 * 1024
    (tmp_path / "status").write_text("VmSize: 100 kB\nVmData: 50 kB\n")
    assert machine_memory.data_size() == 50 * 1024
    limits[resource.RLIMIT_DATA] = 650 * 1024
    assert machine_memory.free_memory() == 600 * 1024
    limits[resource.RLIMIT_AS] = 99 * 1024
    assert machine_memory.free_memory() == 0


def test_of_this_machine_something_is_known() -> None:
    machine, free = machine_memory.machine_memory(), machine_memory.free_memory()
    assert machine is not None
    assert free is not None
    assert 0 < free <= machine
