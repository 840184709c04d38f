"""Random playouts on a GPU beside one core of the processor; without a GPU, their code.

python -m benchmarks.cuda_playouts ../shared/games --lanes 65536 1048576 16777216
python -m benchmarks.cuda_playouts ../shared/games --games ticTacToe reversi --code

With a GPU: million plies per second of wall time, medians of several runs, after the GPU has
played the same games as the processor; and what its driver has made of the code. With ``--code``,
or without a GPU: the instructions of the code as text, beside the gates of the netlist, and the
registers that NVIDIA's assembler ``ptxas`` gives it where that is installed. What they cost only a
GPU can tell.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.codegen.playouts import LlvmPlayouts
from neurogame.kernels.cuda.capability import find_missing
from neurogame.kernels.cuda.code import load_ptx, load_thread_code
from neurogame.kernels.cuda.driver import CudaDriver, open_driver
from neurogame.kernels.cuda.playouts import CudaPlayouts
from neurogame.kernels.playout import PlayoutKernel, PlayoutRun, Tally
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.simulate.game import Game

GAMES = ("ticTacToe", "connectFour", "breakthrough", "reversi", "chess_200")
LANES = (1 << 16, 1 << 20, 1 << 24)
CORE_LANES = 1 << 14
TARGET = "sm_90"
FIRST_STEPS = 32
EQUAL_LANES = 1 << 14


def show_code(name: str, circuit: Circuit) -> None:
    """Print what the code of a game consists of."""
    start = time.perf_counter()
    code = load_thread_code(circuit, 0)
    made = time.perf_counter()
    ptx = load_ptx(code.text, TARGET)
    compiled = time.perf_counter()
    counts = count_instructions(ptx)
    registers, spilled, seconds = assemble(ptx)
    loads, stores = (_begin(counts, f"{kind}.local") for kind in ("ld", "st"))
    print(
        f"{name:16s} {code.gates:9,d} {_logic(counts):9,d} "
        f"{loads:8,d} {stores:8,d} {counts.total():9,d} "
        f"{code.text.cells:7,d} {registers:>9s} {spilled:>8s} {made - start:7.1f} "
        f"{compiled - made:7.1f} {seconds:>8s}",
        flush=True,
    )


def count_instructions(ptx: str) -> Counter[str]:
    """Return how many instructions of each name a module's text has, types included."""
    code = re.sub(r"//.*", "", ptx)
    names = re.findall(r"^\s*(?:@!?%\w+ )?([a-z][\w.:]*)[ \t;]", code, flags=re.MULTILINE)
    return Counter(name.rstrip(";") for name in names if "." in name or name in ("ret", "trap"))


def assemble(ptx: str) -> tuple[str, str, str]:
    """Return what NVIDIA's assembler makes of a text, where it is installed.

    Returns:
        Registers of a thread, words of 32 bits that are spilled and read again in the text, and
        seconds.
    """
    if shutil.which("ptxas") is None:
        return ("unknown",) * 3
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "play.ptx"
        path.write_text(ptx)
        command = ["ptxas", "-v", f"-arch={TARGET}", str(path), "-o", f"{path}.cubin"]
        start = time.perf_counter()
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        seconds = time.perf_counter() - start
    [registers] = re.findall(r"Used (\d+) registers", said)
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill", said))) // 4
    return registers, f"{spilled:,d}", f"{seconds:.1f}"


def _begin(counts: Counter[str], beginning: str) -> int:
    return sum(count for name, count in counts.items() if name.startswith(beginning))


def _logic(counts: Counter[str]) -> int:
    """Return the operations of one or two inputs, in those of 32 bits."""
    names = ("and", "or", "xor", "not")
    return sum(
        count * (2 if name.endswith("64") else 1)
        for name, count in counts.items()
        if name.partition(".")[0] in names and name.endswith(("b32", "b64"))
    )


def measure(kernel: PlayoutKernel, lanes: int, seconds: float, runs: int) -> float:
    """Return the median plies per second of wall time, of runs of about so many seconds."""
    rate, steps = 0.0, FIRST_STEPS
    # The first run pays for what happens once; the second one tells how long the others are to be.
    for seed in range(2):
        rate = _rate(kernel, PlayoutRun(seed=seed, lanes=lanes, steps=steps))
    steps = max(round(rate * seconds / lanes), FIRST_STEPS)
    plans = [PlayoutRun(seed=seed, lanes=lanes, steps=steps) for seed in range(runs)]
    return statistics.median(_rate(kernel, plan) for plan in plans)


