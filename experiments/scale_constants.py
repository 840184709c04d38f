"""The constants of the model of many workers, measured on this machine.

Each is a median of several. Pieces and the learner's own work are done in this process, and their
seconds are those of the processor, so that what else runs here does not count.
"""

from __future__ import annotations

import pickle
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from scale_model import RoundCosts
from sleepers import Sleepers, matches_of

from neurogame.arena.run import run_arena
from neurogame.arena.schedule import Slot
from neurogame.arena.settings import ArenaSettings
from neurogame.learn.lanes.agreement import Agreement
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.lanes.piece import LaneGroup, packed, play_lanes, unpacked
from neurogame.learn.lanes.worker import LaneWorker
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.learn.travelling import Travelling
from neurogame.players.record import MatchRecord
from neurogame.simulate.game import Game
from neurogame.workers.cluster import source_version
from neurogame.workers.workplace import InlineExecutor, Workplace

LANES, PLIES = 256, 128
"""Of a piece, as four groups of 1024 lanes have."""
ARENA = ArenaSettings(
    games=("connectfour",), players=("mcts:sims=10000", "alphabeta:cilp,depth=3"), matches=16
)


@final
@dataclass(frozen=True, kw_only=True)
class PieceConstants:
    """What one group of lanes costs, in seconds unless it says otherwise.

    Attributes:
        game: its name.
        lanes: of the group.
        plies: of a round.
        size: bytes of its state.
        piece: of a round on a worker: unpacking, playing, learning, packing.
        pack: of packing the state, by the learner.
        unpack: of unpacking it.
        carry: of a worker that reads and writes it, and compares the version of its files.
        agree: of agreeing and averaging, for each group.
    """

    game: str
    lanes: int
    plies: int
    size: int
    piece: float
    pack: float
    unpack: float
    carry: float
    agree: float


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class MatchConstants:
    """What matches of an arena cost.

    Attributes:
        seconds: of each.
        records: what each came to.
        size: bytes of a record that travels, pickled.
    """

    seconds: list[float]
    records: list[MatchRecord]
    size: float

    def to_json(self) -> dict[str, list[float] | float]:
        """Return the numbers."""
        return {"seconds": self.seconds, "size": self.size}


class _Nobody:
    """Plays nothing."""

    def play(self, plies: int) -> float:
        """Take no time."""
        return 0.0


def processor_seconds(action: Callable[[], object], times: int = 9) -> float:
    """Return the median processor seconds of some calls, after one that does not count."""
    found = []
    for _ in range(times + 1):
        begun = time.process_time()
        action()
        found.append(time.process_time() - begun)
    return statistics.median(found[1:])


def learner_of(game: Game, groups: int, workplace: Workplace, seed: int = 0) -> LaneLearner:
    """Return a learner whose groups have as many lanes as were measured, whatever their number."""
    config = fitted(
        game, {"cores": groups, "lanes": LANES * groups, "round_plies": PLIES}, seed=seed
    )
    return LaneLearner(game, config, fresh_rules_network(game, config), workplace)


def measure_piece(game: Game, seed: int = 0) -> PieceConstants:
    """Measure what a group of lanes costs, with games under way in all lanes."""
    inline = Workplace(InlineExecutor())
    config = learner_of(game, 4, inline, seed).config
    worker = LaneWorker(game, config, fresh_rules_network(game, config), number=0)
    group = LaneGroup(learner=Travelling.of(game, [worker.evaluator]), config=config, number=0)
    state = packed(worker)

    def piece() -> None:
        nonlocal state
        state = play_lanes(group, state, PLIES).state

    def carry() -> None:
        source_version()
        pickle.loads(pickle.dumps(state, protocol=5))

    four = [LaneWorker(game, config, fresh_rules_network(game, config), number=n) for n in range(4)]
    agreement = Agreement(four, _Nobody())
    return PieceConstants(
        game=game.name,
        lanes=LANES,
        plies=PLIES,
        size=sum(part.nbytes for part in state.values()),
        piece=processor_seconds(piece),
        pack=processor_seconds(lambda: packed(worker)),
        unpack=processor_seconds(lambda: unpacked(worker, state)),
        carry=processor_seconds(carry),
        agree=processor_seconds(lambda: agreement.play(PLIES)) / 4,
    )


def measure_matches(seed: int = 0) -> MatchConstants:
    """Play a small arena here, and note how long each match takes."""
    records: list[MatchRecord] = []
    seconds: list[float] = []
    begun = time.process_time()

    def note(slot: Slot, record: MatchRecord) -> None:
        nonlocal begun
        records.append(record)
        seconds.append(time.process_time() - begun)
        begun = time.process_time()

    # The first block is played once more: it has seen the players being made.
    run_arena(replace(ARENA, matches=2))
    begun = time.process_time()
    run_arena(replace(ARENA, seed=seed), on_match=note)
    # What comes before the first match is not its time.
    seconds[0] = statistics.median(seconds)
    size = statistics.mean(len(pickle.dumps(record, protocol=5)) for record in records)
    return MatchConstants(seconds=seconds, records=records, size=size)


def book_seconds(own: MatchConstants, count: int) -> float:
    """Return the processor seconds for each match that an arena takes beside playing.

    Args:
        own: matches that have been played; they come round again.
        count: matches of the arena.
    """
    nothing = matches_of([0.0] * len(own.seconds), own.records)
    workplace = Workplace(Sleepers(InlineExecutor(), nothing))
    settings = replace(ARENA, matches=count)
    with tempfile.TemporaryDirectory() as folder:
        found = []
        # The second time nothing is left: that is what comes before and after.
        for _ in range(2):
            begun = time.process_time()
            run_arena(settings, workplace=workplace, output=Path(folder))
            found.append(time.process_time() - begun)
    return (found[0] - found[1]) / count


def costs_of(own: PieceConstants, empty_round: float, groups: int) -> RoundCosts:
    """Return the costs of a round.

    Args:
        own: what was measured of the game.
        empty_round: seconds of a round whose pieces take no time.
        groups: of that round.
    """
    way = empty_round / groups - own.agree
    return RoundCosts(piece=own.piece, carry=own.carry, way=way, agree=own.agree, size=own.size)


def scheduler_seconds(executor: Executor, pieces: int = 200) -> float:
    """Return the seconds of a piece that is nothing, of many at once."""
    begun = time.perf_counter()
    wait([executor.submit(abs, -number) for number in range(pieces)])
    return (time.perf_counter() - begun) / pieces
