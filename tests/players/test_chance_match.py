"""Nobody is named for chance: matches play it, and count it for nobody."""

from __future__ import annotations

import pytest

from neurogame.arena.run import run_arena
from neurogame.arena.series import play_series
from neurogame.arena.settings import ArenaSettings
from neurogame.errors import GameError
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Symbol
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.playouts import play_out
from neurogame.kernels.leaves.policy import PlayoutPolicy
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.players.probe import probe
from neurogame.players.race import Race
from neurogame.prover.search import ProofSearch
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.packing import state_words
from neurogame.simulate.game import Game
from tests.search.test_chance import GAMBLER, GOALS


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
    play_out(own.rules, own.block, policy.policy, leaves, 5, 4)
    wins = int((own.block.values[:, 1] > 0.5).sum())
    assert abs(wins - leaves / 2) < 4 * (leaves / 4) ** 0.5
