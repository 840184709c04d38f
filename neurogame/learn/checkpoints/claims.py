"""What a checkpoint file says of its sizes, compared with its bytes before any room is made for it.

A file is a zip archive with one pickle, ``X/data.pkl``, and the bytes of every tensor as
``X/data/NUMBER``. The pickle is small, and says how large the tensors are. Here it is read with
stand-ins for tensors, which know their size and nothing else.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

MOST_BYTES = 1 << 32
"""Of the contents of a file that is read."""

_EASY_BYTES, _MOST_RATIO = 1 << 29, 100
"""Beyond so many bytes contents may be no more than so many times as large as the file: weights
that have learned anything do not compress much."""
_MOST_DEFLATED = 1032
"""By how much deflate makes anything smaller, at most."""
_MOST_PICKLE, _MOST_OPERATIONS = 1 << 27, 10_000_000
"""Bytes of the pickle, and operations in it."""
_DEEPEST = 64
"""How deep contents are nested in each other, at most."""

_OPERATIONS = frozenset(
    {
        *("PROTO", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", "GLOBAL", "REDUCE", "BINPERSID"),
        *("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "EMPTY_TUPLE"),
        *("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_LIST", "APPEND", "APPENDS", "EMPTY_DICT"),
        *("SETITEM", "SETITEMS", "BINPUT", "LONG_BINPUT", "BINGET", "LONG_BINGET"),
    }
)
"""Those that torch writes for plain values and tensors; others make room by themselves."""

_ELEMENT = {
    f"torch.{kind}Storage": size
    for kind, size in {
        **{"Double": 8, "Float": 4, "Half": 2, "BFloat16": 2},
        **{"Long": 8, "Int": 4, "Short": 2, "Char": 1, "Byte": 1, "Bool": 1},
    }.items()
}
"""Bytes of an element of each kind of tensor that is read."""


def check_file(path: Path) -> None:
    """Refuse a file whose contents would take more room than its bytes speak for.

    Args:
        path: of a file that may be a checkpoint.

    Raises:
        ValueError: it is no such archive, or what it says of a size is not so.
        OSError, zipfile.BadZipFile, zlib.error, pickle.UnpicklingError, LookupError, TypeError,
        AttributeError, OverflowError, EOFError: it is damaged.
    """
    if not zipfile.is_zipfile(path):
        raise ValueError("no zip archive")
    with zipfile.ZipFile(path) as archive:
        records = _records(archive, path.stat().st_size)
        pickles = [name for name in records if name.endswith("/data.pkl")]
        if len(pickles) != 1 or pickles[0].count("/") != 1 or records[pickles[0]] > _MOST_PICKLE:
            raise ValueError("no pickle of a checkpoint")
        data = archive.read(pickles[0])
    _check_operations(data)
    document = _Claims(data, pickles[0].removesuffix("data.pkl"), records).load()
    if _spread(document, {}, 0) > 4 * MOST_BYTES:
        raise ValueError("its contents repeat themselves beyond measure")


def _records(archive: zipfile.ZipFile, size: int) -> dict[str, int]:
    """Return the bytes of each record, which may be true of a file of this size."""
    entries = archive.infolist()
    records = {entry.filename: entry.file_size for entry in entries}
    if len(records) != len(entries):
        raise ValueError("two records of one name")
    for entry in entries:
        packed = entry.compress_size
        most = packed if entry.compress_type == zipfile.ZIP_STORED else _MOST_DEFLATED * packed
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"a record of compression {entry.compress_type}")
        if entry.file_size > most:
            raise ValueError(f"{entry.file_size:,} bytes out of {packed:,}, more than can be")
    if sum(entry.compress_size for entry in entries) > size:
        raise ValueError(f"records of more than the file's {size:,} bytes")
    whole = sum(records.values())
    if whole > (most := min(MOST_BYTES, max(_EASY_BYTES, _MOST_RATIO * size))):
        raise ValueError(f"{whole:,} bytes when decompressed, more than {most:,}")
    return records


def _check_operations(data: bytes) -> None:
    """Refuse operations that make room without having the bytes for it."""
    for number, (operation, argument, _) in enumerate(pickletools.genops(data)):
        if operation.name not in _OPERATIONS or number > _MOST_OPERATIONS:
            raise ValueError(f"operation {number:,} of its pickle is {operation.name}")
        if operation.name == "LONG_BINPUT" and int(argument or 0) > number:
            raise ValueError(f"its pickle remembers {argument:,} things after {number:,}")


@final
class _Storage:
    """So many elements, of so many bytes each."""

    def __init__(self, count: int, element: int) -> None:
        self.count, self.element = count, element


@final
class _Tensor:
    """So many bytes."""

    def __init__(self, size: int) -> None:
        self.size = size


@final
class _Claims(pickle.Unpickler):
    """Reads the pickle of a checkpoint without its tensors."""

    def __init__(self, data: bytes, prefix: str, records: Mapping[str, int]) -> None:
        super().__init__(io.BytesIO(data))
        self._prefix, self._records = prefix, records

    def find_class(self, module: str, name: str) -> Any:
        """Return what a name stands for here."""
        known = {"collections.OrderedDict": OrderedDict, "torch._utils._rebuild_tensor_v2": _tensor}
        return {**known, **_ELEMENT}[f"{module}.{name}"]

    def persistent_load(self, pid: Any) -> _Storage:
        """Return the stand-in for a record."""
        _, element, key, _, count = pid
        size = self._records[f"{self._prefix}data/{key}"]
        if not isinstance(count, int) or count < 0 or count * element != size:
            raise ValueError(f"a tensor's {count:,} elements in {size:,} bytes")
        return _Storage(count, element)


def _tensor(
    storage: _Storage, offset: int, shape: tuple[int, ...], stride: tuple[int, ...], *_: Any
) -> _Tensor:
    """Return the stand-in for a tensor, every element of which has a place of its own."""
    count = math.prod(shape)
    last = offset + sum((n - 1) * step for n, step in zip(shape, stride, strict=True))
    if min(offset, *shape, *stride, 0) < 0 or (count and max(last + 1, count) > storage.count):
        raise ValueError(f"a tensor of shape {shape} in {storage.count:,} elements")
    return _Tensor(count * storage.element)


def _spread(value: Any, known: dict[int, int], depth: int) -> int:
    """Return about how many bytes a value takes where nothing in it is shared."""
    if isinstance(value, _Tensor):
        return value.size
    if not isinstance(value, dict | list | tuple):
        return 8
    if depth > _DEEPEST:
        raise ValueError(f"contents nested deeper than {_DEEPEST}")
    if id(value) not in known:
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        known[id(value)] = 8 + sum(_spread(part, known, depth + 1) for part in inner)
    return known[id(value)]
