"""What Sancho's author saw in tree searches, measured: four plots and their figures.

``bidding``: the value of each opening bid in bidding tic-tac-toe with ten coins, over the number of
simulations. ``variance``: how far root values of searches with different seeds lie apart in
breakthrough. ``rank``: how well visits and scores of moves agree, where an evaluator's value stands
for visits of a new node (``experience``), is a term beside UCT (``bias``), or is not there.
``blunders``: pieces given away for nothing in recorded matches, before any piece has come to the
sixth rank. ``mobility``: legal moves as a heuristic, against none and against pieces, and what
they add to pieces::

    python experiments/sancho_observations.py bidding --game GAME.kif --out runs/s
    python experiments/sancho_observations.py variance rank mobility --out runs/s
    python experiments/sancho_observations.py blunders --matches runs/h11/matches.jsonl --out runs/s
    python experiments/sancho_observations.py --report docs/pictures --out runs/s
    neurogame reproduce sancho                   # observation by observation, in a few figures

Finished cells stay in the folder. ``--report`` prints the figures, and draws with matplotlib.

*Reference:* Draper, "Sancho: integrating heuristics into MCTS" (2014).
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cells import Cells, progress

from neurogame.arena.run import run_arena
from neurogame.arena.settings import ArenaSettings
from neurogame.array_types import Float64s
from neurogame.features.evidence import find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.intervals import wilson_interval
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIMULATIONS = (100, 1_000, 10_000, 100_000, 1_000_000)
SEEDS = 20
STATES = 200
MATCHES = 200
GAMES = 131_072
USES = {
    "plain": "mcts:exploration=0.2",
    "experience": "mcts:features,experience=30,exploration=0.2",
    "bias": "mcts:features,bias=2,exploration=0.2",
    "minimax": "mcts:features,minimax=0.8,exploration=0.2",
}
FEW = (300, 5_000)
MOBILITY = "max(legal moves of white, less that of black)"
PIECES = "max(number of (cell * * black), less that of white)"
PAIRINGS = {
    "mobility against none": (MOBILITY, "blind"),
    "pieces against none": (PIECES.replace("max", "min", 1), "blind"),
    "pieces against mobility": (PIECES.replace("max", "min", 1), MOBILITY),
}


def search(game: Game, player: str, state: State, seed: int) -> SearchResult:
    """Return what a fresh player's search of a state finds."""
    own = make_player(player)
    own.start(MatchStart(game, 0, seed))
    own.choose(state, Limit())
    found: SearchResult = own.last  # type: ignore[attr-defined]
    own.stop()
    return found


def bidding(game: Game, cells: Cells, options: argparse.Namespace) -> None:
    """Search the initial state with each seed and number of simulations."""
    state = game.initial_state()
    for seed in range(options.seeds):
        for simulations in options.sims:
            name = f"bidding-{simulations}-{seed}"
            if not cells.has(name):
                progress(name)
                player = f"{options.player}sims={simulations},capacity=1000000"
                found = search(game, player, state, seed)
                values = {game.moves[0][move]: value for move, value in found.scores.items()}
                cells.put(name, {"what": "bidding", "sims": simulations, "values": values})


def variance(game: Game, cells: Cells, options: argparse.Namespace) -> None:
    """Search the initial state with each seed and number of simulations."""
    state = game.initial_state()
    for seed in range(options.seeds):
        for simulations in options.sims:
            name = f"variance-{simulations}-{seed}"
            if not cells.has(name):
                progress(name)
                found = search(game, f"mcts:sims={simulations},capacity=1000000", state, seed)
                row = {"what": "variance", "sims": simulations, "value": found.value[0]}
                cells.put(name, row | {"move": game.moves[0][found.move]})


def rank(game: Game, cells: Cells, options: argparse.Namespace) -> None:
    """Correlate the ranks of visits and scores in states of random games."""
    states = _states(game, options.states)
    for use, simulations in product(USES, options.few):
        name = f"rank-{use}-{simulations}"
        if cells.has(name):
            continue
        progress(name)
        own = make_player(f"{USES[use]},sims={simulations}")
        found = []
        for number, state in enumerate(states):
            role = next(r for r in range(2) if len(state.legal_moves[r]) > 1)
            own.start(MatchStart(game, role, number))
            own.choose(state, Limit())
            last: SearchResult = own.last  # type: ignore[attr-defined]
            moves = [move for move in last.scores if last.tries.get(move, 0) > 0]
            if not last.proved and len(moves) > 2:
                visits = [float(last.tries[move]) for move in moves]
                found.append(spearman(visits, [last.scores[move] for move in moves]))
        cells.put(name, {"what": "rank", "use": use, "sims": simulations, "values": found})


