"""Triton's interpreter instead of a GPU, and skipping where Triton is not installed.

Triton decides when it is imported whether its functions are interpreted, so this is said before
any test module is imported; the tests import kernels only while they run.
"""

from __future__ import annotations

import os
import sys

import pytest

INTERPRET = "TRITON_INTERPRET"

if "triton" not in sys.modules:
    os.environ[INTERPRET] = "1"


@pytest.fixture(autouse=True)
def _interpreted() -> None:
    """Skip without Triton; make sure that it interprets."""
    pytest.importorskip("triton", reason="Triton (extra: test) is not installed")
    assert os.environ.get(INTERPRET) == "1", f"set {INTERPRET}=1 before Triton is imported"
