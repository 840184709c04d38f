"""Running arenas: resuming, several processes, errors that lose nothing."""

from __future__ import annotations

import dataclasses
import io
import json
import multiprocessing
import os
import re
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from neurogame.arena import worker
from neurogame.arena.arena_result import ArenaResult
from neurogame.arena.run import ArenaError, run_arena
from neurogame.arena.schedule import Slot
from neurogame.arena.settings import ArenaSettings
from neurogame.arena.sprt import SprtSettings
from neurogame.errors import ConfigurationError, GameError, PlayerError, RulesError
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.players.player import Player
from neurogame.players.random_player import RandomPlayer
from neurogame.players.record import MatchRecord
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import Workplace, open_workplace
from tests.library import Patch
from tests.players.scripted import Scripted, first_legal, last_legal

QUICK = ArenaSettings(games=("tictactoe",), players=("random", "random"), matches=6)
PLAYERS = ("random", "alphabeta:mlp,depth=1")


def untimed(value: Any) -> Any:
    """Return results without what depends on the clock."""
    if isinstance(value, dict):
        return {k: untimed(v) for k, v in value.items() if "seconds" not in k}
    return [untimed(entry) for entry in value] if isinstance(value, list | tuple) else value


def same(one: ArenaResult, two: ArenaResult) -> bool:
    return bool(untimed(one.as_dict()) == untimed(two.as_dict()))


def changed(**values: Any) -> ArenaSettings:
    return dataclasses.replace(QUICK, **values)


def script(monkeypatch: Patch, *makers: Callable[[], Player]) -> None:
    """Replace the players, by their number."""

    def make(text: str, game: Game, seed: int) -> Player:
        return makers[seed]()

    monkeypatch.setattr(worker, "make_player", make)


def lines(folder: Path) -> list[str]:
    return (folder / "matches.jsonl").read_text().splitlines()


def test_players_games_and_limits_are_all_combined() -> None:
    seen: list[tuple[Slot, MatchRecord]] = []
    result = run_arena(
        changed(
            games=("tictactoe", "nim"),
            players=("random",) * 3,
            limits=(Limit(depth=1), Limit(depth=2)),
            matches=4,
        ),
        on_match=lambda slot, record: seen.append((slot, record)),
    )
    assert result.labels == ("random", "random #2", "random #3")
    found = [(p.game, p.limit, p.players) for p in result.pairings]
    pairs = [result.labels[:2], result.labels[::2], result.labels[1:]]
    assert found == [
        (game, limit, pair)
        for game in ("tictactoe", "nim")
        for limit in ("depth=1", "depth=2")
        for pair in pairs
    ]
    assert len(seen) == result.matches == 12 * 4
    assert not result.interrupted
    assert [(r.game, r.limit) for r in result.ratings] == [
        *(("tictactoe", "depth=1"), ("tictactoe", "depth=2")),
        *(("nim", "depth=1"), ("nim", "depth=2")),
        *((None, "depth=1"), (None, "depth=2")),
    ]
    assert all(set(entry.players) == set(result.labels) for entry in result.ratings)
    # All matches with one block number begin alike, whoever plays.
    for block in range(2):
        entries = [r for s, r in seen if s.block == block and r.game == "tictactoe"]
        assert len(entries) == 12
        assert len({r.seed for r in entries}) == len({r.moves[:4] for r in entries}) == 1


def test_openings_make_matches_of_deterministic_players_distinct(monkeypatch: Patch) -> None:
    script(monkeypatch, lambda: Scripted(first_legal), lambda: Scripted(last_legal))
    assert run_arena(changed(matches=40)).pairings[0].distinct_games > 34
    assert run_arena(changed(matches=40, opening_plies=0)).pairings[0].distinct_games == 2
    puzzle = run_arena(ArenaSettings(games=("lightsout",), players=("random",), matches=1))
    assert puzzle.opening_plies == (0,)


def test_results_do_not_depend_on_workers_nor_on_their_deaths(tmp_path: Path) -> None:
    """One arena in this process; one by two workers, of which one is killed on the way."""
    settings = changed(players=PLAYERS, matches=8)
    whole = run_arena(settings)
    finished = []

    def kill_a_worker(slot: Slot, record: MatchRecord) -> None:
        finished.append(slot)
        # No more often: all might hit the same match, and the third would end the arena.
        if len(finished) == 2:
            os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

    learned = tmp_path / "learned.pt"
    learner = changed(players=(f"alphabeta:cilp,depth=1,learn={learned}", "random"), matches=4)
    with open_workplace(WorkerSettings(workers=2)) as workplace:
        # Two processes learn into one file.
        run_arena(learner, workplace=workplace)
        assert load_checkpoint(learned).counters["matches"] == 4
        folder = tmp_path / "out"
        found = run_arena(settings, workplace=workplace, output=folder, on_match=kill_a_worker)
    assert same(found, whole)
    assert multiprocessing.active_children() == []
    assert len(lines(folder)) == len(finished) == 8


