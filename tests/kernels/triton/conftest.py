"""Triton's interpreter instead of a GPU, and skipping where Triton is not installed.

Triton decides when it and its kernels are imported whether they are interpreted, so that is done
here, before any test runs; for the other tests of the process there is no interpreter.
"""

from __future__ import annotations

import os
import pkgutil
from importlib import import_module
from importlib.util import find_spec

import pytest

import neurogame.kernels.triton as kernels

INTERPRET = "TRITON_INTERPRET"


def _import_interpreted() -> None:
    os.environ[INTERPRET] = "1"
    try:
        for module in pkgutil.iter_modules(kernels.__path__):
            import_module(f"{kernels.__name__}.{module.name}")
        import_module("tests.kernels.triton.word_kernels")
    finally:
        del os.environ[INTERPRET]


if find_spec("triton") is not None and INTERPRET not in os.environ:
    _import_interpreted()


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip without Triton; say that its interpreter is there."""
    pytest.importorskip("triton", reason="Triton (extra: test) is not installed")
    monkeypatch.setenv(INTERPRET, "1")
