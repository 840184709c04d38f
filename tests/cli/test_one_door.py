"""One place decides which rulesheets are played: every command says the same of a sheet."""

from __future__ import annotations

import csv
import random
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from neurogame.circuit.compile import compile_rules
from neurogame.cli.main import main
from neurogame.errors import NonstandardWarning, RulesError
from neurogame.gdl.check import check_text, readable_rules
from neurogame.gdl.library import load_rules, read_text
from neurogame.ggp.server.rulesheet import game_of
from neurogame.prover.game import ProverGame
from neurogame.simulate.game import Game
from tests.conftest import REPOSITORY, SHARED, shared
from tests.reference.interpreter import ReferenceGame
from tests.simulate.test_replay import Record, record, write

SLOW = ("long_game_400", "static_join_8")
"""Cases about speed, which have tests of their own."""


def _cases() -> list[tuple[str, str, str]]:
    cases = []
    for folder, table in (("malformed", "verdicts.tsv"), ("field", "expected.tsv")):
        path = SHARED / "gdl-cases" / folder / table
        if not path.exists():
            return [("absent", "absent", "ok")]
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            cases += [(folder, row["case"], row["expected"]) for row in rows]
    return [case for case in cases if case[1] not in SLOW]


CASES = _cases()
REFUSED = [(folder, case) for folder, case, expected in CASES if expected == "error"]
PLAYED = [(folder, case) for folder, case, expected in CASES if expected != "error"]
NONSTANDARD = [(folder, case) for folder, case, expected in CASES if expected == "nonstandard"]


@pytest.fixture(autouse=True)
def _nonstandard_is_no_error() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonstandardWarning)
        yield


def _path(folder: str, case: str) -> Path:
    return shared("gdl-cases", folder, f"{case}.kif")


def _lines(path: Path, trace: Path, out: Path) -> dict[str, list[str]]:
    """Return a command line of each command that takes a rulesheet and needs no answer."""
    name = str(path)
    return {
        "ground": ["ground", name],
        "simulate": ["simulate", name, "--games", "4", "--backend", "torch"],
        "replay": ["replay", name, str(trace)],
        "features": ["features", name, "--games", "100"],
        "match": ["match", name, "--matches", "1", "--players", "random"],
        "auto": ["auto", name, "--clock", "1,1"],
        "arena": ["arena", "--game", name, "--players", "random", "--matches", "2"],
        "manage": ["manage", name, "--players", "random"],
        "train": ["train", name, "--seconds", "1", "--out", str(out)],
        "learn": ["learn", name, "--out", str(out / "x.pt")],
        "play": ["play", name, "--opponent", "random"],
        "inspect": ["inspect", name],
        "view": ["view", name, "--export", str(out.with_suffix(".html"))],
    }


@pytest.mark.parametrize(("folder", "case"), REFUSED)
def test_every_command_refuses_what_nobody_can_play(
    folder: str, case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _path(folder, case)
    assert main(["check", str(path)]) == 1
    first = next(x for x in capsys.readouterr().out.splitlines() if ": error: " in x)
    for name, line in _lines(path, tmp_path / "none.jsonl", tmp_path / "run").items():
        assert main(line) == 1, name
        assert first.replace(": error: ", ": ") in capsys.readouterr().err, name
    assert not (tmp_path / "run").exists(), "nothing is half-written"
    for load in (load_rules, Game.load):
        with pytest.raises(RulesError):
            load(path)
    with pytest.raises(RulesError):
        game_of(read_text(path), "game", None)


@pytest.mark.parametrize(("folder", "case"), PLAYED)
def test_circuit_interpreter_and_proofs_play_the_same_game(
    folder: str, case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _path(folder, case)
    text = read_text(path)
    rules = load_rules(path)
    records = _walk(ReferenceGame(rules), random.Random(case))
    trace = write(tmp_path / "trace.jsonl.gz", records)
    for options in ([], ["--prover"]):
        assert main(["replay", str(path), str(trace), *options]) == 0, options
        assert " 0 mismatches" in capsys.readouterr().out
    assert game_of(text, "game", None).fluents == compile_rules(rules).fluents
    # What answers while the circuit is made plays by the same rules.
    assert readable_rules(text) == rules
    assert ProverGame(readable_rules(text)).roles == Game.load(path).roles


def _walk(game: ReferenceGame, source: random.Random) -> list[Record]:
    """Return the records of a random game."""
    records: list[Record] = [{"type": "game", "key": "case", "roles": list(game.roles)}]
    state, roles = game.initial(), range(len(game.roles))
    for ply in range(12):
        legal = [sorted(game.legal(state, role), key=game.text) for role in roles]
        if game.terminal(state) or not all(legal):
            break
        joint = tuple(map(source.choice, legal))
        records.append(record(game, state, 0, ply, tuple(map(game.text, joint))))
        state = game.next(state, joint)
    records.append(record(game, state, 0, len(records) - 1, None))
    return [*records, {"type": "end", "game": 0, "reason": "terminal"}]


@pytest.mark.parametrize("case", ["not_in_term", "unused_unsafe"])
def test_every_command_plays_a_nonstandard_sheet(case: str, tmp_path: Path) -> None:
    path = _path("field", case)
    trace = write(tmp_path / "t.jsonl.gz", _walk(ReferenceGame(load_rules(path)), random.Random(1)))
    for name, line in _lines(path, trace, tmp_path / "run").items():
        if name not in ("manage", "play"):  # They wait for others.
            assert main(line) == 0, name


@pytest.mark.parametrize(("folder", "case"), NONSTANDARD)
def test_strict_refuses_what_is_nonstandard(
    folder: str, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _path(folder, case)
    assert main(["check", str(path), "--findings-only"]) == 0
    assert "nonstandard" in capsys.readouterr().out
    assert main(["check", str(path), "--findings-only", "--strict"]) == 1
    capsys.readouterr()
    assert main(["ground", str(path), "--strict"]) == 1
    assert capsys.readouterr().err.startswith(f"error: {path}:")


def test_a_command_says_in_one_line_what_is_nonstandard(capsys: pytest.CaptureFixture[str]) -> None:
    path = _path("field", "flat_base")
    warnings.simplefilter("always", NonstandardWarning)
    assert main(["simulate", str(path), "--games", "4", "--backend", "torch"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"warning: {path}:2:1: nonstandard: 'base' with 2 arguments")
    assert line.endswith("(4 findings of this kind; see 'neurogame check')")


def test_no_command_reads_rulesheets_past_the_door() -> None:
    """Only these read a text as it stands: they rewrite it, or read parts of rules."""
    readers = {
        path.relative_to(REPOSITORY / "neurogame").as_posix()
        for path in (REPOSITORY / "neurogame").rglob("*.py")
        if "import parse_rules" in path.read_text() or "import parse_with" in path.read_text()
    }
    assert readers <= {
        "gdl/__init__.py",
        "gdl/check.py",
        "cli/convert.py",
        "inspect/named_state.py",
        "learn/checkpoints/checkpoint.py",
    }


def test_findings_of_one_sheet_are_in_the_order_of_its_lines() -> None:
    for folder, case, _ in CASES:
        places = [finding.position for finding in check_text(read_text(_path(folder, case)))[1]]
        assert places == sorted(places)
