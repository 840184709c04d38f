"""The code for a GPU as text: nothing but what a GPU knows, and the gates of the netlist."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import torch

from benchmarks.cuda_playouts import count_instructions
from neurogame.cli.main import main
from neurogame.errors import ConfigurationError
from neurogame.kernels.backends import resolve_backend
from neurogame.kernels.codegen.expressions import expression
from neurogame.kernels.codegen.frame import Part, part_gates
from neurogame.kernels.codegen.ptx import compile_ptx
from neurogame.kernels.codegen.straight import StraightCode, loop_rows
from neurogame.kernels.codegen.threads import gpu_module, write_threads
from neurogame.kernels.cuda.capability import TARGETS, find_absent, find_missing, target_for
from neurogame.kernels.cuda.code import load_ptx, load_thread_code
from neurogame.kernels.netlist.build import build_play
from neurogame.kernels.netlist.facts import facts_of
from neurogame.kernels.netlist.ply import Ply
from tests.kernels.codegen.test_playouts import game
from tests.kernels.cuda.fake_gpu import cpu_module
from tests.processes import run

SMALL = (("tictactoe", 0), ("tictactoe", 10), ("odd", 0), ("odd", 10))
CODES = (*SMALL, ("connectfour", 0), ("connectfour", 10), ("connectfour_simultaneous", 0))
"""Games, and bits for the plies of a game."""


OF_THE_LOOP = 300
"""More operations than counting, drawing and the ages of games consist of."""


def ply_of(name: str) -> Ply:
    circuit = game(name).circuit
    return build_play(circuit, facts_of(circuit), moves=False)


def operations_of(ply: Ply) -> int:
    """Return the operations of two inputs, and of one, that the gates of a ply are written as."""
    gates = [gate for part in Part for gate in part_gates(ply, part)]
    written = [expression(int(ply.netlist.table[gate])) for gate in gates]
    return sum(1 + (name == "and not") for one in written for _, name, _, _ in one)


def logic_of(ptx: str) -> int:
    """Return the logic on half words."""
    counts = count_instructions(ptx)
    return sum(counts[f"{name}.b32"] for name in ("and", "or", "xor", "not"))


@pytest.mark.parametrize(("name", "age_bits"), CODES)
def test_gates_are_those_of_the_netlist(name: str, age_bits: int) -> None:
    """Written: each, besides those of the loop. In the end: what the optimiser leaves of them."""
    text = load_thread_code(game(name).circuit, age_bits).text
    ply = ply_of(name)
    operations = operations_of(ply)
    written = len(re.findall(r"= (?:and|or|xor) <1 x i32>", text.functions + text.body))
    # States at the ends of games are kept in two places.
    assert operations < written - 4 * len(ply.next) < operations + OF_THE_LOOP
    assert operations * 0.8 < logic_of(load_ptx(text, "sm_90")) <= written


@pytest.mark.parametrize(("name", "age_bits"), SMALL)
def test_a_small_game_is_registers_and_nothing_else(name: str, age_bits: int) -> None:
    ptx = load_ptx(load_thread_code(game(name).circuit, age_bits).text, "sm_90")
    assert re.search(r"^\.version 7\.8\n\.target sm_90\n\.address_size 64$", ptx, re.M)
    assert re.findall(r"^.*\.entry (\w+)\($", ptx, re.M) == ["play"]
    counts = count_instructions(ptx)
    assert not any(name.startswith(("call", "ld.local", "st.local")) for name in counts)
    assert ".local" not in ptx
    check_words(ptx)


def check_words(ptx: str) -> None:
    """Nothing from elsewhere, no type that a GPU lacks, and no address of unknown memory."""
    for name in count_instructions(ptx):
        assert not name.startswith(("ld.b", "ld.v", "st.b", "st.v")), name
        assert not re.search(r"\.v[48]|\.f\d\d|\.b128|\.u8|\.b8", name), name
    for word in (".extern", "trap", "<", "@llvm"):
        assert word not in re.sub(r"//.*|%\w+<\d+>", "", ptx), word
    # NVIDIA's assembler makes the instructions of three inputs; those given it have crashed it.
    assert "lop3" not in ptx


@pytest.mark.parametrize(("name", "age_bits"), sorted(set(CODES) - set(SMALL)))
def test_a_large_game_goes_through_memory_as_scheduled(name: str, age_bits: int) -> None:
    """Loads and stores of the gates, and those of the loop: rows, ranks, states at both ends."""
    ply = ply_of(name)
    code = StraightCode(ply, 30, loop_rows(ply))
    ptx = compile_ptx(gpu_module(write_threads(code, age_bits, stored=True)), "sm_90")
    check_words(ptx)
    counts = count_instructions(ptx)
    loads, stores = code.accesses()
    fluents = len(ply.next)
    ranks = sum(len(choice.rank) for choice in ply.choices)
    planes = sum(len(choice.total) + len(choice.mask) + 1 for choice in ply.choices)
    assert counts["st.local.b32"] == stores + fluents + ranks + (ply.reset > 0)
    # Final states are read in two places; ends, goals and several where games end.
    rows = planes + 4 * (len(ply.goals) + 3)
    assert loads + 3 * fluents < counts["ld.local.b32"] <= loads + 3 * fluents + rows


def test_pieces_of_a_large_game_find_their_cells_in_the_memory_of_the_thread() -> None:
    ply = ply_of("tictactoe")
    code = StraightCode(ply, 100, loop_rows(ply), 50)
    ptx = compile_ptx(gpu_module(write_threads(code, 0, stored=True)), "sm_90")
    names = re.findall(r"^\.func (\w+)\($", ptx, re.M)
    assert len(names) == sum(len(pieces) for pieces in code.steps.values() if len(pieces) > 1) >= 4
    assert set(re.findall(r"call\.uni\s+(\w+)", ptx)) == set(names)
    check_words(ptx)
    assert count_instructions(ptx)["ld.local.b32"] >= code.accesses()[0]


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="NVIDIA's assembler is not installed")
@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize(("name", "age_bits"), [*SMALL[:2], ("connectfour", 0)])
def test_the_assembler_takes_it(name: str, age_bits: int, target: str, tmp_path: Path) -> None:
    path = tmp_path / "play.ptx"
    path.write_text(load_ptx(load_thread_code(game(name).circuit, age_bits).text, target))
    command = ["ptxas", "-v", f"-arch={target}", str(path), "-o", str(tmp_path / "play.cubin")]
    said = run(command).stderr
    assert "Compiling entry function 'play'" in said
    if name == "tictactoe" or target == "sm_90":
        assert " 0 bytes spill stores, 0 bytes spill loads" in said, "all of it in registers"


@pytest.mark.parametrize("target", TARGETS)
def test_code_for_every_kind_of_gpu(target: int) -> None:
    ptx = load_ptx(load_thread_code(game("over").circuit, 0).text, f"sm_{target}")
    assert re.search(rf"^\.version 7\.8\n\.target sm_{target}$", ptx, re.M)


def test_the_text_is_the_same_for_gpu_and_processor_but_for_numbers_and_memory() -> None:
    text = load_thread_code(game("tictactoe").circuit, 10).text
    gpu, processor = gpu_module(text), cpu_module(text)
    assert text.body in gpu
    assert text.body in processor
    assert "asm" not in processor
    assert len(re.findall(r"^define ", gpu, re.M)) == len(re.findall(r"^define ", processor, re.M))


DEVICE = torch.device("cuda")


def pretend(
    monkeypatch: pytest.MonkeyPatch, version: str | None, count: int, capability: tuple[int, int]
) -> None:
    """Let torch find so many GPUs."""
    monkeypatch.setattr(torch.version, "cuda", version)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)


@pytest.mark.parametrize(
    ("version", "count", "capability", "device", "said"),
    [
        (
            None,
            0,
            (9, 0),
            "cuda",
            r"is a build without CUDA; install one .* or take backend 'llvm'",
        ),
        ("12.4", 0, (9, 0), "cuda", r"no GPU with a driver for CUDA 12\.4"),
        ("12.4", 2, (9, 0), "cuda:2", r"there are 2 GPUs, cuda:0 to cuda:1"),
        ("12.4", 1, (3, 7), "cuda", r"capability is 3\.7, and 5\.0 is the least; take .*'torch'"),
    ],
)
def test_what_is_missing(
    version: str | None,
    count: int,
    capability: tuple[int, int],
    device: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretend(monkeypatch, version, count, capability)
    with pytest.raises(ConfigurationError, match=f"'cuda' cannot play on {device}: .*{said}"):
        resolve_backend("cuda", device)


def test_gpus_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch calls them cuda too, and plays on them."""
    pretend(monkeypatch, None, 1, (9, 0))
    monkeypatch.setattr(torch.version, "hip", "6.2")
    assert find_absent(DEVICE) == ""
    assert "for other GPUs than NVIDIA's; take backend 'torch'" in find_missing(DEVICE)


def test_a_gpu_that_can_play(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "12.4", 2, (12, 0))
    assert find_missing(DEVICE) == find_missing(torch.device("cuda:1")) == ""
    assert resolve_backend("cuda", DEVICE) == "cuda"


def test_the_device_is_looked_for_before_anything_is_put_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend(monkeypatch, None, 0, (9, 0))
    for backend in ("torch", "cuda", "auto"):
        assert main(["simulate", "tictactoe", "--device", "cuda", "--backend", backend]) != 0
        said = capsys.readouterr().err
        assert "device cuda is not there: torch" in said
        assert "or take backend 'llvm' on cpu" in said
        assert len(said.splitlines()) == 1
    assert main(["simulate", "tictactoe", "--backend", "cuda"]) != 0
    assert "'cuda' does not run on cpu, it is made for device 'cuda'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("capability", "target"),
    [
        ((5, 0), "sm_50"),
        ((7, 2), "sm_70"),
        ((8, 9), "sm_89"),
        ((9, 0), "sm_90"),
        ((12, 1), "sm_90"),
    ],
)
def test_code_is_made_for_the_gpu_or_an_older_one(capability: tuple[int, int], target: str) -> None:
    assert target_for(*capability) == target
