"""Processes start warm and die when they should; the log has a line per event."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import PlayerError
from neurogame.ggp.server.match_log import MatchLog, file_name
from neurogame.ggp.server.processes import ChildProcess, Processes
from neurogame.ggp.server.warm import rehearsals
from neurogame.players.spec import PlayerSpec
from tests.conftest import REPOSITORY
from tests.processes import PATIENCE, run, started

TARGETS = "tests.ggp.server.child_targets"


def launch(
    processes: Processes, name: str, given: object = None, memory: int | None = None
) -> ChildProcess:
    return processes.launch(f"{TARGETS}:{name}", given, memory)


def test_messages_go_both_ways_and_a_kill_leaves_nothing(processes: Processes) -> None:
    child = launch(processes, "echo", ("any", 1))
    assert child.connection.recv() == ("any", 1)
    for number in range(3):
        child.post(number)
        assert child.connection.recv() == number
    assert child.is_alive()
    assert child.ending == ""
    child.kill()
    child.kill()
    assert not child.is_alive()
    assert child.ending == "killed by SIGKILL"
    assert child.pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)
    child.post("too late")


def test_who_does_not_read_never_makes_others_wait(processes: Processes) -> None:
    child = launch(processes, "sleep")
    assert child.connection.recv() is True, "Ctrl-C must be left to the server"
    for _ in range(100):
        child.post("x" * 100_000)
    child.kill()


def test_files_and_threads_do_not_pile_up(processes: Processes) -> None:
    def cycle() -> None:
        child = launch(processes, "echo", "there")
        assert child.connection.recv() == "there"
        child.post("back")
        child.kill()

    cycle()
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(5):
        cycle()
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


@pytest.mark.skipif(sys.platform != "linux", reason="no other system limits memory like this")
def test_memory_is_limited(processes: Processes) -> None:
    size, limit = 2**20, 50 * 2**20
    child = launch(processes, "eat", size, limit)
    assert child.connection.poll(PATIENCE)
    # What the process has already and does not use comes on top.
    assert limit // 2 < child.connection.recv() < 10 * limit
    child.kill()


def test_close_ends_what_is_left() -> None:
    made = Processes("random", copied=False)  # Copies of other tests stay.
    child = launch(made, "spin")
    assert child.connection.poll(PATIENCE)
    made.close()
    assert not child.is_alive()
    with pytest.raises(ConnectionError, match="the server ends"):
        launch(made, "spin")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process ends a moment later")
def test_a_copy_outlives_what_it_was_copied_from_and_can_be_killed() -> None:
    """In a program of its own: those of other tests stay warm."""
    text = f"""
        import os, signal
        from multiprocessing import forkserver
        from pathlib import Path
        from neurogame.ggp.server.processes import Processes
        if __name__ == "__main__":
            made = Processes("random")
            assert made.warm_up() == ()
            child = made.launch('{TARGETS}:spin', None)
            child.connection.recv()
            server = forkserver._forkserver._forkserver_pid
            os.kill(server, signal.SIGKILL)
            os.waitid(os.P_PID, server, os.WEXITED | os.WNOWAIT)
            assert child.is_alive()
            second = made.launch('{TARGETS}:echo', "at once")
            assert second.connection.recv() == "at once"
            child.kill()
            stat = Path(f"/proc/{{child.pid}}/stat")
            print(stat.read_text().rpartition(")")[2].split()[0] if stat.exists() else "gone")
    """
    line = [sys.executable, "-c", textwrap.dedent(text)]
    # Who takes over a dead process's children may not look at how they end: they are Z then.
    assert run(line, cwd=REPOSITORY).stdout in ("gone\n", "Z\n")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is copied")
def test_what_others_are_copied_from_is_there_while_it_is_needed() -> None:
    """In a program of its own: those of other tests stay warm."""
    text = """
        import time
        from multiprocessing import forkserver
        from neurogame.ggp.server.processes import Processes
        from tests.processes import wait_until
        if __name__ == "__main__":
            made, server, said = Processes("random"), forkserver._forkserver, []
            assert made.warm_up() == ()
            assert server._forkserver_pid is not None
            made.watch(said.append)
            wait_until(lambda: server._forkserver_pid is None)
            assert not made.are_coming()
            made.need(time.monotonic() + 1000)
            assert made.are_coming()
            wait_until(made._forker.is_warm)
            assert not made.are_coming()
            made.need(0.0)
            wait_until(lambda: server._forkserver_pid is None)
            made.need(time.monotonic() + 1000)
            wait_until(lambda: server._forkserver_pid is not None)
            made.close()  # While it loads.
            assert server._forkserver_pid is None
            print(said)
    """
    assert run([sys.executable, "-c", textwrap.dedent(text)], cwd=REPOSITORY).stdout == "[]\n"


def test_nobody_outlives_a_server_that_was_killed() -> None:
    """Where processes are made in the way of systems without a fork server."""
    text = f"""
        import multiprocessing, time
        from neurogame.ggp.server.processes import Processes
        if __name__ == "__main__":
            multiprocessing.get_all_start_methods = lambda: ["spawn"]
            child = Processes('random').launch('{TARGETS}:spin', None)
            print(child.connection.recv(), flush=True)
            time.sleep(1000)
    """
    with started([sys.executable, "-c", textwrap.dedent(text)], cwd=REPOSITORY) as server:
        assert server.stdout is not None
        os.kill(int(server.stdout.readline()), 0)
        server.kill()
        # The child has the same standard output: it ends only when both have gone.
        server.communicate(timeout=PATIENCE)


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ("nonsense", "unknown kind 'nonsense'"),
        ("human", "people cannot play over HTTP"),
        ("alphabeta:nowhere.pt", "there is no"),
    ],
)
def test_players_that_cannot_be_made_are_refused(
    processes: Processes, player: str, said: str
) -> None:
    with pytest.raises(PlayerError, match=said):
        Processes(player).warm_up()


def test_a_broken_installation_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise AttributeError('half an installation')")
    text = """
        import os, sys
        from neurogame.errors import PlayerError
        from neurogame.ggp.server.processes import Processes
        if __name__ == "__main__":
            os.environ["PYTHONPATH"] = sys.argv[1]
            sys.path.insert(0, sys.argv[1])
            try:
                Processes("mcts").warm_up()
            except PlayerError as error:
                print(error)
    """
    line = [sys.executable, "-c", textwrap.dedent(text), str(tmp_path)]
    server = run(line, cwd=REPOSITORY, check=False)
    assert "player mcts cannot be made: AttributeError: half an installation" in server.stdout
    assert server.stderr == ""


@pytest.mark.parametrize(
    ("player", "own"),
    [
        ("random", ()),
        ("mcts", ()),
        ("nonsense", ()),
        ("mcts:sims=10,threads=4", ()),
        ("mcts:some/file.pt,tree=action,playout=mast", ("mcts:tree=action,playout=mast",)),
        ("mcts:some/file.pt,cutoff=2", ("mcts:cilp,cutoff=2",)),
        ("mcts:fuzzy,cutoff=2,device=cuda", ("mcts:fuzzy,cutoff=2",)),
        ("mcts:tree=gated", ("mcts:tree=gated,games=50,gate=1",)),
        ("alphabeta:some/file.pt,seconds=3,refine=60", ("alphabeta:cilp,refine=1",)),
        ("alphabeta:fluxplayer", ("alphabeta:fluxplayer",)),
        ("alphabeta:blind,seconds=3", ("alphabeta:blind",)),
        ("heuristic:seconds=3,history=0", ("heuristic:history=0",)),
    ],
)
def test_rehearsals_need_the_same_code_and_little_time(
    player: str, own: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.version.cuda", None)
    monkeypatch.setattr("torch.version.hip", None)
    found = rehearsals(player)
    assert set(found) == {*own, "mcts", "random"}
    assert all(str(PlayerSpec.parse(text)) == text for text in found)
    monkeypatch.setattr("torch.version.cuda", "12.4")
    assert not any("refine" in text for text in rehearsals(player))


def test_automatic_choice_rehearses_all_that_it_may_choose() -> None:
    found = " ".join(rehearsals("auto:checkpoints"))
    for part in ("tree=knowledge", "playout=action", "playout=mast", "alphabeta:cilp"):
        assert part in found


NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def lines(log: MatchLog) -> list[dict[str, Any]]:
    assert log.path is not None
    return [json.loads(line) for line in log.path.read_text().splitlines()]


def test_every_event_is_a_line_at_once(tmp_path: Path) -> None:
    heard: list[tuple[str, dict[str, Any]]] = []
    log = MatchLog(tmp_path / "new" / "folder", "m.1", lambda *event: heard.append(event))
    log.write("start", role="x")
    log.write("odd", what={1, 2}, text="é\n")
    assert [line["event"] for line in lines(log)] == ["start", "odd"]
    assert lines(log)[0]["role"] == "x"
    assert lines(log)[1]["text"] == "é\n"
    assert datetime.fromisoformat(lines(log)[0]["time"]).tzinfo is not None
    assert heard == [("start", {"role": "x"}), ("odd", {"what": {1, 2}, "text": "é\n"})]
    log.close()
    log.write("late")
    assert len(lines(log)) == 2


def test_two_matches_of_one_name_have_two_files(tmp_path: Path) -> None:
    logs = [MatchLog(tmp_path, "same") for _ in range(2)]
    for log in logs:
        log.write("start")
        log.close()
    assert len(list(tmp_path.iterdir())) == 2


def test_without_a_folder_only_the_listener_hears(tmp_path: Path) -> None:
    heard: list[str] = []
    log = MatchLog(None, "m", lambda event, _: heard.append(event))
    log.write("start")
    log.close()
    assert heard == ["start"]
    assert log.path is None


def test_where_nothing_can_be_written_it_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    log = MatchLog(tmp_path / "file", "m")
    for _ in range(3):
        log.write("start")
    log.close()
    assert capsys.readouterr().err.count("the log of the match ends here") == 1


def test_a_full_disk_is_said_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    log = MatchLog(tmp_path, "m")
    assert log._file is not None
    log._file.close()
    log._file = open("/dev/full", "w")  # noqa: SIM115
    for _ in range(3):
        log.write("start")
    log.close()
    assert capsys.readouterr().err.count("No space left") == 1


def test_threads_never_mix_their_lines(tmp_path: Path) -> None:
    log = MatchLog(tmp_path, "m")

    def write(number: int) -> None:
        for _ in range(50):
            log.write("e", n=number, text="x" * 500)

    threads = [Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(log)) == 200
    log.close()


@given(st.text())
def test_no_name_of_a_match_leaves_the_folder(match: str) -> None:
    name = file_name(match, NOW)
    assert Path(name).name == name
    assert len(name.encode()) < 200
    assert name.startswith("20260102T030405")


def test_different_names_give_different_files() -> None:
    names = ["a/b", "a_b", "a\\b", "../a", "a" * 100, "a" * 101, "", "."]
    assert len({file_name(name, NOW) for name in names}) == len(names)
