"""The player string: parsed, printed back, and refused with a useful message."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurogame.errors import CheckpointError, ConfigurationError, NeurogameError, PlayerError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.kinds import fresh_names
from neurogame.learn.checkpoints.checkpoint import save_checkpoint
from neurogame.players.alphabeta_player import AlphaBetaPlayer
from neurogame.players.human import HumanPlayer
from neurogame.players.players import make_player
from neurogame.players.random_player import RandomPlayer
from neurogame.players.search_player import SearchPlayer
from neurogame.players.spec import PlayerSpec
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State
from tests.library import checkpoint_of


@pytest.mark.parametrize(
    "text",
    [
        "random",
        "human",
        "alphabeta:cilp",
        "alphabeta:checkpoints/pentago.pt",
        "alphabeta:cilp-paper,depth=2",
        "alphabeta:a b/c:d.pt,seconds=0.5,nodes=100,outlook=margin,opponents=maxn",
        "alphabeta:cilp,noise=0.01",
        "alphabeta:cilp,transpositions=off",
        "mcts",
        "mcts:sims=1000",
        "mcts:seconds=1,playout=mast,tree=rave,lanes=64",
        "mcts:cilp,cutoff=2,urgency=0.5",
        "mcts:runs/c=1/best.pt,bias=10,solver=off",
        "mcts:sims=1000,playout=action,tree=action,tau=2,scaling=max,blend=0.5,mix=seed,ripe=3",
        "mcts:my.pt,tree=action,mix=seed,virtual=0.5,exploration=2",
        "mcts:playout=gated,tree=gated,gate=2.5",
        "mcts:my.pt,playout=knowledge,games=100",
        "mcts:tree=knowledge,games=9,policy=knowledge",
        "alphabeta:my.pt,refine=60",
        "alphabeta:blind,seconds=1",
        "alphabeta:max(number of (cell * * b), less that of w),depth=2",
        "alphabeta:min(a),depth=2",
        "alphabeta:my(1.pt,depth=2",
        "heuristic",
        "heuristic:seconds=1,history=0",
        "auto",
        "auto:checkpoints",
        "auto:seconds=1,prepare=5,threads=2",
    ],
)
def test_round_trip(text: str) -> None:
    spec = PlayerSpec.parse(text)
    assert str(spec) == text
    assert PlayerSpec.parse(str(spec)) == spec


def test_fields() -> None:
    spec = PlayerSpec.parse(" AlphaBeta : my.pt , depth = 3 , seconds=1")
    assert (spec.kind, spec.source) == ("alphabeta", "my.pt")
    assert spec.limit == Limit(seconds=1, depth=3)
    assert not spec.is_fresh
    assert PlayerSpec.parse("alphabeta:Cilp").is_fresh
    spec = PlayerSpec.parse("alphabeta:Max(a, less b (c)), depth=1")
    assert (spec.source, spec.is_fresh, spec.limit) == ("Max(a, less b (c))", True, Limit(depth=1))
    assert str(PlayerSpec.parse("heuristic,seconds=1")) == "heuristic:seconds=1"
    spec = PlayerSpec.parse("mcts: Sims = 200 , tree=rave")
    assert (spec.source, spec.limit, spec.settings) == (
        "",
        Limit(simulations=200),
        {"tree": "rave"},
    )


@pytest.mark.parametrize(
    ("text", "found", "allowed"),
    [
        ("", "''", "random, human, alphabeta"),
        ("minimax", "'minimax'", "random, human, alphabeta"),
        ("alphabeta", "no evaluator", "cilp, cilp-paper, random-net, mlp, fuzzy"),
        ("alphabeta:", "no evaluator", "checkpoint"),
        ("random:fast", "'random:fast'", "neither"),
        ("human,depth=1", "'human,depth=1'", "neither"),
        ("alphabeta:cilp,deep=1", "'deep'", "seconds, nodes, depth, opponents"),
        ("alphabeta:cilp,depth", "'depth'", "name=value"),
        ("alphabeta:cilp,depth=1,depth=2", "'depth=2'", "each name once"),
        ("alphabeta:cilp,depth=x", "'x'", "a whole number"),
        ("alphabeta:cilp,depth=0", "depth=0", "at least 1"),
        ("alphabeta:cilp,opponents=kind", "kind", "auto, paranoid, maxn"),
        ("alphabeta:cilp,noise=-1", "noise=-1", "at least 0"),
        ("alphabeta:fuzzy,noise=1", "noise", "cilp and cilp-paper"),
        ("alphabeta:nowhere.pt", "'nowhere.pt'", "cilp, cilp-paper, random-net"),
        ("alphabeta:cilp,device=tpu", "'tpu'", "cpu"),
        ("alphabeta:cilp,sims=5", "'sims'", "seconds, nodes, depth"),
        ("mcts:depth=3,sims=5", "'depth'", "seconds, nodes, sims, tree"),
        ("mcts:tree=oak", "'oak'", "uct, rave, grave, knowledge, action, values, gated"),
        ("mcts:playout=oak", "'oak'", "uniform, decisive, mast, knowledge, action, gated"),
        ("mcts:playout=action,blend=2", "blend=2", "0..1"),
        ("mcts:playout=action,tau=0", "tau=0", "above 0"),
        ("mcts:tree=action,mix=both", "'both'", "beta, seed"),
        ("mcts:tree=action,ripe=0", "ripe=0", "at least 1"),
        ("mcts:playout=knowledge,games=0", "games=0", "a whole number (at least 1)"),
        ("mcts:playout=knowledge,games=1.5", "games=1.5", "a whole number"),
        ("mcts:tree=gated,gate=-1", "gate=-1", "a finite number (at least 0)"),
        ("alphabeta:cilp,gate=1", "'gate'", "noise, device, refine"),
        ("alphabeta:cilp,refine=-1", "refine=-1", "a finite number (at least 0)"),
        ("mcts:tree=knowledge,policy=best", "policy=best", "random, knowledge"),
        ("auto:sims=3", "'sims'", "seconds, nodes, prepare, threads"),
        ("auto:prepare=0", "prepare=0", "a finite number (at least 0.01)"),
        ("auto:threads=1.5", "threads=1.5", "a whole number (at least 1)"),
        ("mcts:solver=1", "'1'", "on or off"),
        ("mcts:lanes=1000", "lanes=1000", "1..512"),
        ("mcts:urgency=x", "'x'", "first, parent or a finite number"),
        ("mcts:sims=0", "sims=0", "at least 1"),
        ("mcts:cutoff=2", "cutoff", "mcts:cilp,cutoff=2"),
        ("mcts:nowhere.pt,cutoff=2", "'nowhere.pt'", "cilp, cilp-paper"),
    ],
)
def test_refusals(text: str, found: str, allowed: str) -> None:
    with pytest.raises((PlayerError, ConfigurationError)) as caught:
        make_player(text)
    assert found in str(caught.value)
    assert allowed in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "note.pt"
    path.write_text("not a checkpoint")
    with pytest.raises(NeurogameError, match=r"note\.pt"):
        make_player(f"alphabeta:{path}")


def _checkpoint(game: Game, path: Path, **config: str) -> Path:
    evaluator = make_evaluator(game, "mlp", seed=3)
    save_checkpoint(path, checkpoint_of(game, evaluator, config=dict(config)))
    return path


def test_checkpoints_play_as_the_evaluator_they_hold(tmp_path: Path) -> None:
    game = Game.load("tictactoe")
    path = _checkpoint(game, tmp_path / "trained.pt")
    state = game.initial_state()
    results = []
    for text in (f"alphabeta:{path}", "alphabeta:mlp"):
        player = make_player(text, game, seed=3)
        assert isinstance(player, AlphaBetaPlayer)
        player.start(MatchStart(game, 0, 5))
        player.choose(state, Limit(depth=2))
        assert player.last is not None
        results.append((player.last.move, player.last.value))
    assert results[0] == results[1]
    with pytest.raises(CheckpointError, match="tictactoe"):
        make_player(f"alphabeta:{path}", Game.load("nim"))


def test_a_checkpoint_is_read_as_it_was_trained(tmp_path: Path) -> None:
    game = Game.load("tictactoe")
    path = _checkpoint(game, tmp_path / "trained.pt", outlook="margin")
    sums = {}
    for option in ("", ",outlook=own"):
        player = make_player(f"alphabeta:{path}{option}", game)
        assert isinstance(player, AlphaBetaPlayer)
        player.start(MatchStart(game, 0, 5))
        player.choose(game.initial_state(), Limit(depth=1))
        assert player.last is not None
        sums[option] = sum(player.last.value)
    # The margin is complementary for both roles, an untrained network's values are not.
    assert sums[""] == pytest.approx(1.0)
    assert sums[",outlook=own"] != pytest.approx(1.0, abs=1e-4)


def test_players_are_made() -> None:
    assert isinstance(make_player("random"), RandomPlayer)
    assert isinstance(make_player("human"), HumanPlayer)
    game = Game.load("tictactoe")
    state = game.initial_state()
    for source in fresh_names():
        player = make_player(f"alphabeta:{source}", game, seed=4)
        assert isinstance(player, AlphaBetaPlayer)
        assert player.name == f"alphabeta:{source}"
        player.start(MatchStart(game, 0, 1))
        assert player.choose(state, Limit()) in state.legal_moves[0]
        assert player.last is not None
        assert player.last.seconds < 1.5
        # Without a limit it has a second: it sees the end of this game, which is a draw; by plain
        # torch that takes longer.
        if source != "fuzzy":
            assert player.last.proved
            assert player.last.value == (0.5, 0.5)
        player.stop()
        with pytest.raises(PlayerError, match="start"):
            player.choose(state, Limit())


def test_the_stricter_limit_counts() -> None:
    game = Game.load("tictactoe")
    state = game.initial_state()
    player = make_player("alphabeta:cilp-paper,depth=2", game)
    assert isinstance(player, AlphaBetaPlayer)
    depths = []
    for limit in (Limit(), Limit(depth=1), Limit(depth=3), Limit(nodes=10**5)):
        player.start(MatchStart(game, 0, 1))
        player.choose(state, limit)
        assert player.last is not None
        depths.append(player.last.depth)
    assert depths == [2, 1, 2, 2]


def test_noise_makes_a_new_evaluator_for_every_match() -> None:
    game = Game.load("tictactoe")
    state = game.initial_state()
    values = {}
    for text in ("alphabeta:cilp-paper", "alphabeta:cilp-paper,noise=0.1"):
        player = make_player(text, game)
        assert isinstance(player, AlphaBetaPlayer)
        found = []
        for seed in (1, 2, 1):
            player.start(MatchStart(game, 0, seed))
            player.choose(state, Limit(depth=1))
            assert player.last is not None
            found.append(player.last.value)
        values[text] = found
    assert len(set(values["alphabeta:cilp-paper"])) == 1
    noisy = values["alphabeta:cilp-paper,noise=0.1"]
    assert noisy[0] == noisy[2] != noisy[1]


@pytest.mark.parametrize("text", ["alphabeta:cilp", "mcts"])
@pytest.mark.parametrize(
    ("own", "given", "used"),
    [
        ("", Limit(), Limit(seconds=1)),
        ("", Limit(depth=3, simulations=7), None),
        ("seconds=0.5", Limit(), Limit(seconds=0.5)),
        ("nodes=9", Limit(), Limit(nodes=9)),
        ("nodes=9", Limit(seconds=2), Limit(nodes=9, seconds=2)),
    ],
)
def test_without_a_limit_a_player_thinks_for_a_second(
    text: str, own: str, given: Limit, used: Limit | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Game.load("tictactoe")
    mark = "," if ":" in text else ":"
    player = make_player(f"{text}{mark}{own}" if own else text, game)
    assert isinstance(player, SearchPlayer)
    player.start(MatchStart(game, 0, 1))
    asked: list[Limit] = []
    assert player._search is not None
    search = player._search.search

    def record(state: State, role: int, limit: Limit) -> SearchResult:
        asked.append(limit)
        return search(state, role, Limit(nodes=100))

    monkeypatch.setattr(player._search, "search", record)
    player.choose(game.initial_state(), given)
    assert asked == [given if used is None else used]


def test_what_is_neither_checkpoint_nor_option_is_named() -> None:
    """An option that does not exist is not taken for the path of a checkpoint."""
    game = Game.load("tictactoe")
    with pytest.raises(PlayerError, match=r"'time=1' is neither .* options of mcts are seconds"):
        make_player("mcts:time=1", game, seed=0)
