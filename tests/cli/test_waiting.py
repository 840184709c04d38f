"""What a person is told before they wait, and compiling ahead so that they need not."""

from __future__ import annotations

import importlib
import io
import itertools
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, get_type_hints
from unittest.mock import Mock, create_autospec

import pytest
from numba.core.caching import UserProvidedCacheLocator
from tqdm import tqdm

from benchmarks.silences import documented, overhear
from neurogame import compiling, first_use
from neurogame.cli import precompile
from neurogame.cli.main import main
from neurogame.cli.training.bar import training_bar
from neurogame.files import cache_folder
from neurogame.kernels.compile_jobs import JOBS
from neurogame.native import entries
from neurogame.native.struct import Struct
from neurogame.players.human import HumanPlayer
from neurogame.players.player import MatchAbandoned
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game
from neurogame.terminal import Terminal, never_silent
from neurogame.waiting import during, listen, said_later, say
from tests.library import Captured, Patch
from tests.processes import wait_until

MATCH = ["match", "tictactoe", "--matches", "1", "--players"]


@pytest.mark.parametrize(
    ("player", "told"),
    [
        (
            "mcts:features,gate=0.1,sims=2",
            ("random games for the weights", "trials of its uses", "evaluator: "),
        ),
        ("alphabeta:cilp,depth=1,refine=0.1", ("refined by self-play",)),
        ("auto:prepare=0.1,nodes=10", ("looks for the player that suits",)),
        ("heuristic:depth=1", ("rank heuristics",)),
    ],
)
def test_what_takes_seconds_is_told(player: str, told: tuple[str, ...], capsys: Captured) -> None:
    folder = cache_folder()
    assert folder is not None
    # What is known from earlier starts is not played again.
    for path in folder.glob("feature-sums-*"):
        path.unlink(missing_ok=True)
    assert main([*MATCH, player, "random"]) == 0
    said = capsys.readouterr().err
    assert [words for words in told if words not in said] == []
    assert main([*MATCH, player, "random", "--quiet"]) == 0
    said = capsys.readouterr().err
    assert [words for words in told if words in said] == []


class Clock:
    """Three seconds have passed at the first look, more than expected at the others."""

    def __init__(self) -> None:
        self.looks = 0

    def monotonic(self) -> float:
        self.looks += 1
        return (0.0, 3.0, 60.0)[min(self.looks, 3) - 1]


def test_a_bar_shows_how_far_it_is(monkeypatch: Patch) -> None:
    monkeypatch.setattr("neurogame.terminal._GLANCE", 0.001)
    monkeypatch.setattr("neurogame.terminal.time", Clock())
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", shown)
    listen(Terminal())
    with during("learning", 10):
        while "10 of 10 s" not in shown.getvalue():
            time.sleep(0.001)
    listen(None)
    seen = shown.getvalue()
    assert "learning: 0 of 10 s" in seen
    assert "learning: 3 of 10 s" in seen
    # What is late stands still.
    assert "60 of" not in seen


def terminal(monkeypatch: Patch) -> io.StringIO:
    """Let errors go to a terminal on which commands say at once what they are at."""
    monkeypatch.setattr("neurogame.terminal._GLANCE", 0.001)
    monkeypatch.setattr("neurogame.terminal._PATIENCE", 0.0)
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


@pytest.mark.parametrize("line", documented())
def test_no_command_of_the_documents_works_in_silence(line: str, monkeypatch: Patch) -> None:
    shown = terminal(monkeypatch)
    name, *words = shlex.split(line)
    command = importlib.import_module(f"neurogame.cli.{name}")

    def run(_: object) -> int:
        wait_until(lambda: "working: 0 s" in shown.getvalue())
        print("done", file=sys.stderr)
        return 0

    monkeypatch.setattr(command, "run", run)
    assert main([name, *words]) == 0
    # What is written takes the place of what was said, and nothing of it is left.
    gone = f"\r{' ' * len('working: 0 s')}\r"
    assert f"{gone}done" in shown.getvalue()
    assert shown.getvalue().endswith((gone, "\n"))


def test_bars_move_on_and_a_person_who_is_asked_is_not_told(
    monkeypatch: Patch,
) -> None:
    shown, seen = terminal(monkeypatch), list[str]()

    def think(_: str) -> str:
        print(file=sys.stderr)
        with tqdm(total=2, file=sys.stderr, bar_format="bar"):
            wait_until(lambda: shown.getvalue().count("bar") > 8)
        seen.append(shown.getvalue().partition("\n")[2])
        return "quit"

    player, state = HumanPlayer(think, lambda _: None), Game.load("nim").initial_state()
    player.start(MatchStart(state.game, 0, 0))
    with never_silent(), pytest.raises(MatchAbandoned):
        player.choose(state, Limit(seconds=1))
    assert [set(text.split()) for text in seen] == [{"bar"}]


