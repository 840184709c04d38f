"""The command line as a whole: help, exit codes, one-line errors, interrupts, documents."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neurogame import __version__
from neurogame.cli import games
from neurogame.cli.main import COMMANDS, build_parser, main
from neurogame.evaluators.kinds import fresh_names
from tests.conftest import REPOSITORY
from tests.library import Captured, Patch, Refused
from tests.processes import PATIENCE, PROGRAM, environment, run, started

COMPLETE = {
    "games": ["games", "GAME"],
    "check": ["check", "GAME"],
    "fix": ["fix", "GAME", "--dry-run"],
    "convert": ["convert", "GAME"],
    "ground": ["ground", "GAME"],
    "replay": ["replay", "GAME", "trace.jsonl.gz"],
    "simulate": ["simulate", "GAME"],
    "features": ["features", "GAME"],
    "bench": ["bench", "GAME"],
    "train": ["train", "GAME"],
    "learn": ["learn", "GAME"],
    "play": ["play", "GAME"],
    "match": ["match", "GAME", "--players", "random", "random"],
    "arena": ["arena", "--game", "GAME", "--players", "random", "random"],
    "auto": ["auto", "GAME"],
    "serve": ["serve", "--player", "random"],
    "manage": ["manage", "GAME", "--players", "random", "random"],
    "inspect": ["inspect", "GAME"],
    "runs": ["runs"],
    "view": ["view", "GAME"],
    "reproduce": ["reproduce", "trutman", "htable", "--scale", "smoke"],
    "precompile": ["precompile"],
}


def exit_code(line: list[str]) -> int:
    """Return the exit code, whether main returns it or argparse exits with it."""
    try:
        return main(line)
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else -1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: Captured) -> None:
    assert exit_code([command, "--help"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(f"usage: neurogame {command}")
    assert COMMANDS[command] in " ".join(shown.out.split())
    assert shown.err == ""


def test_the_program_explains_itself(capsys: Captured) -> None:
    assert exit_code(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name}" in shown for name in COMMANDS)
    assert exit_code(["--version"]) == 0
    assert capsys.readouterr().out == f"neurogame {__version__}\n"


def test_commands_are_the_modules_of_the_room() -> None:
    modules = {path.stem for path in (REPOSITORY / "neurogame" / "cli").glob("*.py")}
    assert modules == {*COMMANDS, "main", "__init__"}
    assert set(COMPLETE) == set(COMMANDS)


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["no-such-command"],
        ["simulate"],
        ["check"],
        ["simulate", "tictactoe", "--games", "many"],
        ["match", "tictactoe"],
        ["train", "tictactoe", "--recipe", "magic"],
        *([*line, "--no-such-option"] for line in COMPLETE.values()),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2(line: list[str], capsys: Captured) -> None:
    assert exit_code(line) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("usage: neurogame")
    assert "error: " in shown.err.splitlines()[-1]


@pytest.mark.parametrize("command", [name for name, line in COMPLETE.items() if "GAME" in line])
@pytest.mark.parametrize("missing", ["tictactow", "missing.kif"])
def test_an_unknown_game_is_one_line_and_1(
    command: str, missing: str, tmp_path: Path, monkeypatch: Patch, refused: Refused
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused(*(missing if word == "GAME" else word for word in COMPLETE[command]))
    assert missing in said
    assert missing != "tictactow" or "did you mean tictactoe" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("line", "lowers"), [(["games"], False), (["ground", "nim"], True)])
def test_memory_that_runs_out_is_one_line_and_1(
    line: list[str], lowers: bool, monkeypatch: Patch, refused: Refused
) -> None:
    def run(_: object) -> int:
        raise MemoryError

    monkeypatch.setattr(f"neurogame.cli.{line[0]}.run", run)
    said = refused(*line)
    assert "out of memory" in said
    assert ("--memory" in said) is lowers


ARENA = "arena --game tictactoe --players alphabeta:mlp,depth=1 random"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{ARENA} --limit depth=0", "depth=0"),
        (f"{ARENA} --limit breadth=2", "unknown option 'breadth'"),
        (f"{ARENA} --sprt 50", "write elo0,elo1"),
        (f"{ARENA} --sprt=50,0", "elo0 below"),
        (f"{ARENA} --workers 0", "workers=0"),
        (f"{ARENA} --matches 0", "matches=0"),
        (f"{ARENA} --plot", "--output a folder"),
        (f"{ARENA} --plot plot.gif", "must end in .svg"),
        (f"{ARENA} --seed -4", "seed=-4"),
        ("bench tictactoe --backend magic", "backend 'magic' does not exist"),
        ("bench tictactoe --device magic", "device 'magic' is not there"),
        ("bench tictactoe --device xpu", "device 'xpu' is not there"),
        ("simulate tictactoe --device magic", "device 'magic' is not there"),
        ("simulate tictactoe --device xpu", "device 'xpu' is not there"),
        ("simulate tictactoe --device meta", "device 'meta' is not there"),
        ("simulate tictactoe --moves 0", "moves must be at least 1, not 0"),
        ("view tictactoe --export nowhere/my.html", "there is no folder nowhere"),
        ("view tictactoe --export my.html --plies 0", "max_plies=0"),
        ("inspect tictactoe --svg nowhere/my.svg", "there is no folder nowhere"),
        ("inspect tictactoe --svg .", "is a folder; name a file"),
        ("inspect tictactoe --rules --out nowhere/my.rules", "there is no folder nowhere"),
        ("bench tictactoe --runs 0", "at least 1"),
        ("bench tictactoe --seconds -1", "above 0"),
        ("bench tictactoe --threads 0", "at least 1"),
        (
            "learn nim --knowledge games=0",
            "knowledge: games=0; allowed: a whole number (at least 1)",
        ),
        ("learn tictactoe --knowledge games", "write name=value"),
        ("learn tictactoe --knowledge games=2,games=3", "each name once"),
        (
            "learn nim --knowledge magic=1",
            "knowledge: unknown option 'magic'; allowed are games, plies",
        ),
        ("learn tictactoe --knowledge true_goals=maybe", "allowed: on or off"),
        ("learn tictactoe --formulas steps=2", "--formulas is for --action"),
        ("learn tictactoe --action --formulas step=2", "action heuristic: unknown option 'step'"),
        ("learn tictactoe --action --formulas steps=0", "action heuristic: steps=0"),
        ("learn tictactoe --quiet --role red", "no role 'red'; roles are xplayer, oplayer"),
        ("learn tictactoe --out nowhere/my.pt", "there is no folder nowhere"),
        ("learn tictactoe --into missing.pt", "missing.pt: no such file"),
        ("serve --player stockfish", "unknown kind 'stockfish'"),
        ("serve --player mcts:sims=none", "sims='none'; a whole number"),
        ("serve --name 'two words'", "name='two words'; allowed: one word"),
        ("serve --port 65536", "port=65536; allowed: a whole number (0..65,535)"),
        ("serve --memory 0", "--memory 0: gigabytes above 0"),
        ("serve --allow-origin example.org", "an origin such as https://example.org, or *"),
        ("serve --allow-origin 'http://a\r\nb: c'", "an origin such as https://example.org, or *"),
        ("serve --silence -1", "silence=-1.0; allowed: a finite number (above 0)"),
        ("serve --player mcts --checkpoints x", "--checkpoints x: only for --player auto"),
        ("serve --player auto:a --checkpoints x", "--checkpoints x: only for --player auto"),
        ("serve --player auto,cheat=1", "unknown option 'cheat'"),
        ("serve --host 192.0.2.1", "cannot listen at 192.0.2.1:9147"),
        ("train nim --workers 0", "workers=0; allowed: a whole number (1..1,024)"),
        ("train nim --workers 2 --cluster tcp://x:1", "name one"),
        ("train nim --recipe paper --workers 2", "--workers: only with --recipe fitted"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_writes_nothing(
    line: str, said: str, tmp_path: Path, monkeypatch: Patch, refused: Refused
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refused(*shlex.split(line))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("interrupts")
def test_interrupted_is_130(monkeypatch: Patch, capsys: Captured) -> None:
    def interrupted(options: object) -> int:
        signal.raise_signal(signal.SIGINT)
        return 0

    monkeypatch.setattr(games, "run", interrupted)
    assert main(["games"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_interrupting_a_person_who_thinks(tmp_path: Path) -> None:
    with started(
        [*PROGRAM, "play", "tictactoe", "--opponent", "random"],
        cwd=tmp_path,
        env=environment(PYTHONUNBUFFERED="1"),
        stdin=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        # The list of moves: from here on the program waits for an answer.
        assert any("(mark 1 1)" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors.strip() == "interrupted"


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("line", [["games"], ["check", "tictactoe"], ["--help"]], ids=" ".join)
def test_a_closed_pipe_is_silent(line: list[str], unbuffered: str, tmp_path: Path) -> None:
    """As in ``neurogame games | true``; Python writes short outputs when it exits."""
    with started(
        [*PROGRAM, *line], cwd=tmp_path, env=environment(PYTHONUNBUFFERED=unbuffered)
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=PATIENCE) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize(
    ("line", "unbuffered"),
    [(["games"], ""), (["games"], "1"), (["simulate", "nim", "--games", "9"], "")],
    ids=["buffered", "unbuffered", "with torch"],
)
def test_a_full_disk_is_one_line(line: list[str], unbuffered: str, tmp_path: Path) -> None:
    with Path("/dev/full").open("w", encoding="ascii") as full:
        done = subprocess.run(
            [*PROGRAM, *line],
            cwd=tmp_path,
            env=environment(PYTHONUNBUFFERED=unbuffered),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: No space left on device: what was to be written is not complete"
    ]


def answer(line: list[str], capsys: Captured) -> dict[str, Any]:
    """Return the one JSON object that a command prints."""
    assert main([*line, "--json"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("\n") == 1
    parsed = json.loads(shown)
    assert isinstance(parsed, dict)
    return parsed


def test_ground_answers_in_json(capsys: Captured) -> None:
    found = answer(["ground", "tictactoe"], capsys)
    keys = {"roles", "fluents", "moves", "gates", "levels", "cycles", "seconds", "peak_mb"}
    assert keys <= set(found)
    assert (found["roles"], found["fluents"], found["moves"], found["cycles"]) == (2, 29, 20, 0)
    assert found["gates"] >= found["levels"] > 1
    assert found["seconds"] > 0
    assert found["peak_mb"] > 1
    stages = {row["name"]: row for row in found["stages"]}
    assert next(iter(stages)) == "reading and checking"
    assert {"static relations", "ground rules", "circuit"} <= set(stages)
    assert all(row["seconds"] >= 0 and row["peak_mb"] > 1 for row in stages.values())


def test_simulate_answers_in_json(capsys: Captured) -> None:
    line = ["simulate", "tictactoe", "--games", "64", "--seed", "5"]
    first, second = answer(line, capsys), answer(line, capsys)
    assert first["games"] == 64
    assert 64 * 5 <= first["plies"] <= 64 * 9
    assert first["mean_length"] == first["plies"] / 64
    assert set(first["mean_goals"]) == {"xplayer", "oplayer"}
    assert (first["plies"], first["goals"]) == (second["plies"], second["goals"])
    for name in ("seconds", "games_per_second", "plies_per_second", "backend"):
        assert first[name]


def test_the_package_is_a_command() -> None:
    found = run([sys.executable, "-m", "neurogame", "--version"])
    assert found.stdout == f"neurogame {__version__}\n"


def test_the_command_line_starts_without_torch() -> None:
    """Importing torch takes seconds; no one should wait for them to read a help text."""
    code = (
        "import sys\n"
        "from neurogame.cli.main import COMMANDS, build_parser\n"
        "for name in COMMANDS: build_parser(name)\n"
        "sys.exit('torch' in sys.modules)"
    )
    run([sys.executable, "-c", code])


@pytest.mark.parametrize("line", ["games", "convert nim", "fix nim --dry-run"])
def test_what_reads_rules_alone_imports_no_torch(line: str) -> None:
    """Of ``check``, see its own tests."""
    code = (
        "import sys; from neurogame.cli.main import main; code = main(sys.argv[1:]);"
        "sys.exit(code or ('torch' in sys.modules))"
    )
    run([sys.executable, "-c", code, *line.split()])


def test_only_the_wanted_command_declares_its_arguments() -> None:
    assert build_parser("games").parse_args(["games", "nim"]).name == "nim"
    with pytest.raises(SystemExit):
        build_parser("check").parse_args(["games", "nim"])


def test_every_kind_of_untrained_evaluator_is_on_the_page_of_commands() -> None:
    text = (REPOSITORY / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [kind for kind in fresh_names() if f"`{kind}`" not in text] == []


DOCUMENTS = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "checkpoints/README.md")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)


def blocks(document: Path) -> list[tuple[str, str]]:
    """Return language and text of each code block."""
    if not document.exists():
        return []
    return BLOCK.findall(document.read_text(encoding="utf-8"))


def lines() -> list[str]:
    """Return every documented command line of neurogame, continued lines joined."""
    found: list[str] = []
    for document in DOCUMENTS:
        for _, text in blocks(document):
            joined = text.replace("\\\n", " ").splitlines()
            found += [line for line in joined if line.startswith("neurogame ")]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("line", lines())
def test_the_parser_accepts_it(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    options = build_parser(words[0]).parse_args(words)
    assert options.command == words[0]
    assert callable(options.run)


def test_one_page_shows_every_command() -> None:
    shown = {
        line.split()[1]
        for _, text in blocks(REPOSITORY / "docs" / "commands.md")
        for line in text.splitlines()
        if line.startswith("neurogame ")
    }
    assert shown == set(COMMANDS)


def test_the_scripts_of_the_readme_can_be_run() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    scripts = set(re.findall(r"^\./([\w-]+)", text, flags=re.MULTILINE))
    assert {"quickstart", "run-tests"} <= scripts
    for script in scripts:
        assert os.access(REPOSITORY / script, os.X_OK)
