"""Managed matches: every fault of a player is replaced and counted, and the match goes on."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

from neurogame.errors import ConfigurationError, GameError, PlayerError
from neurogame.ggp.manager.managed_match import ManagedMatch
from neurogame.ggp.manager.manager import play_http_match
from neurogame.ggp.manager.referee import load_referee
from neurogame.ggp.manager.series import play_http_series
from neurogame.ggp.manager.settings import ManagerSettings
from neurogame.simulate.game import Game
from tests.conftest import shared
from tests.ggp.manager.fake_players import (
    Answering,
    Interpreting,
    Seen,
    fake_player,
    slowly,
    wait_until_closed,
    well_behaved,
)

PENNIES = """
(role left) (role right) (init start) (face Heads) (face tails) (face Edge)
(<= (legal ?r (show ?f)) (role ?r) (face ?f) (true start))
(<= (next (shown ?r ?f)) (does ?r (show ?f)))
(<= terminal (not (true start)))
(<= (goal left 100) (true (shown left ?f)) (true (shown right ?f)))
(<= (goal left 0) (true (shown left ?f)) (true (shown right ?g)) (distinct ?f ?g))
(<= (goal right 50) (role right))
"""
CHANCE = """
(role red) (role random) (init start)
(legal red wait) (<= (legal random (roll ?n)) (side ?n)) (side 1) (side 2) (side 3)
(<= (next (rolled ?n)) (does random (roll ?n)))
(<= terminal (true (rolled ?n))) (goal random 0) (<= (goal red 50) (true (rolled ?n)))
"""
STUCK = """
(role one) (init (p a)) (<= (legal one go) (true (p a)))
(<= (next (p b)) (does one go)) (<= terminal (true (p z))) (goal one 30)
"""
SHORT = ManagerSettings(start_clock=5, play_clock=5)


@pytest.fixture(scope="module")
def pennies() -> Game:
    return Game.from_text(PENNIES, "pennies")


def one_move(game: Game, answering: Answering, **settings: Any) -> ManagedMatch:
    """Play a match of one ply in which the answer to PLAY is given."""

    def answer(seen: Seen) -> str | bytes | None:
        fixed = {"START": "ready", "STOP": "done", "ABORT": "aborted"}
        return fixed.get(seen.command) or answering(seen)

    with fake_player(answer) as player:
        conditions = {"start_clock": 5, "play_clock": 5, **settings}
        match = play_http_match(
            game, [player.address, "random"], ManagerSettings(**conditions), seed=1
        )
    assert match.ending == "terminal"
    assert len(match.record.moves) == 1
    return match


@pytest.mark.parametrize(
    "reply",
    [
        "( show Edge )",
        "(SHOW edge)",
        "  (show  EDGE) (explanation (none))",
        b"HTTP/1.1 500 Error\nContent-Length: 11\n\n(show Edge)",
        b"HTTP/1.0 200 OK\r\n\r\n(show Edge)",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nB\r\n(show Edge)\r\n0\r\n\r\n",
    ],
)
def test_legal_moves_in_any_dress_count(pennies: Game, reply: str | bytes) -> None:
    match = one_move(pennies, lambda seen: reply)
    assert match.faults == 0
    assert match.record.moves[0][0] == "(show Edge)"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("nil", "IL nil"),
        ("(show nothing)", "IL ( show nothing )"),
        ("(show Heads", "IL null"),
        ("", "IL null"),
        ("(((", "IL null"),
        ("busy", "IL busy"),
        (None, "CE"),
        (b"\x00\xff garbage", "CE"),
        (b"HTTP/1.0 200 OK\r\n\r\n" + b"(show Heads) " * 200_000, "CE"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n", "CE"),
    ],
)
def test_anything_else_is_replaced_and_counted(
    pennies: Game, reply: str | bytes | None, code: str
) -> None:
    match = one_move(pennies, lambda seen: reply)
    [left, _] = match.players
    assert match.faults == 1
    assert (left.illegal_moves, left.connection_errors, left.timeouts) == (
        int(code.startswith("IL")),
        int(code == "CE"),
        0,
    )
    assert match.record.errors == (("", ""), (code, ""))
    assert match.record.moves[0][0] in ("(show Heads)", "(show tails)", "(show Edge)")
    assert len(left.complaints) == 1


@pytest.mark.parametrize("move", ["(SHOW EDGE)", "(show edge)", "(Show Edge)"])
def test_strictly_the_spelling_counts(pennies: Game, move: str) -> None:
    assert one_move(pennies, lambda seen: move, strict=True).players[0].illegal_moves == 1
    sent_so = move.isupper()
    in_capitals = one_move(pennies, lambda seen: move, strict=True, upper_case=True)
    assert in_capitals.faults == (0 if sent_so else 1)
    assert one_move(pennies, lambda seen: move, strict=True, scramble=3).faults == 0


def late(seen: Seen) -> str:
    time.sleep(1.2)
    return "(show Edge)"


def test_a_late_move_is_a_timeout_but_not_within_the_grace(pennies: Game) -> None:
    lost = one_move(pennies, late, play_clock=1, grace=0)
    assert lost.players[0].timeouts == 1
    assert lost.record.errors[1] == ("TO", "")
    kept = one_move(pennies, late, play_clock=1, grace=30)
    assert kept.faults == 0
    assert kept.players[0].overtime == 1
    assert kept.players[0].slowest_seconds > 1
    assert kept.record.moves[0][0] == "(show Edge)"


def test_a_move_that_drips_beyond_the_clock_is_a_timeout(pennies: Game) -> None:
    reply = b"HTTP/1.0 200 OK\r\n" + b"X-Padding: yes\r\n" * 20
    match = one_move(pennies, slowly(reply, 0.02), play_clock=1, grace=0)
    assert match.players[0].timeouts == 1


def test_a_player_that_dies_before_the_match_is_over_costs_only_itself(tictactoe: Game) -> None:
    fallen: list[str] = []

    def answer(seen: Seen) -> str | None:
        fallen.append(seen.command)
        return "ready" if len(fallen) == 1 else None

    with fake_player(answer) as weak, fake_player(Interpreting()) as strong:
        match = play_http_match(tictactoe, [weak.address, strong.address], SHORT, seed=3)
    plies = len(match.record.moves)
    assert match.ending == "terminal"
    # All moves, and STOP.
    assert match.players[0].connection_errors == plies + 1
    assert match.players[1].faults == 0
    assert fallen == ["START", *["PLAY"] * plies, "STOP"]


def test_a_start_without_ready_is_noted_and_the_match_goes_on(pennies: Game) -> None:
    for reply, not_ready, code in [("busy", True, ""), (None, False, "CE"), ("READY", False, "")]:
        answers = {"START": reply, "PLAY": "(show Edge)", "STOP": "done"}

        def answer(seen: Seen, answers: dict[str, str | None] = answers) -> str | None:
            return answers[seen.command]

        with fake_player(answer) as player:
            match = play_http_match(pennies, ["random", player.address], SHORT)
        assert match.players[1].not_ready == not_ready
        assert match.record.errors == (("", code), ("", ""))


def test_the_messages_of_a_match_in_order() -> None:
    game = Game.load("tictactoe")
    settings = ManagerSettings(start_clock=7, play_clock=6, preview_clock=2)
    with fake_player(Interpreting()) as x, fake_player(Interpreting(1)) as o:
        match = play_http_match(game, [x.address, o.address], settings, seed=2)
    for player, role in ((x, "xplayer"), (o, "oplayer")):
        commands = [seen.command for seen in player.seen]
        plies = len(match.record.moves)
        assert commands == ["INFO", "PREVIEW", "START", *["PLAY"] * plies, "STOP"]
        name = match.record.match_id
        [start] = player.of("START")
        assert start.startswith(f"( START {name} {role} (( role xplayer ) ( role oplayer ) ")
        assert start.endswith(" ) 7 6)")
        assert player.of("PREVIEW")[0].endswith(" ) 2 )")
        assert player.of("PLAY")[0] == f"( PLAY {name} NIL )"
        spaced = [
            "".join(m.replace("(", "( ").replace(")", " )") + " " for m in joint)
            for joint in match.record.moves
        ]
        assert player.of("PLAY")[1:] == [f"( PLAY {name} ({joint}) )" for joint in spaced[:-1]]
        assert player.of("STOP") == [f"( STOP {name} ({spaced[-1]}) )"]
        receivers = {b"\r\nReceiver: Fake\r\n" in seen.raw for seen in player.seen[1:]}
        assert receivers == {True}


@pytest.mark.parametrize(
    ("name", "upper_case", "scramble"),
    [
        ("tictactoe_3player.kif", False, None),
        ("tictactoe_3player.kif", True, 11),
        ("connectFourSimultaneous.kif", True, None),
        ("biddingTicTacToe.kif", False, 12),
    ],
)
def test_players_that_only_know_the_rules_they_are_sent_play_without_fault(
    name: str, upper_case: bool, scramble: int | None
) -> None:
    referee = load_referee(shared("games", name))
    settings = ManagerSettings(upper_case=upper_case, scramble=scramble, strict=True)
    first, last = Interpreting(1), Interpreting(2)
    with fake_player(first) as one, fake_player(last) as other:
        middle = ["random"] * (len(referee.roles) - 2)
        match = play_http_match(referee, [one.address, *middle, other.address], settings, seed=5)
    assert match.ending == "terminal"
    assert match.faults == 0
    assert first.complaints == last.complaints == []
    assert first.final_goals == last.final_goals == [list(match.goals)]
    assert (referee.roles[0].lower() in first.rules.lower().split()) == (scramble is None)
    assert first.rules.isupper() == upper_case


def test_the_seed_decides_substitutes_and_random_moves(tictactoe: Game) -> None:
    def moves(seed: int, referee: str = "circuit") -> tuple[tuple[str, ...], ...]:
        judge = load_referee("tictactoe", "prover") if referee == "prover" else tictactoe
        with fake_player(well_behaved(lambda body: "nil")) as player:
            return play_http_match(judge, [player.address, "random"], SHORT, seed).record.moves

    assert moves(1) == moves(1) == moves(1, "prover")
    assert len({moves(seed) for seed in range(4)}) > 1


def test_a_failure_does_not_change_the_other_random_moves() -> None:
    game = Game.load("rockpaperscissors")

    def drawn(fails_at: int) -> list[str]:
        asked = 0

        def move(body: str) -> str:
            nonlocal asked
            asked += 1
            return "nil" if asked == fails_at else game.moves[0][0]

        with fake_player(well_behaved(move)) as player:
            match = play_http_match(game, [player.address, "random"], SHORT, 8)
        assert match.faults == int(fails_at > 0)
        return [joint[1] for joint in match.record.moves]

    assert drawn(0) == drawn(1) == drawn(3)
    assert len(set(drawn(0))) > 1


def test_the_role_random_is_played_by_the_manager() -> None:
    game = Game.from_text(CHANCE, "chance")
    with fake_player(well_behaved(lambda body: "wait")) as player:
        rolled = {
            play_http_match(game, players, SHORT, seed).record.moves[0][1]
            for seed in range(12)
            for players in ([player.address], [player.address, "random"])
        }
        assert rolled == {"(roll 1)", "(roll 2)", "(roll 3)"}
        with pytest.raises(GameError, match="is played by the manager"):
            play_http_match(game, ["random", player.address], SHORT)


def test_a_game_of_the_role_random_alone_has_a_player() -> None:
    """There it is no chance: nobody else plays."""
    game = Game.from_text(
        "(role random) (init on) (legal random (go 1)) (legal random (go 2)) "
        "(<= (next off) (does random (go 2))) (<= terminal (true off)) (goal random 100)"
    )
    with fake_player(well_behaved(lambda body: "(go 2)")) as player:
        match = play_http_match(game, [player.address], SHORT)
    assert (match.ending, match.faults, match.record.moves) == ("terminal", 0, (("(go 2)",),))


def test_endless_and_stuck_matches_are_aborted(tictactoe: Game) -> None:
    def end(game: Game, max_plies: int = 9) -> tuple[ManagedMatch, list[str]]:
        with fake_player(well_behaved(lambda body: "go")) as player:
            others = ["random"] * (len(game.roles) - 1)
            settings = ManagerSettings(max_plies=max_plies)
            match = play_http_match(game, [player.address, *others], settings)
        return match, [seen.command for seen in player.seen[1:]]

    match, commands = end(tictactoe, max_plies=2)
    assert match.ending == "step limit"
    assert commands == ["START", "PLAY", "PLAY", "ABORT"]
    assert (match.record.is_completed, match.record.is_aborted) == (False, True)
    assert match.goals == (None, None)
    match, commands = end(Game.from_text(STUCK, "stuck"))
    assert match.ending == "stuck"
    assert commands == ["START", "PLAY", "ABORT"]


@pytest.mark.usefixtures("interrupts", "patient_abort")
@pytest.mark.parametrize("at", ["START", "PLAY", "STOP"])
def test_ctrl_c_tells_the_players_and_keeps_the_record(tictactoe: Game, at: str) -> None:
    playing = Interpreting()
    done = False

    def answer(seen: Seen) -> str:
        nonlocal done
        last = seen.command == at and not done and (at != "PLAY" or seen.body.count("mark") == 1)
        if last:
            done = True
            os.kill(os.getpid(), signal.SIGINT)
            wait_until_closed(seen)
        return playing(seen)

    with fake_player(answer) as player:
        match = play_http_match(tictactoe, ["random", player.address], SHORT, seed=1)
        assert match.interrupted
        commands = [seen.command for seen in player.seen]
    if at == "STOP":
        assert match.ending == "terminal"
        assert commands[-1] == "STOP"
        assert match.record.is_completed
        return
    assert match.ending == "interrupted"
    assert commands[-1] == "ABORT"
    assert (match.record.is_completed, match.record.is_aborted) == (False, True)
    assert len(match.record.states) == len(match.record.moves) + 1 == len(match.record.errors)
    assert match.record.goals == ()


def test_roles_rotate_and_every_match_has_its_own_names() -> None:
    referee = load_referee("tictactoe3p")
    with fake_player(Interpreting(1)) as a, fake_player(Interpreting(2)) as b:
        players = [a.address, b.address, "random"]
        short = ManagerSettings(max_plies=1)
        series = play_http_series(referee, players, short, matches=3, rotate=True, seed=1)
        starts = [body.split()[3] for body in a.of("START")]
        assert starts == [referee.roles[number] for number in (0, 2, 1)]
        assert [match.players[1].player for match in series.matches] == ["Fake", "random", "Fake"]
        scrambled = ManagerSettings(scramble=6, max_plies=1)
        play_http_series(referee, players, scrambled, matches=2)
        rules = [body.split("(", 2)[2] for body in a.of("START")]
    assert [match.faults for match in series.matches] == [0, 0, 0]
    assert len({match.seed for match in series.matches}) == 3
    assert len(set(rules[:3])) == 1
    assert len(set(rules)) == 3


def test_players_that_cannot_play_are_named(tictactoe: Game) -> None:
    def refused(*players: str) -> str:
        with pytest.raises((GameError, PlayerError)) as caught:
            play_http_match(tictactoe, players, SHORT)
        return str(caught.value)

    with fake_player(lambda seen: None) as gone:
        pass
    message = refused("random", gone.address)
    assert gone.address in message
    assert f"neurogame serve --port {gone.port}" in message
    assert "has 2 roles" in refused("random")
    assert "given twice" in refused("127.0.0.1:1", "http://127.0.0.1:1")
    assert "no address of a player" in refused("random", "mcts")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("start_clock", 0),
        ("play_clock", 1.5),
        ("play_clock", 10**9),
        ("preview_clock", 0),
        ("grace", -1.0),
        ("grace", float("nan")),
        ("scramble", -1),
        ("max_plies", 0),
    ],
)
def test_settings_out_of_range(field: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=field):
        ManagerSettings(**{field: value})  # type: ignore[arg-type]