def test_the_bar_of_a_run_is_over_when_its_time_is(monkeypatch: Patch) -> None:
    shown = terminal(monkeypatch)
    # Ten seconds of the processor were to be had.
    run = Mock(total=180.0, done=10.0, learn_until=0.0, game=Mock())
    with training_bar(run, hidden=False) as show:
        show({})
    seen = shown.getvalue()
    assert "  6%" in seen
    assert "100%" in seen


def test_a_silence_is_heard(tmp_path: Path) -> None:
    work = "import time; print('a'); end = time.process_time() + 0.3"
    found = overhear(
        [sys.executable, "-u", "-c", f"{work}\nwhile time.process_time() < end: pass\nprint('b')"],
        most=60,
        cwd=tmp_path,
    )
    assert (found.after, found.code) == ("a", 0)
    assert found.seconds >= 0.2


def test_a_library_is_silent(capsys: Captured) -> None:
    say("something")
    with during("something", 10):
        pass
    found = capsys.readouterr()
    assert found.out == found.err == ""


RULES = ["circuits, first half", "circuits, second half"]
# Alpha-beta tells which openings are decided.
SEARCHES = ["alpha-beta search", "tree search", "positions in search"]
EVERYTHING = [*JOBS, "serving"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: Patch) -> Path:
    """Keep the note that a version has been compiled in a folder of the test."""
    monkeypatch.setenv("NEUROGAME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fake(monkeypatch: Patch, *failing: str) -> list[list[str]]:
    """Let processes end at once, at a job that fails if it is theirs; return what each did."""
    ran: list[list[str]] = []

    def begin(jobs: list[str], _: dict[str, str]) -> subprocess.Popen[bytes]:
        ran.append(jobs)
        done = list(itertools.takewhile(lambda job: job not in failing, jobs))
        program = f"print(*{done!r}, sep='\\n'); raise SystemExit({len(done) < len(jobs)})"
        return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)

    monkeypatch.setattr(precompile, "_begin", begin)
    monkeypatch.setattr(precompile, "_LOOK", 0.01)
    return ran


def test_each_job_runs_once_and_then_never_again(cache: Path, monkeypatch: Patch) -> None:
    ran = fake(monkeypatch)
    assert main(["precompile", "--quiet", "--jobs", "2"]) == 0
    assert [len(jobs) for jobs in ran][2:] == [1]
    assert sorted(itertools.chain(*ran)) == sorted(EVERYTHING)
    assert ran[-1] == ["serving"]
    assert main(["precompile", "--quiet"]) == 0
    assert len(ran) == 3
    assert main(["precompile", "--quiet", "--force", "--jobs", "99"]) == 0
    assert [len(jobs) for jobs in ran][3:] == [1] * len(EVERYTHING)


def test_what_failed_is_named_and_tried_again(
    cache: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    fake(monkeypatch, "networks")
    assert main(["precompile", "--quiet"]) == 1
    said = capsys.readouterr().err
    assert "not compiled ahead" in said
    assert "networks" in said
    assert "alpha-beta search" not in said
    ran = fake(monkeypatch)
    assert main(["precompile", "--quiet"]) == 0
    assert sorted(itertools.chain(*ran)) == sorted(EVERYTHING)


def test_an_interrupt_ends_the_jobs(cache: Path, monkeypatch: Patch) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    def begin(*_: object) -> subprocess.Popen[bytes]:
        program = "import time; time.sleep(600)"
        begun.append(subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE))
        return begun[-1]

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(precompile, "_begin", begin)
    monkeypatch.setattr("time.sleep", interrupt)
    assert main(["precompile", "--quiet"]) == 130
    assert begun
    assert not any(job.poll() is None for job in begun)
    assert not list(cache.glob("precompiled-*"))


def test_code_for_a_wheel_goes_where_the_package_looks_for_it(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    (tmp_path / "neurogame" / "kernels").mkdir(parents=True)
    (tmp_path / "neurogame" / "kernels" / "sums.py").touch()
    locator: Any = UserProvidedCacheLocator
    named = locator.get_suitable_cache_subpath(str(tmp_path / "neurogame" / "kernels" / "sums.py"))
    asked: list[dict[str, str]] = []

    def begin(jobs: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        asked.append(environment)
        folder = Path(environment["NUMBA_CACHE_DIR"], named)
        folder.mkdir(exist_ok=True)
        for name in ("sums.nbi", "sums.1.nbc", "numba.lock"):
            (folder / name).write_bytes(b"code")
        program = f"print(*{jobs!r}, sep='\\n')"
        return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)

    monkeypatch.setattr(precompile, "_begin", begin)
    monkeypatch.setattr(precompile, "_LOOK", 0.01)
    monkeypatch.setattr(precompile, "FOLDER", tmp_path / "neurogame" / "machine_code")
    assert main(["precompile", "--cpu", "x86-64-v4", "--jobs", "1"]) == 0
    there = tmp_path / "neurogame" / "machine_code" / "x86-64-v4"
    files = [path.relative_to(there).as_posix() for path in there.rglob("*") if path.is_file()]
    assert sorted(files) == ["neurogame.kernels/sums.1.nbc", "neurogame.kernels/sums.nbi"]
    assert "a wheel that is built now takes it along" in capsys.readouterr().out
    assert {environment["NUMBA_CPU_NAME"] for environment in asked} == {"x86-64-v4"}
    assert "+avx512f" in asked[0]["NUMBA_CPU_FEATURES"].split(",")


def test_no_processes_are_no_choice(cache: Path, capsys: Captured) -> None:
    assert main(["precompile", "--jobs", "0"]) == 1
    assert "--jobs 0" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "told"), [([], 1), (["--quiet"], 0), (["--json"], 0)])