def mobility(game: Game, cells: Cells, options: argparse.Namespace) -> None:
    """Let heuristics play, and take from evidence what mobility adds to pieces."""
    for name, pair in PAIRINGS.items():
        if not cells.has(f"mobility-{name}"):
            settings = ArenaSettings(
                games=(game.name,),
                players=tuple(f"alphabeta:{own},depth=2" for own in pair),
                matches=options.count,
                seed=5,
            )
            found = run_arena(settings, output=cells.folder.parent / name.replace(" ", "-"))
            if found.interrupted:
                raise KeyboardInterrupt
            played = found.pairings[0]
            rate = [played.win_rates[0], *played.win_rates_ci95[0]]
            cells.put(f"mobility-{name}", {"what": "mobility", "pairing": name, "rate": rate})
    if not cells.has("mobility-partial"):
        evidence = find_evidence(game, EvidenceConfig(games=options.games, seconds=600), seed=7)
        texts = [one.text.lower() for one in evidence.features]
        own = [texts.index(text[4:-1]) for text in (MOBILITY, PIECES)]
        goal = len(texts)
        keep = [*own, goal]
        inverse = np.linalg.inv(evidence.covariance[np.ix_(keep, keep)])
        partial = -inverse[0, 2] / np.sqrt(inverse[0, 0] * inverse[2, 2])
        alone = evidence.strength[own[0], 0]
        row = {"what": "partial", "alone": float(alone), "beside": float(partial)}
        cells.put("mobility-partial", row | {"games": evidence.games})


def blunders(paths: Iterable[Path], cells: Cells) -> None:
    """Count pieces that were given away in recorded matches of breakthrough."""
    given: dict[str, list[int]] = defaultdict(list)
    for path in paths:
        for line in path.read_text().splitlines():
            record = json.loads(line)
            game = Game.load(record["game"])
            lost = gifts(game, record["match"]["moves"], record["match"]["opening_plies"])
            for player, own in zip(record["match"]["players"], lost, strict=True):
                given[player].append(own)
    cells.put("blunders", {"what": "blunders", "given": given})


def gifts(game: Game, moves: Sequence[Sequence[str]], opening: int) -> list[int]:
    """Return of each role how many pieces it lost for nothing.

    That is, the other one took a piece, had not just lost one, and did not lose one at once.
    Counted are plies after the opening and before any piece has reached its sixth rank.
    """
    state = game.initial_state()
    pieces = [_pieces(state)]
    for joint in moves:
        state = state.next(list(joint))
        pieces.append(_pieces(state))
        if _is_far(state):
            break
    lost = [0, 0]
    taken = [[b - a for b, a in zip(*pair, strict=True)] for pair in pairwise(pieces)]
    for ply in range(opening, len(taken) - 1):
        for role in range(2):
            around = (taken[ply - 1][1 - role], taken[ply + 1][1 - role])
            lost[role] += bool(taken[ply][role] and not any(around))
    return lost


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rank correlation, 0 where one is constant."""
    ranks = [_ranks(np.asarray(own)) for own in (one, other)]
    if any(own.std() == 0 for own in ranks):
        return 0.0
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: Float64s) -> Float64s:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    found: Float64s = (ends - (counts - 1) / 2.0)[place]
    return found


def _states(game: Game, count: int) -> list[State]:
    """Return states of as many random games, 10 to 40 plies from their beginning."""
    found: list[State] = []
    for seed in range(10 * count):
        chance = random.Random(seed)
        state = game.initial_state()
        for _ in range(chance.randrange(10, 40)):
            if state.is_terminal:
                break
            state = state.next([chance.choice(own) for own in state.legal_moves])
        if not state.is_terminal and max(map(len, state.legal_moves)) > 2:
            found.append(state)
    return found[:count]


def _pieces(state: State) -> list[int]:
    """Return how many pieces each role has."""
    facts = [text for text in state.fluent_texts if text.startswith("(cell ")]
    return [sum(text.endswith(f" {role})") for text in facts) for role in state.game.roles]


def _is_far(state: State) -> bool:
    """Return whether a piece has reached its sixth rank, counted from its own side."""
    for text in state.fluent_texts:
        if text.startswith("(cell "):
            _, _, rank_text, owner = text.strip("()").split()
            up = owner == state.game.roles[0]
            if int(rank_text) >= 6 if up else int(rank_text) <= 3:
                return True
    return False


def mean(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean of numbers with its 95 % interval."""
    own = np.array(values)
    half = 1.96 * float(own.std(ddof=1)) / len(own) ** 0.5 if len(own) > 1 else float("inf")
    centre = float(own.mean())
    return {"mean": centre, "interval": [centre - half, centre + half] if half < 1e9 else None}


