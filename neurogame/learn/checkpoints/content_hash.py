"""A hash of nested plain values and tensors, the identity of a checkpoint."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import torch
from torch import Tensor


def content_hash(value: Any) -> str:
    """Return a hexadecimal SHA-256 of nested dictionaries, lists, tensors and JSON values.

    Equal contents have equal hashes, whatever the order of dictionary keys.

    Args:
        value: dictionaries with string keys, lists, tuples, tensors, and JSON-able leaves.

    Raises:
        TypeError: a leaf is neither a tensor nor JSON-able.
    """
    digest = hashlib.sha256()
    _feed(digest, value)
    return digest.hexdigest()


def _feed(digest: hashlib._Hash, value: Any) -> None:
    # Every item is framed by a type letter and a length, so that no two structures collide.
    if isinstance(value, Tensor):
        plain = value.detach().cpu().contiguous()
        digest.update(f"T{plain.dtype}{tuple(plain.shape)}".encode())
        # An empty tensor has no bytes, and cannot be viewed as some.
        if plain.numel() > 0:
            digest.update(plain.reshape(-1).view(torch.uint8).numpy().tobytes())
    elif isinstance(value, dict):
        digest.update(f"D{len(value)}".encode())
        for key in sorted(value):
            _feed(digest, key)
            _feed(digest, value[key])
    elif isinstance(value, (list, tuple)):
        digest.update(f"L{len(value)}".encode())
        for item in value:
            _feed(digest, item)
    else:
        text = json.dumps(value).encode()
        digest.update(f"J{len(text)}:".encode() + text)
