"""One match: rules are kept, clocks are watched, faults are counted, records are complete."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from neurogame.arena.run import run_arena
from neurogame.arena.series import play_series
from neurogame.arena.settings import ArenaSettings
from neurogame.cli.main import main
from neurogame.errors import ConfigurationError, GameError, NeurogameError
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Symbol
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.playouts import play_out
from neurogame.kernels.leaves.policy import PlayoutPolicy
from neurogame.players.human import HumanPlayer
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.player import MatchAbandoned
from neurogame.players.players import make_player
from neurogame.players.probe import probe
from neurogame.players.race import Race
from neurogame.players.record import MatchRecord
from neurogame.prover.search import ProofSearch
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.packing import state_words
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State
from tests.players.scripted import Scripted, first_legal, last_legal
from tests.players.searching import Searching
from tests.search.test_chance import GAMBLER, GOALS

STUCK = """
(role one) (init (p a)) (<= (legal one go) (true (p a)))
(<= (next (p b)) (does one go)) (<= terminal (true (p z))) (goal one 30)
"""


@pytest.mark.parametrize(
    "name", ["tictactoe", "tictactoe3p", "connectfour_simultaneous", "lightsout", "prisoners"]
)
def test_records_replay_to_the_same_goals(name: str) -> None:
    game = Game.load(name)
    players = [make_player("random") for _ in game.roles]
    settings = MatchSettings(record_states=True, opening_plies=1)
    record = play_match(game, players, seed=5, settings=settings)
    state = game.initial_state()
    assert record.states is not None
    assert record.states[0] == state.fluent_texts
    for joint, fluents in zip(record.moves, record.states[1:], strict=True):
        state = state.next(joint)
        assert state.fluent_texts == fluents
    assert state.is_terminal
    assert record.ending == "terminal"
    assert record.goals == state.goals
    assert record.length == len(record.moves)
    assert record.roles == game.roles
    assert MatchRecord.from_json(record.to_json()) == record
    assert record.played is game
    sent = pickle.loads(pickle.dumps(record))
    assert sent == record
    assert sent.played is None


def test_same_seed_same_match(tictactoe: Game) -> None:
    def moves(seed: int) -> tuple[tuple[str, ...], ...]:
        players = [make_player("random"), make_player("alphabeta:cilp-paper", tictactoe)]
        return play_match(tictactoe, players, Limit(depth=1), seed).moves

    assert moves(1) == moves(1)
    assert len({moves(seed) for seed in range(6)}) > 1


def test_players_are_told_seed_role_and_limit_and_are_stopped(tictactoe: Game) -> None:
    players = [Scripted(first_legal), Scripted(last_legal)]
    play_match(tictactoe, players, Limit(nodes=7), seed=3)
    assert [player.role for player in players] == [0, 1]
    assert players[0].seeds != players[1].seeds
    for player in players:
        assert player.stops == 1
        assert set(player.limits) == {Limit(nodes=7)}


def test_forced_moves_are_made_without_asking(tictactoe: Game) -> None:
    def picky(state: State, role: int) -> int:
        assert len(state.legal_moves[role]) > 1
        return first_legal(state, role)

    players = [Scripted(picky), Scripted(picky)]
    record = play_match(tictactoe, players)
    assert record.ending == "terminal"
    assert record.decisions == tuple(len(player.limits) for player in players)
    assert sum(record.decisions) < 2 * record.length


def test_illegal_moves_are_replaced_and_counted(tictactoe: Game) -> None:
    for nonsense in (lambda state, role: -1, lambda state, role: 10**6):
        players = [Scripted(first_legal), Scripted(nonsense)]
        record = play_match(tictactoe, players, seed=2)
        assert record.ending == "terminal"
        asked = len(players[1].limits)
        assert record.illegal_moves == (0, asked)
        assert asked >= 2
        again = play_match(tictactoe, players, seed=2)
        assert again.moves == record.moves


def test_late_moves_are_replaced_and_counted(
    tictactoe: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("neurogame.players.match.time.perf_counter", lambda: now[0])

    def slow(state: State, role: int) -> int:
        now[0] += 3.0
        return first_legal(state, role)

    players = [Scripted(slow), Scripted(first_legal)]
    record = play_match(tictactoe, players, seed=1, settings=MatchSettings(play_clock=2.0))
    asked = len(players[0].limits)
    assert record.timeouts == (asked, 0)
    assert record.slowest_seconds == (3.0, 0.0)
    assert record.move_seconds == (3.0 * asked, 0.0)
    # Players are told to keep well within the clock.
    assert {limit.seconds for limit in players[0].limits} == {1.8}
    patient = play_match(tictactoe, players, seed=1, settings=MatchSettings(play_clock=3.0))
    assert patient.timeouts == (0, 0)


def test_late_starts_are_counted(tictactoe: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("neurogame.players.match.time.perf_counter", lambda: now[0])

    class Sleepy(Scripted):
        def start(self, match: MatchStart) -> None:
            now[0] += 5.0

    players = [Scripted(first_legal), Sleepy(first_legal)]
    record = play_match(tictactoe, players, settings=MatchSettings(start_clock=1.0))
    assert record.start_timeouts == (0, 1)
    assert record.start_seconds == (0.0, 5.0)
    # Players are told to keep well within the clock, or not to hurry where there is none.
    assert players[0].start_clocks == [0.9]
    play_match(tictactoe, [players[0], Scripted(first_legal)])
    assert players[0].start_clocks == [0.9, None]


def test_leaving_ends_the_match_and_stops_everybody(tictactoe: Game) -> None:
    def leave(state: State, role: int) -> int:
        raise MatchAbandoned

    players = [Scripted(first_legal), Scripted(leave)]
    record = play_match(tictactoe, players)
    assert (record.ending, record.length) == ("abandoned", 1)
    assert [player.stops for player in players] == [1, 1]


def test_players_are_stopped_when_one_breaks(tictactoe: Game) -> None:
    def break_down(state: State, role: int) -> int:
        raise ZeroDivisionError

    players = [Scripted(first_legal), Scripted(break_down)]
    with pytest.raises(ZeroDivisionError) as raised:
        play_match(tictactoe, players)
    assert raised.value.__notes__ == ["player scripted as oplayer after 1 plies"]
    assert [player.stops for player in players] == [1, 1]


def test_step_limit_and_stuck_games_end(tictactoe: Game) -> None:
    players = [Scripted(first_legal), Scripted(first_legal)]
    record = play_match(tictactoe, players, settings=MatchSettings(max_plies=2))
    assert (record.ending, record.length) == ("step limit", 2)
    stuck = play_match(Game.from_text(STUCK), [Scripted(first_legal)])
    assert (stuck.ending, stuck.length, stuck.goals) == ("stuck", 1, (30.0,))


def test_openings_are_random_and_do_not_end_the_game(tictactoe: Game) -> None:
    openings = set()
    for seed in range(12):
        players = [Scripted(first_legal), Scripted(first_legal)]
        settings = MatchSettings(opening_plies=4)
        record = play_match(tictactoe, players, seed=seed, settings=settings)
        assert record.opening_plies == 4
        assert record.length > 4
        openings.add(record.moves[:4])
    assert len(openings) > 6
    # Nine plies always end tic-tac-toe: the opening is shortened, the match still played.
    settings = MatchSettings(opening_plies=9)
    record = play_match(
        tictactoe, [make_player("random"), make_player("random")], settings=settings
    )
    assert 0 < record.opening_plies < 9
    assert record.ending == "terminal"


def test_json_names(tictactoe: Game) -> None:
    record = play_match(tictactoe, [make_player("random"), make_player("random")])
    values = json.loads(record.to_json())
    assert "states" not in values
    assert values["players"] == ["random", "random"]
    assert values["moves"][0][1] == "noop"
    assert sum(values["goals"]) == 100


def test_refusals(tictactoe: Game) -> None:
    with pytest.raises(GameError, match="1 players were given"):
        play_match(tictactoe, [make_player("random")])
    same: list[Any] = [make_player("random")] * 2
    for play in (play_match, lambda game, players: play_series(game, players, 2)):
        with pytest.raises(GameError, match="player 1 is the same object as one before"):
            play(tictactoe, same)
        with pytest.raises(GameError, match=r"player 0 is 'random'; .*make_player"):
            play(tictactoe, cast(Any, ["random", "random"]))
    wrong: dict[str, Any] = {"play_clock": 0.0, "opening_plies": -1, "max_plies": 0}
    for name, value in wrong.items():
        with pytest.raises(ConfigurationError, match=name):
            MatchSettings(**{name: value})


def test_a_match_plays_chance_itself() -> None:
    game = Game.load("pig")
    players = [make_player("mcts:sims=30", game), make_player("random", game)]
    record = play_match(game, players, seed=4, settings=MatchSettings(opening_plies=3))
    assert record.players == ("random", "mcts:sims=30", "random")
    assert record.roles == ("random", "first", "second")
    assert sum(record.of_players(record.goals)) == 100
    assert record.goals[0] == 0
    rolls = {joint[0] for joint in record.moves} - {"noop"}
    assert len(rolls) > 3
    assert (
        record.moves
        == play_match(game, players, seed=4, settings=MatchSettings(opening_plies=3)).moves
    )
    with pytest.raises(GameError, match=r"2 roles \(first, second\) beside chance, .* 3 players"):
        play_match(game, [*players, make_player("random", game)])


def test_a_series_swaps_the_players_and_not_chance() -> None:
    game = Game.load("pig")
    players = [make_player("mcts:sims=60", game), make_player("random", game)]
    seen = []
    result = play_series(game, players, 12, seed=2, on_match=lambda _, record: seen.append(record))
    assert {record.players for record in seen} == {
        ("random", "mcts:sims=60", "random"),
        ("random", "random", "mcts:sims=60"),
    }
    assert result.wins[0] + result.draws[0] + result.losses[0] == 12
    assert len(result.role_scores[0]) == 2
    assert result.scores[0] + result.scores[1] == pytest.approx(100)
    with pytest.raises(GameError, match="beside chance"):
        play_series(game, players[:1], 2)


@pytest.mark.parametrize("best", [100, 50])
def test_alone_the_best_goal_that_there_is_wins(best: int, tmp_path: Path) -> None:
    text = (
        "(role a) (init on) (<= (legal a ?m) (true on) (either ?m)) (either good) (either bad) "
        "(<= (next won) (does a good)) (<= terminal (not (true on))) "
        f"(<= (goal a {best}) (true won)) (<= (goal a 0) (not (true won)))"
    )
    game = Game.from_text(text)
    series = play_series(game, [make_player("random")], 20, 1)
    assert series.wins == (round(series.scores[0] / best * 20),)
    assert 0 < series.wins[0] < 20
    assert series.losses == (20 - series.wins[0],)
    path = tmp_path / "alone.kif"
    path.write_text(text)
    [pairing] = run_arena(
        ArenaSettings(games=(str(path),), players=("random",), matches=20)
    ).pairings
    assert 0 < pairing.wins[0] == 20 - pairing.losses[0] < 20


def test_an_arena_of_one_player_with_chance(tmp_path: object) -> None:
    path = f"{tmp_path}/gambler.kif"
    with open(path, "w", encoding="utf-8") as file:
        file.write(GAMBLER + GOALS["enemy"])
    settings = ArenaSettings(games=(path,), players=("mcts:sims=40", "random"), matches=8)
    (pairing,) = run_arena(settings).pairings
    assert pairing.scores[0] == 60
    assert pairing.scores[1] != 60


def test_races_and_probes_have_no_seat_for_chance() -> None:
    game = Game.load("pig")
    plain, other = Mcts(game, seed=1), Mcts(game, seed=2)
    costs = probe(game, plain, 5.0, Limit(simulations=8))
    assert costs.simultaneous == 0
    race = Race(game, plain, {"other": other}, plies=2, seed=3)
    for _ in race.steps(Limit(simulations=4), rounds=2):
        pass
    assert len(race.racers[0].rounds) == 2
    assert all(0 <= points <= 1 for points in race.racers[0].rounds)


def test_a_probe_tells_how_long_all_moves_take_where_they_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Game.load("tictactoe")
    search, looks = Searching(game), iter(range(9))
    plain = search.search

    def slow_at_first(state: State, role: int, limit: Limit) -> SearchResult:
        seconds = 0.5 if next(looks) < 4 else 0.05
        found = plain(state, role, limit)
        return SearchResult(**{**vars(found), "seconds": seconds, "simulations": 10})

    monkeypatch.setattr(search, "search", slow_at_first)
    costs = probe(game, search, 60.0)
    # Nine to six legal moves at first; at most eight choices, of which one in four takes longer.
    assert 6 * 0.05 <= costs.visit <= 8 * 0.05
    assert costs.branching * costs.simulation < 6 * 0.05


def test_proof_search_samples_chance() -> None:
    rules = parse_rules(GAMBLER + GOALS["friend"])
    search = ProofSearch(rules, 1)
    game = Game.from_rules(rules, "gambler", prover=True)
    found = search.search(game.initial_state().terms, 1, simulations=500)
    assert found is not None
    assert found.move == Symbol("safe")
    flip = search.search(game.state(["flip"]).terms, 1, simulations=200)
    assert flip is not None
    assert flip.value == pytest.approx(0.5, abs=0.01)


def test_playout_policies_have_no_opinion_of_outcomes() -> None:
    game, leaves = Game.from_text(GAMBLER + GOALS["friend"]), 512
    own, policy = (
        Leaves(game.circuit, leaves, depth=1, plies=4),
        PlayoutPolicy(game.circuit, leaves, kind="mast", epsilon=0.0),
    )
    heads, tails = (game.move_index("random", text) for text in ("heads", "tails"))
    policy.policy.scores[heads], policy.policy.scores[tails] = 1, 0
    own.block.states[:] = state_words(game.state(["flip"]).fluents.numpy())
    own.look(leaves)
    play_out(own.block, policy.policy, leaves, 5, 4)
    wins = int((own.block.values[:, 1] > 0.5).sum())
    assert abs(wins - leaves / 2) < 4 * (leaves / 4) ** 0.5


class Terminal:
    """Gives prepared answers and keeps what is shown."""

    def __init__(self, *answers: str) -> None:
        self._answers: Iterator[str] = iter(answers)
        self.shown: list[str] = []

    def read(self, prompt: str) -> str:
        self.shown.append(prompt)
        try:
            return next(self._answers)
        except StopIteration:
            raise EOFError from None

    def write(self, text: str) -> None:
        self.shown.append(text)

    def text(self) -> str:
        return "\n".join(self.shown)


def _choose(game: Game, *answers: str) -> tuple[str, Terminal]:
    terminal = Terminal(*answers)
    player = HumanPlayer(terminal.read, terminal.write)
    player.start(MatchStart(game, 0, 0))
    return game.moves[0][player.choose(game.initial_state(), Limit())], terminal


@pytest.mark.parametrize("answer", ["(mark 2 2)", "mark 2 2", "  ( MARK  2 2 ) ", "Mark 2  2"])
def test_moves_are_understood_as_text(tictactoe: Game, answer: str) -> None:
    move, _ = _choose(tictactoe, answer)
    assert move.lower() == "(mark 2 2)"


def test_moves_are_understood_as_numbers(tictactoe: Game) -> None:
    legal = tictactoe.initial_state().legal_moves[0]
    for number in (1, len(legal)):
        move, terminal = _choose(tictactoe, str(number))
        assert move == tictactoe.moves[0][legal[number - 1]]
        assert f"{number} {move}" in terminal.text()


def test_bad_answers_are_explained_and_asked_again(tictactoe: Game) -> None:
    move, terminal = _choose(
        tictactoe, "", "0", "99", "jump", "noop", "help", "moves", "state", "(mark 1 1)"
    )
    assert move.lower() == "(mark 1 1)"
    shown = terminal.text()
    assert "no move number 0" in shown
    assert "no move number 99; take 1 to 9" in shown
    assert "'jump' is not a move" in shown
    assert "noop is not legal now" in shown
    assert "Type the number of a move" in shown
    assert shown.count("9 (mark 3 3)") == 2


@pytest.mark.parametrize("answers", [("quit",), ("Q",), ()])
def test_leaving(tictactoe: Game, answers: tuple[str, ...]) -> None:
    with pytest.raises(MatchAbandoned):
        _choose(tictactoe, *answers)


def test_forced_moves_are_not_asked(tictactoe: Game) -> None:
    terminal = Terminal()
    player = HumanPlayer(terminal.read, terminal.write)
    player.start(MatchStart(tictactoe, 1, 0))
    state = tictactoe.initial_state()
    assert player.choose(state, Limit()) == state.legal_moves[1][0]


def test_play_command_plays_to_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "1")
    command = ["play", "tictactoe", "--opponent", "random", "--role", "OPlayer"]
    roles = Game.load("tictactoe").roles
    command[-1] = roles[1].upper()
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert f"You are {roles[1]}" in shown
    assert "The match is over" in shown
    assert any(verdict in shown for verdict in ("You win.", "You lose.", "A draw."))


def test_play_command_at_the_end_of_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def closed(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", closed)
    assert main(["play", "tictactoe", "--opponent", "random"]) == 0
    assert "You left after 0 moves." in capsys.readouterr().out


def test_match_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["match", "tictactoe", "--players", "alphabeta:cilp-paper,depth=2", "random"]
    command += ["--matches", "6", "--seed", "1", "--opening-plies", "1", "--json"]
    command += ["--record", str(tmp_path / "records")]
    assert main(command) == 0
    shown = capsys.readouterr()
    values = json.loads(shown.out)
    assert values["matches"] == 6
    assert values["players"] == ["alphabeta:cilp-paper,depth=2", "random"]
    assert values["wins"] + values["draws"] + values["losses"] == 6
    assert values["ci95"][0] <= values["win_rate"] <= values["ci95"][1]
    for name in ("scores", "illegal_moves", "timeouts", "distinct_games"):
        assert name in values
    files = sorted((tmp_path / "records").iterdir())
    assert len(files) == 6
    first = json.loads(files[0].read_text())
    assert len(first["states"]) == first["length"] + 1
    assert main([*command[:5], "--quiet", "--matches", "2"]) == 0
    assert "mean goal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--players", "random"], "2 roles"),
        (["--players", "random", "stockfish"], "stockfish"),
        (["--players", "random", "random", "--depth", "0"], "depth=0"),
        (["--players", "random", "random", "--matches", "0"], "matches=0"),
        (["--players", "random", "random", "--play-clock", "-1"], "play_clock"),
    ],
)
def test_match_command_refuses(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", "tictactoe", *arguments]) == 1
    shown = capsys.readouterr()
    assert complaint in shown.err
    assert shown.err.startswith("error: ")
    assert shown.out == ""


def test_a_game_may_be_named() -> None:
    players = [make_player("alphabeta:cilp,depth=1", "nim"), make_player("random")]
    named = play_match("nim", players, seed=3)
    assert named.goals == play_match(Game.load("nim"), players, seed=3).goals
    assert play_series("nim", players, 2).matches == 2
    with pytest.raises(NeurogameError, match="there is no library game named 'nimm'"):
        play_match("nimm", players)
    with pytest.raises(GameError, match="game: 7; a Game, the name of a library game or a path"):
        play_match(cast(Game, 7), players)