def figures(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of what was measured.

    ``high less low, few`` is what the value of high opening bids, above 4, is above that of lower
    ones after the fewest simulations, mean over seeds; ``many`` after the most. ``slowness`` is how
    many times as far root values lie apart after the most simulations as they would if these were
    independent playouts.
    """
    of = defaultdict(list)
    for row in rows:
        of[row["what"]].append(row)
    found: dict[str, Any] = {}
    if bids := of["bidding"]:
        # Files of a number of simulations are in the order of their seeds.
        first, last = (
            [_bids(row["values"]) for row in bids if row["sims"] == sims] for sims in _ends(bids)
        )
        found["high less low, few"], found["high less low, many"] = mean(first), mean(last)
        found["fall"] = mean([one - other for one, other in zip(first, last, strict=True)])
    if spread := of["variance"]:
        few, many = _ends(spread)
        low, high = (
            np.std([row["value"] for row in spread if row["sims"] == sims], ddof=1)
            for sims in (few, many)
        )
        ratio = float(high / low * (many / few) ** 0.5)
        # The logarithm of a standard deviation of n values varies by about 1 / (2 (n - 1)).
        freedom = sum(row["sims"] == few for row in spread) - 1
        factor = math.exp(1.96 * freedom**-0.5)
        found["slowness"] = {"mean": ratio, "interval": [ratio / factor, ratio * factor]}
    if ranks := of["rank"]:
        many = _ends(ranks)[1]
        values = {row["use"]: row["values"] for row in ranks if row["sims"] == many}
        found |= {f"rank {use}": mean(own) for use, own in values.items()}
        # Proved states are left out, not the same ones with each use: so these are not paired.
        pair = [np.array(values[use]) for use in ("experience", "bias")]
        less = float(pair[0].mean() - pair[1].mean())
        half = 1.96 * sum(float(own.var(ddof=1)) / len(own) for own in pair) ** 0.5
        found["rank difference"] = {"mean": less, "interval": [less - half, less + half]}
    for row in of["mobility"]:
        found[row["pairing"]] = {"mean": row["rate"][0], "interval": row["rate"][1:]}
    for row in of["partial"]:
        found["partial"] = row
    for row in of["blunders"]:
        first, second = (row["given"][player] for player in row["given"])
        found["given"] = {
            "first": mean(first),
            "second": mean(second),
            "difference": mean([b - a for a, b in zip(first, second, strict=True)]),
        }
    return found


def _ends(rows: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Return the fewest and the most simulations."""
    counts = [row["sims"] for row in rows]
    return min(counts), max(counts)


def _bids(values: Mapping[str, float]) -> float:
    """Return by how much bids above 4 coins are valued higher than others."""
    sides: tuple[list[float], list[float]] = [], []
    for move, value in values.items():
        coins = next(int(word) for word in move.strip("()").split() if word.isdigit())
        sides[coins > 4].append(value)
    return float(np.mean(sides[1]) - np.mean(sides[0]))


def report(cells: Cells, folder: Path) -> None:
    """Print the figures and draw the curves."""
    rows = cells.all()
    of = defaultdict(list)
    for row in rows:
        of[row["what"]].append(row)
    if of["bidding"]:
        draw_bidding(of["bidding"], folder)
    if of["variance"]:
        draw_variance(of["variance"], folder)
    for row in of["rank"]:
        values = np.array(row["values"])
        half = 1.96 * values.std(ddof=1) / len(values) ** 0.5
        print(
            f"rank correlation, {row['use']}, {row['sims']} simulations: {values.mean():.3f} ± "
            f"{half:.3f} ({len(values)} states)"
        )
    for row in of["mobility"]:
        rate, low, high = (100 * number for number in row["rate"])
        print(f"{row['pairing']}: {rate:.1f} % [{low:.1f}, {high:.1f}]")
    for row in of["partial"]:
        print(f"mobility alone {row['alone']:+.3f}, beside pieces {row['beside']:+.3f}")
    for row in of["blunders"]:
        for player, counts in row["given"].items():
            own = np.array(counts)
            half = 1.96 * own.std(ddof=1) / len(own) ** 0.5
            low, high = wilson_interval(int((own == 0).sum()), len(own))
            print(
                f"{player}: {own.mean():.2f} ± {half:.2f} pieces a match given away before rank 6; "
                f"none in {100 * (own == 0).mean():.0f} % [{100 * low:.0f}, {100 * high:.0f}]"
            )


def draw_bidding(rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """Draw the value of bids of so many coins, staked or not, over simulations; print it, too."""
    from matplotlib.figure import Figure

    values: dict[tuple[int, int], list[float]] = defaultdict(list)
    for row in rows:
        of: dict[int, list[float]] = defaultdict(list)
        for move, value in row["values"].items():
            of[next(int(word) for word in move.split() if word.isdigit())].append(value)
        for coins, own in of.items():
            values[coins, row["sims"]].append(float(np.mean(own)))
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    bids = sorted({coins for coins, _ in values})
    counts = sorted({number for _, number in values})
    for coins in bids:
        all_of = [np.array(values[coins, number]) for number in counts]
        means = [float(own.mean()) for own in all_of]
        halves = [1.96 * float(own.std(ddof=1)) / len(own) ** 0.5 for own in all_of]
        shown = zip(means, halves, strict=True)
        print(f"bid {coins:2d}: " + ", ".join(f"{100 * m:.1f} ± {100 * h:.1f}" for m, h in shown))
        colour = _colour(coins / bids[-1])
        label = f"{coins} coins"
        axes.errorbar(counts, means, halves, label=label, color=colour, capsize=2)
    axes.set(xscale="log", xlabel="simulations", ylabel="value of the opening bid, 0 to 1")
    axes.legend(fontsize=7, ncols=2)
    _save(figure, folder / "bidding.svg")


def draw_variance(rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """Draw the standard deviation of root values over simulations; print it, too."""
    from matplotlib.figure import Figure

    spread = []
    counts = sorted({row["sims"] for row in rows})
    for simulations in counts:
        own = [row for row in rows if row["sims"] == simulations]
        values = np.array([row["value"] for row in own])
        common = max(sum(r["move"] == row["move"] for r in own) for row in own)
        spread.append(values.std(ddof=1))
        print(
            f"{simulations} simulations: root value {values.mean():.3f}, standard deviation "
            f"{spread[-1]:.4f}, {common} of {len(own)} seeds choose the same move"
        )
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(counts, spread, marker="o", label="measured")
    expected = [spread[0] * (counts[0] / own) ** 0.5 for own in counts]
    axes.plot(counts, expected, linestyle=":", label="as independent playouts")
    axes.set(xscale="log", yscale="log", xlabel="simulations")
    axes.set(ylabel="standard deviation of the root value")
    axes.legend()
    _save(figure, folder / "root_values.svg")


def _colour(place: float) -> tuple[float, float, float]:
    """Return a colour from blue to red."""
    return 0.1 + 0.8 * place, 0.3, 0.8 - 0.7 * place


def _save(figure: Figure, path: Path) -> None:
    """Write a figure; the same figures give the same file."""
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "neurogame", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})
    print(f"drawn: {path}")


def main() -> None:
    """Measure what is asked for, and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    measures = {"bidding": bidding, "variance": variance, "rank": rank, "mobility": mobility}
    parser.add_argument(
        "parts", nargs="*", help=f"what to measure: {', '.join(measures)}, blunders"
    )
    parser.add_argument("--game", default="breakthrough", help="library game or path")
    parser.add_argument("--matches", nargs="*", type=Path, default=[], help="matches.jsonl files")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", type=Path, help="folder for the plots")
    parser.add_argument("--sims", nargs="+", type=int, default=list(SIMULATIONS))
    parser.add_argument("--few", nargs="+", type=int, default=list(FEW), help="simulations of rank")
    parser.add_argument("--player", default="mcts:", help="of bidding: a player string to go on")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="searches of each number")
    parser.add_argument("--states", type=int, default=STATES, help="of rank")
    parser.add_argument("--count", type=int, default=MATCHES, help="matches of mobility")
    parser.add_argument("--games", type=int, default=GAMES, help="random games of mobility")
    parser.add_argument("--json", action="store_true", help="print figures as one JSON object")
    options = parser.parse_args()
    cells, game = Cells(options.out), Game.load(options.game)
    for part in options.parts:
        if part == "blunders":
            blunders(options.matches, cells)
        elif part in measures:
            measures[part](game, cells, options)
        else:
            parser.error(f"nothing is called {part}; known are {', '.join(measures)}, blunders")
    if options.report is not None:
        report(cells, options.report)
    if options.json:
        print(json.dumps(figures(cells.all())))


if __name__ == "__main__":
    main()