def test_arenas_in_which_a_player_learns_go_on(tmp_path: Path) -> None:
    learned = tmp_path / "learned.pt"
    for matches in (2, 4, 6):
        settings = changed(
            players=(f"alphabeta:cilp,depth=1,learn={learned}", "random"), matches=matches
        )
        assert run_arena(settings, output=tmp_path / "out").matches == matches
    assert load_checkpoint(learned).counters["matches"] == 6


class Backwards(Executor):
    """Plays what it is given last first."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, lambda: fn(*args, **kwargs)))
        if len(self._waiting) == 4:
            for waiting, call in reversed(self._waiting):
                waiting.set_result(call())
            self._waiting.clear()
        return future


@pytest.mark.parametrize("sprt", [None, SprtSettings(elo1=300, alpha=0.2, beta=0.2)])
def test_any_executor_gives_the_same_result(sprt: SprtSettings | None, monkeypatch: Patch) -> None:
    script(monkeypatch, lambda: Scripted(first_legal), RandomPlayer)
    settings = changed(matches=40, sprt=sprt)
    inline = run_arena(settings)
    assert same(run_arena(settings, workplace=Workplace(Backwards(), at_once=4)), inline)
    with ThreadPoolExecutor(1) as threads:
        assert same(run_arena(settings, workplace=Workplace(threads)), inline)
    if sprt is not None:
        assert inline.pairings[0].matches < 40
        assert not inline.interrupted


class Screen(io.StringIO):
    """Where somebody looks."""

    def isatty(self) -> bool:
        return True


def test_the_bar_shows_workers_and_what_is_under_way(monkeypatch: Patch) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    run_arena(QUICK, progress=True)
    assert "6/6" in screen.getvalue()
    assert "workers" not in screen.getvalue()
    with ThreadPoolExecutor(2) as threads:
        place = Workplace(threads, at_once=4, workers=2)
        run_arena(QUICK, workplace=place, progress=True)
    shown = re.findall(r"(\d)/6 .*?workers=2, under way=(\d)", screen.getvalue())
    # Told as they are handed out, before any is over.
    assert shown[:4] == [("0", str(number)) for number in (1, 2, 3, 4)]
    assert shown[-1] == ("6", "0")


def test_an_interrupted_arena_goes_on_where_it_stopped(tmp_path: Path) -> None:
    whole = run_arena(QUICK)

    def interrupt(slot: Slot, record: MatchRecord) -> None:
        if slot.block == 1:
            raise KeyboardInterrupt

    first = run_arena(QUICK, output=tmp_path, on_match=interrupt)
    assert (first.interrupted, first.matches) == (True, 3)
    assert json.loads((tmp_path / "results.json").read_text())["matches"] == 3
    kept = lines(tmp_path)
    # As after a kill while a line was written.
    with (tmp_path / "matches.jsonl").open("a") as stream:
        stream.write(kept[0][:50])
    seen: list[Slot] = []
    second = run_arena(QUICK, output=tmp_path, on_match=lambda slot, _: seen.append(slot))
    assert (len(seen), second.interrupted) == (3, False)
    assert same(second, whole)
    assert lines(tmp_path)[:3] == kept
    # Again: nothing left to do. More matches: the old ones count.
    assert same(run_arena(QUICK, output=tmp_path, on_match=lambda slot, _: seen.clear()), whole)
    assert seen
    longer = changed(matches=10)
    assert same(run_arena(longer, output=tmp_path), run_arena(longer))
    assert len(lines(tmp_path)) == 10


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"seed": 1}, "seed: 0 before, 1 now"),
        ({"matches": 4}, "matches: 6 before, 4 now"),
        ({"limits": (Limit(depth=3),)}, "limits: none before, depth=3 now"),
        ({"players": ("random", "alphabeta:mlp")}, "players: random random before"),
        ({"sprt": SprtSettings()}, "sprt: none before, 0,50,0.05,0.05 now"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_folder_of_other_settings_is_refused(
    values: dict[str, Any], words: str, tmp_path: Path
) -> None:
    run_arena(QUICK, output=tmp_path)
    with pytest.raises(ConfigurationError, match=words):
        run_arena(changed(**values), output=tmp_path)
    assert len(lines(tmp_path)) == 6


def test_changed_files_are_refused(tmp_path: Path) -> None:
    rules = tmp_path / "game.kif"
    text = (Path(__file__).parents[2] / "games" / "tictactoe.kif").read_text()
    rules.write_text(text)
    settings = changed(games=(str(rules),), matches=2)
    run_arena(settings, output=tmp_path / "out")
    rules.write_text(text + "; the end\n")
    with pytest.raises(ConfigurationError, match=r"the file of .*game\.kif has changed"):
        run_arena(settings, output=tmp_path / "out")


def test_damaged_folders_are_refused(tmp_path: Path) -> None:
    run_arena(QUICK, output=tmp_path)
    matches, good = tmp_path / "matches.jsonl", lines(tmp_path)
    for bad in ("{", "[]", good[1].replace('"block": 0', '"block": 99')):
        matches.write_text("\n".join([good[0], bad, *good[2:]]) + "\n")
        with pytest.raises(ConfigurationError, match=r"line 2, is damaged .* delete this line"):
            run_arena(QUICK, output=tmp_path)
    matches.write_text(good[0] + "\n")
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"settings.json cannot be read"):
        run_arena(QUICK, output=tmp_path)
    (tmp_path / "settings.json").unlink()
    with pytest.raises(ConfigurationError, match=r"without settings.json"):
        run_arena(QUICK, output=tmp_path)


def test_two_arenas_in_one_folder_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="this system cannot lock files")

    def again(slot: Slot, record: MatchRecord) -> None:
        with pytest.raises(ConfigurationError, match="another arena is writing here"):
            run_arena(QUICK, output=tmp_path)

    assert run_arena(QUICK, output=tmp_path, on_match=again).matches == 6


def test_a_player_that_raises_ends_the_arena_and_loses_nothing(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    asked = []

    def fail(state: State, role: int) -> int:
        asked.append(role)
        if len(asked) > 8:
            raise ZeroDivisionError("by nothing\nat all")
        return first_legal(state, role)

    script(monkeypatch, RandomPlayer, lambda: Scripted(fail, "nervous"))
    with pytest.raises(ArenaError) as raised:
        run_arena(QUICK, output=tmp_path)
    text = str(raised.value)
    assert "\n" not in text
    assert "player nervous as " in text
    assert "ZeroDivisionError: by nothing at all; finished matches are kept in" in text
    assert raised.value.result.matches == len(lines(tmp_path)) > 0
    assert "in fail" in getattr(raised.value.__cause__, "failure").trace  # noqa: B009


def test_players_choose_once_before_the_first_match(monkeypatch: Patch) -> None:
    """Compiling takes long; it must not count as thinking."""
    limits: list[Limit] = []

    class Compiled(Scripted):
        def choose(self, state: State, limit: Limit) -> int:
            limits.append(limit)
            if len(limits) == 1:
                raise MemoryError("the compiler is not at home")
            return super().choose(state, limit)

    script(monkeypatch, RandomPlayer, lambda: Compiled(last_legal))
    records: list[MatchRecord] = []
    settings = changed(matches=2, limits=(Limit(nodes=30),))
    result = run_arena(settings, on_match=lambda _, record: records.append(record))
    assert result.matches == 2
    decisions = records[0].decisions[1] + records[1].decisions[0]
    assert limits == [Limit(nodes=1, depth=1, simulations=1)] + [Limit(nodes=30)] * decisions


class Broken(Executor):
    """Plays three matches, and dies."""

    played = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.played < 3:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(BrokenExecutor("dead"))
        self.played += 1
        return future


def test_what_was_finished_when_an_executor_broke_is_kept() -> None:
    with pytest.raises(ArenaError, match="workers died over a match") as raised:
        run_arena(QUICK, workplace=Workplace(Broken(), at_once=6))
    assert raised.value.result.matches == 3


def test_refused_settings() -> None:
    for values, words in (
        ({"games": ()}, "games: none"),
        ({"players": ()}, "players: none"),
        ({"games": ("nim", "nim")}, "'nim' is named twice"),
        ({"limits": (Limit(), Limit())}, "limits: '' is named twice"),
        ({"matches": 0}, "matches=0"),
        ({"seed": -1}, "seed=-1"),
        ({"opening_plies": -1}, "opening_plies=-1"),
        ({"play_clock": 0.0}, "play_clock"),
        ({"max_plies": 0}, "max_plies=0"),
        ({"max_plies": 3, "opening_plies": 3}, "max_plies=3; allowed: more than the 3 random"),
        ({"players": ("random",), "sprt": SprtSettings()}, "sprt compares players"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            changed(**values)
    with pytest.raises(PlayerError, match="human"):
        changed(players=("random", "human"))
    with pytest.raises(PlayerError, match="unknown kind"):
        changed(players=("random", "chess"))
    with pytest.raises(ConfigurationError, match="workers=0"):
        WorkerSettings(workers=0)
    # Each would be a thread or a process, until the machine has no more.
    with pytest.raises(ConfigurationError, match=r"1\.\.1,024"):
        WorkerSettings(workers=9999999)
    with pytest.raises(ConfigurationError, match="name one"):
        WorkerSettings(workers=2, cluster="tcp://127.0.0.1:1")


def test_games_and_players_are_checked_before_anything_is_written(tmp_path: Path) -> None:
    learner = f"alphabeta:cilp,depth=1,learn={tmp_path / 'learned.pt'}"
    both = changed(games=("tictactoe", "nim"), players=(learner, "random"))
    for settings, error, words in (
        (both, PlayerError, "holds one game, and there are tictactoe and nim"),
        (changed(games=("tictactoe", "tictactoe3p")), GameError, "3 roles"),
        (changed(games=("tictactow",)), RulesError, "did you mean tictactoe"),
        (changed(players=("random", "alphabeta:none.pt")), PlayerError, "none.pt"),
    ):
        with pytest.raises(error, match=words):
            run_arena(settings, output=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match=r"--output .*file"):
        run_arena(QUICK, output=tmp_path / "file")
