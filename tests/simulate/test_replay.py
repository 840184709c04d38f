"""Replaying traces: the circuit on recorded games, and every kind of corruption is found."""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import os
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from neurogame.cli import replay as command
from neurogame.cli.main import main
from neurogame.errors import GameError, NonstandardWarning
from neurogame.gdl.parse import parse_rules
from neurogame.prover.game import ProverGame
from neurogame.simulate.game import Game
from neurogame.simulate.replay import Backend, Report, replay
from neurogame.simulate.trace import TraceFile
from neurogame.simulate.trace_backends import CircuitBackend, ProverBackend
from tests.conftest import SHARED, shared
from tests.reference.interpreter import ReferenceGame, ReferenceState

NAMED = [
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "pentago",
    "tictactoe_3d_2player",
    "biddingTicTacToe",
    "nineBoardTicTacToe",
    "blocker",
    "checkersSmall",
    "reversi",
    "knightThrough",
    "tictactoe_3player",
    "connectFourSimultaneous",
]

# Two players raise a shared counter at the same time; even moves keep the mark of the last one.
RULES = """
(role Ann) (role bob) (init (count 0)) (init fresh)
(after 0 1) (after 1 2) (after 2 3) (after 3 4)
(<= (legal ?r hold) (role ?r))
(<= (legal ann (raise ?n)) (true (count ?n)))
(<= (legal bob ruin) (true (count 2)))
(<= moved (does ann (raise ?n)))
(<= (next (count ?m)) (true (count ?n)) (after ?n ?m) moved)
(<= (next (count ?n)) (true (count ?n)) (not moved))
(<= (next (by ?r ?a)) (does ?r ?a) (distinct ?a hold))
(<= terminal (true (count 3)))
(<= terminal (true (by bob ruin)))
(<= (goal ann 100) (true (count 3)))
(<= (goal ann 30) (true (by bob ruin)))
(<= (goal bob 70) (true (by bob ruin)))
"""

Record = dict[str, Any]


def walk(game: ReferenceGame, joints: Sequence[tuple[str, ...]], number: int) -> list[Record]:
    """Return the state records of one game."""
    records: list[Record] = []
    state = game.initial()
    for ply, joint in enumerate([*joints, None]):
        records.append(record(game, state, number, ply, joint))
        if joint is not None:
            state = game.next(state, [game.term(move) for move in joint])
    return [*records, {"type": "end", "game": number, "reason": "terminal"}]


def record(
    game: ReferenceGame, state: ReferenceState, number: int, ply: int, joint: tuple[str, ...] | None
) -> Record:
    roles = range(len(game.roles))
    goals = [game.goals(state, role) for role in roles]
    return {
        "type": "state",
        "game": number,
        "ply": ply,
        "terminal": game.terminal(state),
        "state": sorted(game.text(fluent) for fluent in state),
        "legal": [sorted(map(game.text, game.legal(state, role))) for role in roles],
        "goals": [goal_form(values) for values in goals],
        "move": None if joint is None else list(joint),
    }


def goal_form(values: list[int]) -> int | list[str] | None:
    """Return goals as traces write them: none is null, several are a list of strings."""
    if len(values) == 1:
        return values[0]
    return [str(value) for value in values] or None


@pytest.fixture(scope="module")
def records() -> list[Record]:
    game = ReferenceGame(parse_rules(RULES, "count.kif"))
    first = [("(raise 0)", "hold"), ("hold", "hold"), ("(raise 1)", "hold"), ("(raise 2)", "ruin")]
    second = [("(raise 0)", "hold"), ("(raise 1)", "hold"), ("hold", "ruin")]
    header = {"type": "game", "key": "count", "roles": ["Ann", "bob"]}
    return [header, *walk(game, first, 0), *walk(game, second, 1)]


BACKENDS: dict[str, Callable[[], Backend]] = {
    "circuit": lambda: CircuitBackend(Game.from_text(RULES)),
    "prover": lambda: ProverBackend(ProverGame(parse_rules(RULES, "count.kif"))),
}


@pytest.fixture(scope="module", params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest) -> Backend:
    return BACKENDS[request.param]()


def write(path: Path, records: list[Record], zipped: bool = True) -> Path:
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return path


def found(report: Report) -> set[tuple[int, int, str, str | None]]:
    return {(m.game, m.ply, m.what, m.role) for m in report.details}


