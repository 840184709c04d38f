"""``docs/protocol.md`` shows the bytes that travel, records that can be read, code that runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neurogame.ggp.manager.address import Address
from neurogame.ggp.manager.client import request_bytes
from neurogame.ggp.manager.ggp_record import GgpRecord
from neurogame.ggp.protocol.exchange import reply_bytes
from tests.conftest import REPOSITORY


def blocks(language: str) -> list[str]:
    """Return the code blocks of a language."""
    text = (REPOSITORY / "docs" / "protocol.md").read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


def test_the_bytes() -> None:
    request = request_bytes(
        Address("localhost"), "( PLAY demo.ticTacToe.1 (( mark 2 1 ) noop ) )", "RandomA"
    )
    shown = blocks("")
    for wire in (request, reply_bytes("noop")):
        assert f"{wire.decode()}\n".replace("\r\n", "\n") in shown


def test_the_record() -> None:
    [block] = blocks("json")
    record = GgpRecord.from_json(block)
    assert record.errors[1] == ("TO", "")
    # Nothing but line ends and our own part tells it from what is written.
    assert "".join(block.split()) == "".join(record.to_json().split())


def test_the_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [code] = blocks("python")
    exec(compile(code, "docs/protocol.md", "exec"), {})
    assert GgpRecord.from_json((tmp_path / "match.json").read_text()).scrambled
