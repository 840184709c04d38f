"""Gating: a judge that helps is used, one that misleads or says nothing is not."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
import torch

from neurogame.array_types import Bools, Float32s
from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.judges.moves import LINEAR, CompiledScores
from neurogame.learn.self_teaching import ENOUGH, SelfTeaching
from neurogame.players.auto.candidate import Candidate
from neurogame.players.auto.school import School
from neurogame.players.belief import NOTHING_LEARNED, SURE, UNTRIED, Belief, learned_belief
from neurogame.players.gate.evidence import measure_evidence
from neurogame.players.gate.gate import open_evaluator_gate, open_gate
from neurogame.players.gate.trials import Trials, TrialTerms
from neurogame.players.gate.uses import evaluator_uses
from neurogame.players.match import play_match
from neurogame.players.players import make_player
from neurogame.players.race import Race, Racer, doublings
from neurogame.players.random_player import RandomPlayer
from neurogame.players.sharing import sharing
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game, State
from tests.library import load, minimax
from tests.players.searching import Searching


class Judged:
    """A judge in Python: a move's score is a number that a function gives its text."""

    scale = LINEAR

    def __init__(self, game: Game, sign: float, perfect: bool = False) -> None:
        self.game, self.sign, self.perfect = game, sign, perfect
        self.known: dict[tuple[bytes, int, int], float] = {}

    def compiled_scores(self) -> CompiledScores | None:
        return None

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        found = np.zeros(legal.shape, np.float32)
        for row, (held, own) in enumerate(zip(fluents, legal, strict=True)):
            for move in np.flatnonzero(own).tolist():
                key = (held.tobytes(), move, role)
                if key not in self.known:
                    self.known[key] = self._score(held, move, role)
                found[row, move] = self.known[key]
        return self.sign * found

    def _score(self, held: np.ndarray, move: int, role: int) -> float:
        if not self.perfect:
            x, y = (int(word) for word in self.game.moves[role][move].strip("()").split()[1:])
            # The centre, then corners, then edges.
            return float((x == 2) == (y == 2)) + float(x == y == 2)
        state = State(self.game, torch.from_numpy(held.copy()))
        joint = [own[0] for own in state.legal_moves]
        joint[role] = move
        return minimax(state.next(joint))[role]


class Perfect(Evaluator):
    """Exact values, or for the sign -1 those of the other role."""

    def __init__(self, game: Game, sign: int) -> None:
        super().__init__(len(game.fluents), len(game.roles), {})
        self.game, self.sign = game, sign

    def forward(self, fluents: torch.Tensor) -> torch.Tensor:
        return torch.tensor(
            [minimax(State(self.game, row))[:: self.sign] for row in fluents.clone()]
        )


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.load("tictactoe")


def test_scores_correlate_with_playouts_or_speak_against_a_judge(game: Game) -> None:
    wrong, right = (
        measure_evidence(game, Judged(game, sign), seed=1, states=200) for sign in (-1, 1)
    )
    assert right.correlation_ci95 is not None
    assert right.gain_ci95 is not None
    assert right.correlation_ci95[0] > 0
    assert right.gain_ci95[0] > 0
    assert not right.is_against
    assert wrong.is_against
    assert wrong.correlation == pytest.approx(-right.correlation)
    assert wrong.silent == right.silent > 0


def test_a_judge_that_says_nothing_is_out(game: Game) -> None:
    found = measure_evidence(game, Judged(game, 0), seed=1, states=50)
    assert found.silent == 1
    assert found.correlation == 0
    assert found.gain == 0
    assert found.is_against


def test_a_misleading_heuristic_is_switched_off_without_a_match(game: Game) -> None:
    settings = MctsSettings(playout="gated", tree="gated", exploration=0.5)
    report = open_gate(
        game, settings, TrialTerms(judges={"action": Judged(game, -1)}, seed=1, seconds=10)
    )
    assert report.settings == MctsSettings(exploration=0.5)
    assert report.chosen == "off"
    assert not report.trials.racers


def test_without_a_heuristic_or_time_search_is_plain(game: Game) -> None:
    settings = MctsSettings(playout="mast", tree="gated")
    for judges, seconds in (({}, 5.0), ({"action": Judged(game, 1)}, 0.0)):
        report = open_gate(game, settings, TrialTerms(judges=judges, seed=1, seconds=seconds))
        assert report.settings == MctsSettings(playout="mast")
        assert report.chosen == "off"
        assert not any(racer.rounds for racer in report.trials.racers)


def test_a_game_that_is_over_before_it_begins_is_played_by_plain_search() -> None:
    over = Game.from_text(
        "(role a) (role b) (init on) (<= (legal ?r ?m) (role ?r) (either ?m)) (either x) "
        "(either y) (<= (next on) (true on)) (<= terminal (true on)) (goal a 100) (goal b 0)"
    )
    player = make_player("mcts:tree=gated,sims=50", over)
    assert play_match(over, [player, make_player("random")]).goals == (100, 0)