def _rate(kernel: PlayoutKernel, plan: PlayoutRun) -> float:
    start = time.perf_counter()
    played = kernel.run(plan).played
    return played / max(time.perf_counter() - start, 1e-9)


def compare(name: str, circuit: Circuit, driver: CudaDriver, options: argparse.Namespace) -> bool:
    """Print the speed of one game on the GPU and on a core; return whether both play the same."""
    core, gpu = LlvmPlayouts(circuit), CudaPlayouts(circuit, driver)
    start = time.perf_counter()
    registers, memory = driver.usage(gpu.loaded()[1])
    ready = time.perf_counter() - start
    plan = PlayoutRun(seed=1, lanes=EQUAL_LANES, games=2 * EQUAL_LANES, lengths=True)
    same = equal(core.run(plan), gpu.run(plan))
    one = measure(core, CORE_LANES, options.seconds, options.runs)
    for lanes in options.lanes:
        many = measure(gpu, lanes, options.seconds, options.runs)
        print(
            f"{name:16s} {lanes:12,d} {many / 1e6:12.1f} {one / 1e6:12.1f} {many / one:8.1f} "
            f"{registers:9d} {memory:8,d} {ready:7.1f} {'same' if same else 'OTHER GAMES':>11s}",
            flush=True,
        )
        if options.torch:
            plain = measure(TorchPlayouts(circuit, driver.device), lanes, 0, options.runs)
            print(f"{name:16s} {lanes:12,d} {plain / 1e6:12.1f} by plain torch", flush=True)
    return same


def equal(left: Tally, right: Tally) -> bool:
    """Return whether two runs came to the same counts."""
    assert left.lengths is not None
    assert right.lengths is not None
    numbers = [
        (tally.games, tally.cut, tally.stuck, tally.several, tally.played)
        for tally in (left, right)
    ]
    return (
        numbers[0] == numbers[1]
        and np.array_equal(left.goals, right.goals)
        and np.array_equal(left.lengths, right.lengths)
    )


def main() -> int:
    """Measure the games named on the command line, or show their code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the rulesheets")
    parser.add_argument(
        "--games", nargs="*", default=GAMES, help=f"rulesheets ({', '.join(GAMES)})"
    )
    parser.add_argument("--lanes", nargs="*", type=int, default=LANES, help="games side by side")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of a run (1)")
    parser.add_argument("--runs", type=int, default=5, help="runs; shown is their median (5)")
    parser.add_argument("--device", default="cuda", help="which GPU (cuda)")
    parser.add_argument("--torch", action="store_true", help="measure plain torch there, too")
    parser.add_argument("--code", action="store_true", help="show code even if there is a GPU")
    options = parser.parse_args()
    torch.set_num_threads(1)
    missing = find_missing(torch.device(options.device))
    if missing:
        print(f"No speed is measured on {options.device}: {missing}.", file=sys.stderr)
    circuits = ((name, Game.load(options.folder / f"{name}.kif").circuit) for name in options.games)
    if missing or options.code:
        print(f"PTX for {TARGET}, one thread of 32 lanes; instructions of the text, not of a ply:")
        print(
            f"{'game':16s} {'gates':>9s} {'logic':>9s} {'ld.local':>8s} {'st.local':>8s} "
            f"{'all':>9s} {'cells':>7s} {'registers':>9s} "
            f"{'spills':>8s} {'make s':>7s} {'PTX s':>7s} {'ptxas s':>8s}"
        )
        for name, circuit in circuits:
            show_code(name, circuit)
        return 0
    driver = open_driver(options.device)
    print(f"{torch.cuda.get_device_name(driver.device)}, beside one core")
    print(
        f"{'game':16s} {'lanes':>12s} {'M plies/s':>12s} {'one core':>12s} {'times':>8s} "
        f"{'registers':>9s} {'bytes':>8s} {'ready s':>7s} {'games':>11s}"
    )
    found = [compare(name, circuit, driver, options) for name, circuit in circuits]
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
