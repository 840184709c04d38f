"""Small tensors only: one torch thread is faster than several that wait for each other."""

from __future__ import annotations

import torch

torch.set_num_threads(1)
