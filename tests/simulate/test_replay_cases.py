"""The semantic edge cases replay their traces by the command, nonstandard ones with a warning."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.errors import GameError, NonstandardWarning
from neurogame.simulate.trace import TraceFile
from tests.conftest import SHARED, shared


def _cases() -> list[str]:
    return sorted(path.stem for path in (SHARED / "gdl-cases").glob("*.kif")) or ["absent"]


@pytest.mark.parametrize("name", _cases())
def test_edge_cases_replay_on_the_circuit(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    warnings.simplefilter("always", NonstandardWarning)
    rules = shared("gdl-cases", f"{name}.kif")
    trace = shared("gdl-cases", "traces", f"{name}.jsonl.gz")
    assert main(["replay", str(rules), str(trace), "--json"]) == 0
    captured = capsys.readouterr()
    summary = json.loads(captured.out)
    assert summary["states"] > 0
    assert summary["mismatches"] == 0
    warned = captured.err.splitlines()
    assert len(warned) == (name in ("test_case_3b", "test_clean_not_distinct"))
    assert all(line.startswith(f"warning: {rules}:") for line in warned)


HEADER = {"type": "game", "key": "k", "rulesheet": "k", "roles": ["r"], "source": "test"}
STATE = {"type": "state", "game": 0, "ply": 0, "terminal": True, "state": ["p"], "move": None}
GAME = "(role r) (init p) (<= terminal (true p)) (goal r 10)"


@pytest.mark.parametrize(
    ("rule", "legal", "refused"),
    [
        ("(<= (legal r go) (not (not (true p))))", ["go"], None),
        ("(<= (legal r ?m) (true p) (not (distinct ?m go)))", ["go"], None),
        ("(legal r go) (<= (legal r fly) (does r go))", ["go"], "must not depend on 'does'"),
        ("(<= (legal r ?m) (true p))", [], "?m of the head is in no positive sentence"),
        ("(legal r go", ["go"], "never closed"),
    ],
)
def test_nonstandard_rules_are_replayed_and_others_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rule: str,
    legal: list[str],
    refused: str | None,
) -> None:
    warnings.simplefilter("always", NonstandardWarning)
    rules, trace = tmp_path / "odd.kif", tmp_path / "odd.jsonl"
    rules.write_text(GAME + rule, encoding="utf-8")
    state = {**STATE, "legal": [legal], "goals": [10]}
    end = {"type": "end", "game": 0, "reason": "terminal"}
    trace.write_text("\n".join(map(json.dumps, [HEADER, state, end])) + "\n", encoding="utf-8")
    assert main(["replay", str(rules), str(trace)]) == (refused is not None)
    captured = capsys.readouterr()
    if refused is None:
        assert "0 mismatches" in captured.out
        assert f"{rules}:1:" in captured.err
    else:
        assert captured.out == ""
        assert refused in captured.err
        assert "error: " in captured.err


def test_recursion_without_end_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, trace = tmp_path / "endless.kif", tmp_path / "endless.jsonl"
    rules.write_text(f"{GAME} (legal r go) (n 0) (<= (n (f ?x)) (n ?x))", encoding="utf-8")
    trace.write_text(json.dumps(HEADER) + "\n", encoding="utf-8")
    assert main(["replay", str(rules), str(trace)]) == 1
    assert "may not end" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, ":1: not a JSON object"),
        ('{"type": ' + "9" * 5000 + "}", ":1: not a JSON object"),
        ("\0" * 2000, ":1: longer than 1,000 characters"),
    ],
)
def test_broken_traces_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(text, encoding="utf-8")
    if "longer" in message:
        monkeypatch.setattr("neurogame.simulate.trace.LONGEST_LINE", 1000)
    with pytest.raises(GameError, match=message):
        TraceFile(path)


def test_pipes_are_never_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GameError, match="no regular file"):
        TraceFile(tmp_path / "pipe")


def test_a_trace_is_replayed_by_proofs(capsys: pytest.CaptureFixture[str]) -> None:
    rules = shared("games", "blocker.kif")
    trace = shared("traces", "blocker.jsonl.gz")
    assert main(["replay", str(rules), str(trace), "--prover", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["backend"] == "prover"
    assert found["states"] > 0
