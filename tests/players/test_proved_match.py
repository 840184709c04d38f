"""Matches without a circuit, against the circuit where there is one, and where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neurogame.arena.run import run_arena
from neurogame.arena.schedule import Slot
from neurogame.arena.series import play_series
from neurogame.arena.settings import ArenaSettings
from neurogame.cli.main import main
from neurogame.errors import ConfigurationError, GameError, PlayerError
from neurogame.players.human import HumanPlayer
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.player import Player
from neurogame.players.players import make_player
from neurogame.players.record import MatchRecord
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.openings import Openings
from neurogame.simulate.game import Game
from neurogame.workers.settings import WorkerSettings
from tests.prover.heavy import HEAVY


def _players(game: Game, *texts: str) -> list[Player]:
    return [make_player(text, game, seed) for seed, text in enumerate(texts)]


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe", "pegs", "pursuit"])
def test_matches_are_those_of_the_circuit(name: str) -> None:
    game, compiled = Game.load(name, prover=True), Game.load(name)
    settings = MatchSettings(opening_plies=3, record_states=True, max_plies=30)
    players = _players(game, "mcts:sims=3", *["random"] * (len(game.roles) - 1))
    for seed in range(3):
        record = play_match(game, players, seed=seed, settings=settings)
        assert record.opening_plies == 3
        assert record.roles == compiled.roles
        assert record.states is not None
        state = compiled.initial_state()
        for joint, fluents in zip(record.moves, record.states[1:], strict=True):
            state = state.next(joint)
            assert state.fluent_texts == fluents
        assert record.ending == ("terminal" if state.is_terminal else "step limit")
        assert record.goals == tuple(float(goal or 0) for goal in state.goals)


@pytest.mark.parametrize("name", ["tictactoe3p", "connectfour_simultaneous", "lightsout"])
def test_states_say_what_those_of_the_circuit_say(name: str) -> None:
    game, compiled = Game.load(name, prover=True), Game.load(name)
    state, twin = game.initial_state(), compiled.initial_state()
    for turn in range(12):
        assert state.fluent_texts == twin.fluent_texts
        assert state.is_terminal == twin.is_terminal
        assert state.goals == twin.goals
        texts = [[game.moves[r][m] for m in own] for r, own in enumerate(state.legal_moves)]
        assert texts == [
            [compiled.moves[r][m] for m in own] for r, own in enumerate(twin.legal_moves)
        ]
        assert state == game.state(state.fluent_texts)
        assert hash(state) == hash(game.state(state.fluent_texts))
        if state.is_terminal:
            assert state.next(["nothing"] * len(game.roles)) is state
            break
        joint = [own[(7 * turn + role) % len(own)] for role, own in enumerate(texts)]
        state, twin = state.next(joint), twin.next(joint)
    assert state != game.initial_state()


def test_the_same_seed_plays_the_same_match() -> None:
    settings = MatchSettings(limit=Limit(simulations=5), opening_plies=2)
    records = []
    for seed in (4, 4, 5):
        game = Game.load("connectfour5", prover=True)
        # The numbers of moves depend on which were seen first; nothing may depend on them.
        assert game.initial_state().next(["(drop 4)", "noop"]).legal_moves
        players = _players(game, "mcts", "random")
        records.append(play_match(game, players, seed=seed, settings=settings))
    assert records[0].moves == records[1].moves != records[2].moves
    assert MatchRecord.from_json(records[0].to_json()) == records[0]


def test_search_beats_chance_in_both_roles() -> None:
    game = Game.load("tictactoe", prover=True)
    result = play_series(
        game,
        _players(game, "mcts:sims=60", "random"),
        20,
        seed=1,
        settings=MatchSettings(opening_plies=2),
    )
    assert result.as_dict()["scores"][0] >= 75


def test_openings_are_of_one_length_and_all_different() -> None:
    game = Game.load("tictactoe", prover=True)
    openings = Openings(game, 2, 5).first(60)
    assert len(openings) == 60
    states = {game.initial_state().next(first).next(second) for first, second in openings}
    assert len(states) == 60
    assert Openings(Game.load("tictactoe", prover=True), 2, 5).first(9) == openings[:9]
    # 9 x 8 positions after two moves, and no more.
    assert len(Openings(game, 2, 5).first(1000)) == 72


@pytest.mark.parametrize("name", HEAVY)
def test_what_can_hardly_be_grounded_is_played(name: str) -> None:
    game = Game.from_text(HEAVY[name], name, prover=True)
    settings = MatchSettings(limit=Limit(simulations=2), max_plies=12)
    players = _players(game, *["mcts"] * len(game.roles))
    record = play_match(game, players, settings=settings)
    assert record.length > 0
    assert record.ending in ("terminal", "step limit")


def test_who_is_late_loses_the_move() -> None:
    game = Game.load("tictactoe", prover=True)
    settings = MatchSettings(play_clock=1e-9, max_plies=6)
    record = play_match(game, _players(game, "mcts:sims=2", "random"), settings=settings)
    assert record.timeouts == record.decisions == (3, 3)


def test_a_person_plays() -> None:
    game = Game.load("tictactoe", prover=True)
    answers = iter(["state", "(mark 9 9)", "mark 2 2", "quit"])
    shown: list[str] = []
    human = HumanPlayer(lambda prompt: next(answers), shown.append)
    record = play_match(game, [human, *_players(game, "random")])
    assert record.ending == "abandoned"
    assert record.moves[0] == ("(mark 2 2)", "noop")
    assert any("(cell 1 1 b), (cell 1 2 b)" in text for text in shown)
    assert any("is not a move of xplayer" in text for text in shown)


@pytest.mark.parametrize("text", ["auto", "alphabeta:cilp", "mcts:cilp", "mcts:tree=rave", "solve"])
def test_players_that_need_the_circuit_are_refused(text: str) -> None:
    with pytest.raises(PlayerError, match="needs the circuit of the game"):
        make_player(text, Game.load("tictactoe", prover=True))


def test_what_needs_the_circuit_says_so() -> None:
    game = Game.load("tictactoe", prover=True)
    state = game.initial_state()
    for ask in (
        lambda: game.circuit,
        game.simulator,
        lambda: game.fluents,
        lambda: game.structure,
        lambda: state.batch,
        lambda: state.fluents,
        state.svg,
        lambda: make_player("alphabeta:cilp").start(MatchStart(game, 0, 0)),
    ):
        with pytest.raises(GameError, match="tictactoe is played by proofs, without a circuit"):
            ask()
    with pytest.raises(GameError, match=r"\(mark 1 1\) is not legal for role xplayer"):
        state.next(["(mark 1 1)", "noop"]).next(["noop", "(mark 2 2)"]).next([0, 0])
    player = make_player("mcts", game)
    player.start(MatchStart(game, 0, 0))
    with pytest.raises(GameError, match="tictactoe has a circuit"):
        player.choose(Game.load("tictactoe").initial_state(), Limit(simulations=1))


def test_a_wrong_number_of_players_is_refused() -> None:
    game = Game.load("tictactoe", prover=True)
    with pytest.raises(GameError, match="has 2 roles"):
        play_match(game, _players(game, "random"))
    with pytest.raises(GameError, match="has 2 roles"):
        play_series(game, _players(game, "random"), 2)


def test_arenas_are_played_and_go_on(tmp_path: Path) -> None:
    def settings(matches: int, *, prover: bool = True) -> ArenaSettings:
        return ArenaSettings(
            games=("tictactoe", "connectfour5"),
            players=("mcts:sims=3", "random"),
            matches=matches,
            prover=prover,
        )

    whole: dict[Slot, MatchRecord] = {}
    run_arena(settings(6), on_match=whole.__setitem__)
    run_arena(settings(2), output=tmp_path)
    rest: dict[Slot, MatchRecord] = {}
    run_arena(
        settings(6), output=tmp_path, workers=WorkerSettings(workers=2), on_match=rest.__setitem__
    )
    assert len(whole) == 12
    assert len(rest) == 8
    for slot, record in rest.items():
        assert record.moves == whole[slot].moves
    with pytest.raises(ConfigurationError, match="prover"):
        run_arena(settings(6, prover=False), output=tmp_path)


def test_commands_play_without_a_circuit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "heavy.kif"
    rules.write_text(HEAVY["exactly one"], encoding="utf-8")
    arguments = [str(rules), "--players", "random", "--matches", "2", "--json", "--prover"]
    assert main(["match", *arguments, "--record", str(tmp_path / "records")]) == 0
    assert json.loads(capsys.readouterr().out)["matches"] == 2
    (first, second) = sorted((tmp_path / "records").glob("*.json"))
    assert MatchRecord.from_json(first.read_text()).states
    assert second.name == "match-00001.json"
    assert main(["arena", "--game", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["matches"] == 2
