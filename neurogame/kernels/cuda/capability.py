"""Which GPUs can play, and what to do where none can."""

from __future__ import annotations

import torch

TARGETS = (50, 52, 60, 61, 70, 75, 80, 86, 89, 90)
"""Compute capabilities, times ten, that code is made for; newer GPUs run that of the last one."""


def find_missing(device: torch.device) -> str:
    """Return what a GPU lacks for playing, and what to do about it; empty if nothing."""
    if absent := find_absent(device):
        return absent
    if torch.version.cuda is None:
        return (
            f"torch {torch.__version__} is a build for other GPUs than NVIDIA's; take backend "
            "'torch' on this device, or 'llvm' on cpu"
        )
    major, minor = torch.cuda.get_device_capability(device)
    if 10 * major + minor < TARGETS[0]:
        return (
            f"its compute capability is {major}.{minor}, and {TARGETS[0] / 10} is the least; take "
            "backend 'torch' on this device, or 'llvm' on cpu"
        )
    return ""


def find_absent(device: torch.device) -> str:
    """Return why a GPU is not there, and what to do about it; empty if it is."""
    if torch.version.cuda is None and torch.version.hip is None:
        return (
            f"torch {torch.__version__} is a build without CUDA; install one with it "
            "(https://pytorch.org/get-started), or take backend 'llvm' on cpu"
        )
    if not torch.cuda.is_available():
        return (
            f"torch {torch.__version__} finds no GPU with a driver for CUDA "
            f"{torch.version.cuda} (look at nvidia-smi); take backend 'llvm' on cpu"
        )
    count = torch.cuda.device_count()
    if device.index is not None and device.index >= count:
        return f"there are {count} GPUs, cuda:0 to cuda:{count - 1}"
    return ""


def target_for(major: int, minor: int) -> str:
    """Return LLVM's name of the newest kind of GPU whose code a compute capability runs."""
    return f"sm_{max(target for target in TARGETS if target <= 10 * major + minor)}"
