"""Which features are chosen in which games, and what kinds of features are worth in matches.

``chosen`` prints, game by game, the features that random games choose: the role whose goal they
tell most of, its correlation, what each adds to those before it, and the weight that it has in the
evaluator ``features`` in standard deviations of the feature (none for mobility and goals, which
the evaluator leaves out)::

    python experiments/feature_kinds.py chosen breakthrough ../shared/games/skirmish.kif

``matches`` makes two evaluators from the same random games: what is chosen without a kind, and
that with the feature of the kind that adds most to it, and lets them play each other at equal time.
Where nothing is chosen without the kind, and with ``--alone``, plain tree search stands for it.
Finished matches stay in the folder::

    python experiments/feature_kinds.py matches breakthrough --kind "distance to a goal" \
        --matches 60 --seconds 0.1 --out runs/kinds

*Reference:* Draper, "Sancho" (2014): candidates, and distance to a win and mutual support among
the ideas.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from neurogame.arena.run import run_arena
from neurogame.arena.settings import ArenaSettings
from neurogame.errors import GameError
from neurogame.evaluators.rules_network.of_features import feature_evaluator
from neurogame.features.evidence import FeatureEvidence, find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.selection import select
from neurogame.features.weights import weigh
from neurogame.learn.checkpoints.checkpoint import empty_checkpoint, save_checkpoint
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.simulate.game import Game

USE = "minimax=0.8,exploration=0.1"


def chosen(game: Game, evidence: FeatureEvidence) -> list[str]:
    """Return a row for each chosen feature of a game."""
    count = len(evidence.features)
    spread = np.sqrt(np.diagonal(evidence.covariance)[:count])
    try:
        weighted = weigh(evidence)
    except GameError:
        weighted = None
    rows = []
    for k, adds in zip(evidence.chosen, evidence.adds, strict=True):
        feature, weight = evidence.features[k], "–"
        role = int(np.abs(evidence.strength[k]).argmax())
        if weighted is not None and feature in weighted.features:
            place = weighted.features.index(feature)
            # Of two opposed roles the second one's odds are the reverse of the first one's.
            own = weighted.weights[0 if weighted.opposed else role, place]
            sign = -1 if weighted.opposed and role == 1 else 1
            weight = f"{sign * own * spread[k]:+.2f}"
        rows.append(
            f"| {game.name} | {feature.kind.value} | `{feature.text}` | {game.roles[role]} "
            f"| {evidence.strength[k, role]:+.3f} | {adds:+.3f} | {weight} |"
        )
    return rows or [f"| {game.name} | none of {count} | | | | | |"]


def only(evidence: FeatureEvidence, fit: Callable[[Feature], bool]) -> tuple[int, ...]:
    """Return the features that are chosen among some; none that reads moves or goals."""
    return select(
        evidence.features,
        evidence.covariance,
        evidence.games,
        EvidenceConfig(),
        lambda feature: feature.reads_fluents_alone and fit(feature),
    ).chosen


def best_of_kind(evidence: FeatureEvidence, kind: FeatureKind, before: tuple[int, ...]) -> int:
    """Return the feature of a kind that adds most to some others, however little.

    Raises:
        GameError: there is none.
    """
    of_kind = [k for k, feature in enumerate(evidence.features) if feature.kind is kind]
    left = evidence.covariance.copy()
    for k in before:
        left -= np.outer(left[:, k], left[k]) / left[k, k]
    count = len(evidence.features)
    scores = {
        k: float((left[k, count:] ** 2).max() / left[k, k]) for k in of_kind if left[k, k] > 1e-9
    }
    if not scores:
        raise GameError(f"no feature of the kind {kind.value}; all: {evidence.features}")
    return max(scores, key=lambda k: scores[k])


def source(game: Game, evidence: FeatureEvidence, some: tuple[int, ...], path: Path) -> str:
    """Return a player that values states by some features; plain search if there are none."""
    if not some:
        return "mcts"
    few = replace(
        evidence,
        features=tuple(evidence.features[k] for k in some),
        covariance=_part(evidence, some),
        mean=np.concatenate([evidence.mean[list(some)], evidence.mean[len(evidence.features) :]]),
    )
    # What was chosen is taken, however little it adds.
    evaluator = feature_evaluator(game, weigh(few, EvidenceConfig(weakest=0.0, doubt=1.0)))
    weights = copied_weights(evaluator)
    held = replace(
        empty_checkpoint(game),
        description=evaluator.describe(),
        weights=weights,
        initial_weights=weights,
    )
    save_checkpoint(path, held)
    return f"mcts:{path},{USE}"


def _part(evidence: FeatureEvidence, some: tuple[int, ...]) -> np.ndarray:
    kept = [*some, *range(len(evidence.features), len(evidence.mean))]
    return evidence.covariance[np.ix_(kept, kept)]


def matches(game: Game, evidence: FeatureEvidence, options: argparse.Namespace) -> str:
    """Play with a kind of features against without it, and return a row of the table.

    Raises:
        KeyboardInterrupt: somebody stopped it; what is finished stays.
    """
    kind = FeatureKind(options.kind)
    without = only(evidence, lambda feature: feature.kind is not kind and not options.alone)
    extra = best_of_kind(evidence, kind, without)
    folder = options.out / f"{game.name}-{kind.name.lower()}{'-alone' * options.alone}"
    folder.mkdir(parents=True, exist_ok=True)
    players = [
        source(game, evidence, some, folder / f"{name}.pt")
        for name, some in (("with", (*without, extra)), ("without", without))
    ]
    found = run_arena(
        ArenaSettings(
            games=(options.rules[game.name],),
            players=tuple(
                f"{own}{',' if ':' in own else ':'}seconds={options.seconds:g}" for own in players
            ),
            matches=options.matches,
            seed=options.seed,
        ),
        output=folder / "arena",
    )
    if found.interrupted:
        raise KeyboardInterrupt
    result = found.pairings[0]
    low, high = (100 * bound for bound in result.win_rates_ci95[0])
    others = "; ".join(evidence.features[k].text for k in without) or "none: plain search"
    return (
        f"| {game.name} | {kind.value} | {evidence.features[extra].text} | {others} "
        f"| {100 * result.win_rates[0]:.1f} [{low:.1f}, {high:.1f}] |"
    )


def main() -> None:
    """Print the table that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=("chosen", "matches"))
    parser.add_argument("games", nargs="+", help="library games or paths")
    parser.add_argument("--games-played", type=int, default=32_768, help="random games of each")
    parser.add_argument("--play-seconds", type=float, default=20.0, help="of them, at most")
    parser.add_argument("--kind", default=FeatureKind.DISTANCE.value)
    parser.add_argument("--alone", action="store_true", help="against plain search, beside nothing")
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.1, help="for a move of either player")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/kinds"))
    options = parser.parse_args()
    config = EvidenceConfig(games=options.games_played, seconds=options.play_seconds)
    options.rules = {}
    print(
        "| game | kind | feature | role | correlation | adds | weight |\n" + "|---" * 7 + "|"
        if options.what == "chosen"
        else "| game | kind | feature | beside | with it, % |\n" + "|---" * 5 + "|"
    )
    for rules in options.games:
        game = Game.load(rules)
        options.rules[game.name] = rules
        try:
            evidence = find_evidence(game, config, seed=options.seed)
            rows = (
                chosen(game, evidence)
                if options.what == "chosen"
                else [matches(game, evidence, options)]
            )
        except GameError as error:
            rows = [f"| {game.name} | {error} |"]
        print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
