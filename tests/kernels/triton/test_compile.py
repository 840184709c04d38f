"""The compiler takes what the interpreter takes: all kernels become machine code, without a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY


def test_all_kernels_compile_for_a_gpu(tmp_path: Path) -> None:
    pytest.importorskip("triton.backends.nvidia", reason="Triton was built without NVIDIA's GPUs")
    environment = {
        **os.environ,
        "TRITON_INTERPRET": "0",
        "TRITON_CACHE_DIR": str(tmp_path),
        "TRITON_DEFAULT_FP_FUSION": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernels.triton.ahead", "tictactoe"],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout.splitlines()[-1])
    assert len(results) == 7
    assert all(result["cubin"] > 1000 for result in results.values())
    # Every thread has one element of every block, the same one throughout, so it reads from
    # memory only what it wrote itself and needs no barrier.
    assert {layout.partition(",")[0] for r in results.values() for layout in r["layouts"]} == {
        "#ttg.blocked<{sizePerThread = [1]"
    }
    assert all(len(result["layouts"]) == 1 for result in results.values())
    assert not any(result["moves"] for result in results.values())
    # One instruction per gate and half a word; ones are counted by the instruction for it.
    assert results["straight"]["lop3.b32"] == 2 * results["straight"]["gates"]
    assert results["straight"]["popc.b64"] > 0
    # Gradients of parameters are added up by atomic additions.
    assert results["backward 1"]["red."] > 0