@pytest.mark.parametrize(("zipped", "batch"), list(product([True, False], [1, 2, 1024])))
def test_a_true_trace_has_no_mismatch(
    tmp_path: Path, records: list[Record], backend: Backend, zipped: bool, batch: int
) -> None:
    trace = write(tmp_path / "count", records, zipped)
    report = replay(trace, backend, batch=batch)
    assert (report.games, report.states, report.mismatches) == (2, 9, 0)
    # The walk must reach what the corruptions below rely on.
    assert records[5]["goals"] == [["30", "100"], 70]
    assert records[1]["goals"] == [None, None]
    assert records[5]["terminal"]
    assert records[5]["legal"] == [["(raise 3)", "hold"], ["hold"]]


def test_case_is_folded(tmp_path: Path, records: list[Record], backend: Backend) -> None:
    loud = copy.deepcopy(records)
    for shouted in loud:
        for name in ("roles", "state", "legal", "move"):
            if shouted.get(name) is not None:
                shouted[name] = json.loads(json.dumps(shouted[name]).upper())
    assert loud[1]["legal"] == [["(RAISE 0)", "HOLD"], ["HOLD"]]
    assert replay(write(tmp_path / "loud", loud), backend).details == ()


Corruption = Callable[[list[Record]], None]


def edit(line: int, name: str, value: object) -> Corruption:
    """Return a corruption that sets one entry of one record."""

    def corrupt(records: list[Record]) -> None:
        assert records[line][name] != value
        records[line][name] = value

    return corrupt


CORRUPTIONS: dict[str, tuple[Corruption, set[tuple[int, int, str, str | None]]]] = {
    "initial fluent missing": (edit(1, "state", ["(count 0)"]), {(0, 0, "initial", None)}),
    "fluent missing": (edit(4, "state", ["(count 2)"]), {(0, 2, "next", None)}),
    "fluent too many": (
        edit(3, "state", ["(by bob ruin)", "(count 1)", "fresh"]),
        {
            (0, 1, "next", None),
            (0, 2, "terminal", None),
            (0, 2, "goals", "ann"),
            (0, 2, "goals", "bob"),
            (0, 2, "next", None),
        },
    ),
    "fluent unknown": (edit(3, "state", ["(count 1)", "(moon full)"]), {(0, 1, "next", None)}),
    "terminal": (edit(5, "terminal", False), {(0, 4, "terminal", None)}),
    "not terminal": (edit(2, "terminal", True), {(0, 1, "terminal", None)}),
    "legal move missing": (edit(5, "legal", [["hold"], ["hold"]]), {(0, 4, "legal", "ann")}),
    "legal move too many": (
        edit(1, "legal", [["(raise 0)", "hold"], ["hold", "ruin"]]),
        {(0, 0, "legal", "bob")},
    ),
    "goal wrong": (edit(5, "goals", [["30", "100"], 71]), {(0, 4, "goals", "bob")}),
    "goal for none": (edit(1, "goals", [None, 0]), {(0, 0, "goals", "bob")}),
    "goal missing": (edit(5, "goals", [100, 70]), {(0, 4, "goals", "ann")}),
    "other legal move": (edit(3, "move", ["hold", "hold"]), {(0, 2, "next", None)}),
    "illegal move": (edit(3, "move", ["(raise 1)", "ruin"]), {(0, 2, "move", "bob")}),
    "unknown move": (edit(3, "move", ["jump", "hold"]), {(0, 2, "move", "ann")}),
}


@pytest.mark.parametrize("kind", CORRUPTIONS)
def test_corruption_is_found(
    tmp_path: Path, records: list[Record], backend: Backend, kind: str
) -> None:
    corrupt, expected = CORRUPTIONS[kind]
    broken = copy.deepcopy(records)
    corrupt(broken)
    report = replay(write(tmp_path / "count", broken), backend)
    assert found(report) == expected
    assert report.mismatches == len(report.details) > 0


def test_other_roles_are_one_mismatch(
    tmp_path: Path, records: list[Record], backend: Backend
) -> None:
    broken = [{**records[0], "roles": ["bob", "ann"]}, *records[1:]]
    report = replay(write(tmp_path / "count", broken), backend)
    assert found(report) == {(0, 0, "roles", None)}