@pytest.mark.parametrize(
    ("module", "cores", "jobs"),
    [
        ("kernels.netlist.map_loops", 2, SEARCHES),
        ("search.mcts.compiled.run", 2, SEARCHES),
        ("search.mcts.compiled.run", 1, []),
        ("kernels.knowledge.scores", 2, []),
        (None, 2, []),
    ],
)
def test_a_command_compiles_side_by_side_and_says_so_once(
    module: str | None,
    cores: int,
    jobs: list[str],
    options: list[str],
    told: int,
    monkeypatch: Patch,
    capsys: Captured,
) -> None:
    from neurogame.cli import match

    ran = fake(monkeypatch)
    monkeypatch.setattr(precompile, "count_cores", lambda: cores)
    name = None if module is None else f"neurogame.{module}"

    def run(_: object) -> int:
        assert first_use.compiling(name) == (module is not None)
        assert not first_use.compiling(name)
        return 0

    monkeypatch.setattr(match, "run", run)
    assert main(["match", "nim", "--players", "mcts", "random", *options]) == 0
    assert sorted(itertools.chain(*ran)) == sorted([*jobs, *RULES] if jobs else [])
    said = capsys.readouterr().err
    assert said.count("compiling for the first time") == told
    assert ("NEUROGAME_CACHE" in said) == (told == 1 and module is None)
    # After the command nobody is asked.
    assert not first_use.compiling(name)
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        (
            "train nim --games 32",
            {
                *("networks", "networks in search", "rules network in search", "learning in lanes"),
                *("alpha-beta search", "tree search", "positions in search", "features", *RULES),
            },
        ),
        ("simulate nim", set(RULES)),
        ("play nim --level easy", {*SEARCHES, *RULES, "rules network in search"}),
        (
            "learn nim --action",
            {*RULES, *SEARCHES[1:], "networks", "learning in lanes", "features"},
        ),
        ("check nim", set()),
    ],
)
def test_jobs_are_chosen_by_whole_words(line: str, needed: set[str]) -> None:
    assert {name for name, job in JOBS.items() if job.is_needed(line)} == needed


@pytest.mark.parametrize("name", list(JOBS))
def test_what_jobs_name_is_there(name: str, monkeypatch: Patch) -> None:
    job = JOBS[name]
    # Before the stand-in is there: a module that is loaded meanwhile would keep it for good.
    loaded = {
        module: importlib.import_module(f"neurogame.{module}")
        for module in (*job.modules, *(module for module, _ in job.entries))
    }
    called = create_autospec(entries.entry.__wrapped__)  # takes what the function itself takes
    monkeypatch.setattr(entries, "entry", called)
    monkeypatch.setattr(compiling, "compile_declared", lambda _: None)
    job.compile()
    assert called.call_count == sum(len(functions) for _, functions in job.entries)
    assert job.words
    for module, functions in job.entries:
        for function in functions:
            hints = get_type_hints(getattr(loaded[module], function))
            assert hints.pop("return") is type(None)
            assert all(issubclass(hint, Struct) for hint in hints.values())


def test_declared_types_are_those_of_the_calls() -> None:
    """Otherwise what was compiled ahead would be compiled again, for other types, at first use."""
    players = ["mcts:sims=64", "alphabeta:cilp,depth=2", "mcts:playout=mast,tree=rave,sims=64"]
    for one, other in itertools.pairwise(players):
        assert (
            main(["match", "tictactoe", "--players", one, other, "--matches", "2", "--json"]) == 0
        )
    called = 0
    for module in {name for job in JOBS.values() for name in job.modules}:
        for made in vars(importlib.import_module(f"neurogame.{module}")).values():
            if compiling.is_called_from_python(made, f"neurogame.{module}"):
                called += len(made.overloads)
                assert set(made.overloads) <= {compiling.declared_types(made.py_func)}, made
    assert called >= 8


def test_only_what_takes_long_is_said_later() -> None:
    told: list[str] = []
    with said_later(60.0, "it takes long", told.append):
        pass
    with said_later(0.0, "it took long", told.append):
        wait_until(lambda: bool(told))
    assert told == ["it took long"]