def test_nothing_is_begun_that_would_be_too_late(game: Game) -> None:
    settings = MctsSettings(playout="gated", tree="gated")
    judges = {"action": Judged(game, 1)}
    terms = TrialTerms(judges=judges, seed=1, seconds=10, latest=time.monotonic())
    late = open_gate(game, settings, terms)
    assert late.settings == MctsSettings()
    assert late.evidence is not None
    assert not late.trials.racers
    # There is not even time for the playouts by which moves are ranked.
    terms = replace(terms, seconds=1e-6, latest=time.monotonic() + 60)
    hasty = open_gate(game, settings, terms)
    assert hasty.settings == MctsSettings()
    assert hasty.evidence is None


@pytest.mark.parametrize("sign", [1, -1])
def test_an_evaluator_is_used_where_it_helps(sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Race.run
    # So many rounds, whatever the time is.
    monkeypatch.setattr(Race, "run", lambda own, limit, end: run(own, limit, math.inf, 8))
    nim, limit = Game.load("nim"), Limit(simulations=20)
    # With so few simulations less exploration helps by itself: all explore alike.
    settings = MctsSettings(lanes=1, exploration=0.2)
    terms = TrialTerms(evaluator=Perfect(nim, sign), seed=1, seconds=600, limit=limit)
    report = open_evaluator_gate(nim, settings, terms)
    assert report.trials.limit == limit
    assert len(report.trials.racers) == len(evaluator_uses(settings))
    if sign > 0:
        assert report.settings == evaluator_uses(settings)[report.chosen]
    else:
        assert report.settings == settings
        assert report.chosen == "off"
    assert str(report).startswith(f"evaluator: {report.chosen}")


def test_what_has_learned_is_trusted_until_matches_speak_against_it() -> None:
    nim, settings = Game.load("nim"), MctsSettings(lanes=1)
    trust = next(iter(evaluator_uses(settings)))
    terms = TrialTerms(evaluator=Perfect(nim, 1), seed=1, seconds=0)
    for trained, chosen in ((True, trust), (False, "off")):
        report = open_evaluator_gate(nim, settings, terms, trained=trained)
        assert report.chosen == chosen
        assert not any(racer.rounds for racer in report.trials.racers)
        assert "trials none" in str(report)
    # A tree that was chosen leaves no room for that use, and the others are not for it.
    rave = MctsSettings(lanes=1, tree="rave")
    report = open_evaluator_gate(nim, rave, terms, trained=True)
    assert (report.chosen, report.settings) == ("off", rave)
    prior = learned_belief(30)
    bad, even, good = (
        Racer(name=name, rounds=rounds, prior=own)
        for name, rounds, own in (
            ("bad", [0.0] * 4, prior),
            ("even", [0.0, 1.0], prior),
            ("good", [1.0] * 9, UNTRIED),
        )
    )
    assert Trials(racers=(bad,)).best is None
    assert Trials(racers=(bad, even)).best == "even"
    assert Trials(racers=(even, good)).best == "good"
    assert Trials(racers=(Racer(name="untried", rounds=[0.0, 1.0]),)).best is None


def test_doublings_lead_from_a_trial_to_a_match() -> None:
    short, long = Limit(seconds=0.1), Limit(seconds=0.8)
    assert doublings(short, long) == pytest.approx(3)
    assert doublings(long, short) == doublings(long, None) == 0
    assert doublings(Limit(simulations=500), Limit(simulations=4000)) == pytest.approx(3)


def test_an_exploration_or_a_tree_that_is_given_stays() -> None:
    for own in evaluator_uses(MctsSettings(exploration=0.6)).values():
        assert own.exploration == 0.6
        assert own.needs_evaluator
    assert not [use for use in evaluator_uses(MctsSettings(playout="decisive")) if "cutoff" in use]
    plain, rave = evaluator_uses(MctsSettings()), evaluator_uses(MctsSettings(tree="rave"))
    assert 0 < len(rave) < len(plain)
    assert all(own.tree == "rave" and own.needs_evaluator for own in rave.values())


def make_race(game: Game, judge: Judged) -> Race:
    """Return a race of a search with a judge against one without."""
    settings = MctsSettings(tree="action", capacity=50_000)
    candidate = Mcts(game, settings=settings, judges={"action": judge}, seed=4)
    return Race(game, Mcts(game, seed=3), {"judged": candidate}, plies=2, seed=3)


def test_races_show_who_helps_and_who_hurts(game: Game) -> None:
    for sign, better in ((1, True), (-1, False)):
        race = make_race(game, Judged(game, sign, perfect=True))
        race.run(Limit(simulations=4), time.monotonic() + 600, rounds=40)
        (racer,) = race.racers
        # It ends as soon as that is decided.
        assert racer.belief.is_decided
        assert 0 < len(racer.rounds) < 40
        assert (racer.belief.mean > 0.5) == (racer.mean > 0.5) == better


def test_a_race_is_played_by_those_of_whom_most_may_be_hoped(game: Game) -> None:
    worse, other = (Searching(game) for _ in range(2))
    even = Mcts(game, settings=MctsSettings(capacity=50_000), seed=2)
    race = Race(game, Mcts(game, seed=3), {"worse": worse, "even": even}, plies=2, seed=3)
    race.run(Limit(simulations=200), time.monotonic() + 600, rounds=12)
    rounds = {racer.name: len(racer.rounds) for racer in race.racers}
    assert 0 < rounds["worse"] < rounds["even"]
    good = Searching(game, is_good=True)
    race = Race(game, other, {"worse": worse, "good": good}, plies=2, seed=3)
    race.run(Limit(simulations=200), time.monotonic() + 600, rounds=40)
    tried, best = race.racers
    assert best.belief.better > SURE
    assert 0 < len(tried.rounds) <= len(best.rounds) < 40
    assert best.mean == 1
    # Whoever is sure needs no other round, and nobody else does.
    race = Race(game, other, {"good": good, "worse": worse}, plies=2, seed=3)
    race.run(Limit(simulations=200), time.monotonic() + 600, rounds=40)
    best, tried = race.racers
    assert best.belief.is_decided
    assert best.mean == 1
    assert len(tried.rounds) < len(best.rounds)


def test_a_race_without_time_decides_nothing(game: Game) -> None:
    race = make_race(game, Judged(game, 1))
    race.run(Limit(simulations=4), time.monotonic())
    (racer,) = race.racers
    assert racer.rounds == []
    assert racer.belief == UNTRIED


class Teaching:
    """Learns for a second whenever it is asked to."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.kept = seconds, 0

    def learn_a_little(self) -> None:
        self.seconds += 1

    def keep(self) -> None:
        self.kept += 1


def candidate(name: str, *, is_good: bool) -> Candidate:
    return Candidate(
        name=name,
        player=RandomPlayer(),
        searcher=Searching(load("tictactoe"), is_good=is_good),
        belief=UNTRIED,
    )


def school(
    teaching: Teaching,
    make: Callable[[], Candidate],
    *,
    is_good: bool = True,
    learned: Belief | None = NOTHING_LEARNED,
) -> School:
    return School(
        load("tictactoe"),
        lambda: cast(SelfTeaching, teaching),
        make,
        playing=candidate("first", is_good=is_good),
        learned=learned,
        making=0.0,
        plies=2,
        move_time=0.1,
        seed=1,
    )


def calls(number: int) -> Callable[[], bool]:
    """Return what says stop when it has been asked so many times."""
    left = [number]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stop


def test_what_has_learned_half_as_long_again_takes_over() -> None:
    teaching, made = Teaching(10), []

    def make() -> Candidate:
        made.append(teaching.seconds)
        return candidate(f"learned {teaching.seconds:.0f}", is_good=False)

    own = school(teaching, make, learned=None)
    assert not own.spend(calls(4))
    assert own.playing.name == "first"
    assert own.spend(calls(1000))
    assert own.playing.name == "learned 15"
    # It goes on where it was, and ends for good when that is enough.
    while own.spend(calls(7)) or teaching.seconds < ENOUGH:
        pass
    assert made == [15, 23, 35, 53, 80, 120, ENOUGH]
    assert own.playing.name == f"learned {ENOUGH:.0f}"
    assert not own.spend(calls(1000))
    assert teaching.seconds == ENOUGH
    own.keep()
    assert teaching.kept == 1
    own.release()
    assert made[-2:] == [ENOUGH, ENOUGH]


def test_another_search_has_to_be_beaten_first() -> None:
    own = school(Teaching(0), lambda: candidate("learned", is_good=True), is_good=False)
    assert not own.spend(calls(20))
    assert own.spend(calls(100_000))
    assert own.playing.name == "learned"


def test_what_loses_trials_does_not_play() -> None:
    teaching = Teaching(100)
    own = school(teaching, lambda: candidate("learned", is_good=False))
    assert not own.spend(calls(100_000))
    own.release()
    assert own.playing.name == "first"
    assert teaching.seconds == ENOUGH


def test_each_player_has_its_part_unless_it_says_what_it_takes() -> None:
    players = ("mcts:sims=10", "alphabeta:cilp,memory=7", "random", "alphabeta:cilp")
    assert sharing(players, None) == players
    assert sharing(players, 800, at_once=2) == (
        "mcts:sims=10,memory=100",
        "alphabeta:cilp,memory=7",
        "random",
        "alphabeta:cilp,memory=100",
    )


def test_too_little_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="4 searches may live at once"):
        sharing(("mcts", "mcts"), 3, at_once=2)