def test_a_mismatch_reads_well(tmp_path: Path, records: list[Record], backend: Backend) -> None:
    broken = copy.deepcopy(records)
    broken[4]["legal"][0] = ["(raise 9)", "hold"]
    (mismatch,) = replay(write(tmp_path / "count.gz", broken), backend).details
    assert str(mismatch) == (
        "count.gz:5: game 0, ply 3, legal of ann: expected (raise 9), found (raise 2)"
    )


MALFORMED: dict[str, tuple[Callable[[list[Record]], object], str]] = {
    "no header": (lambda r: r.pop(0), r":1: the first line must be"),
    "unknown type": (edit(2, "type", "stat"), r":3: a record has one of the types"),
    "ply skipped": (lambda r: r.pop(2), r":3: ply 2 of game 0 cannot follow ply 0"),
    "cut off": (lambda r: r.__delitem__(slice(4, None)), r":4: a move is recorded, but no state"),
    "late start": (lambda r: r.__delitem__(slice(1, 3)), r":2: a game starts at ply 0"),
    "move of one role": (edit(1, "move", ["hold"]), r':2: "move" needs one entry for each'),
    "legal missing": (lambda r: r[1].pop("legal"), r':2: "legal" needs one entry for each'),
    "state no list": (edit(1, "state", "fresh"), r':2: "state" must be a list of KIF terms'),
    "goal no number": (edit(1, "goals", ["high", 0]), r":2: 'high' is no goal"),
    "terminal no boolean": (edit(1, "terminal", 0.5), r':2: "game" and "ply" are integers'),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_traces_are_refused(tmp_path: Path, records: list[Record], kind: str) -> None:
    corrupt, message = MALFORMED[kind]
    broken = copy.deepcopy(records)
    corrupt(broken)
    path = write(tmp_path / "broken.jsonl", broken, zipped=False)
    with pytest.raises(GameError, match=message) as error:
        list(TraceFile(path))
    assert str(path) in str(error.value)


def test_damaged_files_are_refused(tmp_path: Path, records: list[Record]) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(write(tmp_path / "whole", records).read_bytes()[:200])
    with pytest.raises(GameError, match=r"cut\.gz:\d+: cannot be read"):
        list(TraceFile(cut))
    text = tmp_path / "text"
    text.write_text('{"type": "game", "roles": []}\nnonsense\n')
    with pytest.raises(GameError, match="text:2: not a JSON object"):
        list(TraceFile(text))
    with pytest.raises(GameError, match="absent:1: cannot be read"):
        TraceFile(tmp_path / "absent")


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(arguments))


@pytest.mark.parametrize("options", [[], ["--prover"]])
def test_the_command_counts_and_fails_on_mismatches(
    tmp_path: Path, records: list[Record], capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    rules = tmp_path / "count.kif"
    rules.write_text(RULES)
    good = str(write(tmp_path / "good.jsonl.gz", records))
    broken = copy.deepcopy(records)
    broken[1]["goals"] = [50, 50]
    bad = str(write(tmp_path / "bad.jsonl.gz", broken))

    assert run_command(str(rules), good, "--json", *options) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["states"], summary["games"], summary["mismatches"]) == (9, 2, 0)

    assert run_command(str(rules), good, bad, "--json", *options) == 1
    summary = json.loads(capsys.readouterr().out)
    assert (summary["states"], summary["mismatches"]) == (18, 2)
    assert summary["traces"][1]["details"][0]["what"] == "goals"

    assert run_command(str(rules), good, bad, "--quiet", *options) == 1
    assert capsys.readouterr().out == (
        "bad.jsonl.gz:2: game 0, ply 0, goals of ann: expected 50, found nothing\n"
        "bad.jsonl.gz:2: game 0, ply 0, goals of bob: expected 50, found nothing\n"
    )
    assert run_command(str(rules), good, *options) == 0
    assert capsys.readouterr().out == "good.jsonl.gz: 9 states of 2 games, 0 mismatches\n"


@pytest.mark.parametrize("name", NAMED)
def test_the_circuit_agrees_with_recorded_games(name: str) -> None:
    rules, trace = shared("games", f"{name}.kif"), shared("traces", f"{name}.jsonl.gz")
    report = replay(trace, CircuitBackend(Game.load(str(rules))))
    assert report.states > 10
    assert report.details == ()


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
