"""What features were worth in earlier starts of a game, kept from match to match.

There is one file for each structural signature, in the folder of the cache. Signatures are exact:
games that only look alike have other ones. The file holds the rules under whose names its sums
stand, so that the same game under other names finds them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurogame.errors import LimitError
from neurogame.features.candidates import find_candidates
from neurogame.features.evidence import FeatureEvidence, evidence_of, sum_games
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import Feature
from neurogame.features.sums import FeatureSums
from neurogame.files import DAMAGED, read_arrays, write_arrays
from neurogame.gdl.write import rules_text
from neurogame.graph.groups import group_starts
from neurogame.simulate.game import Game
from neurogame.simulate.game_file import game_file
from neurogame.simulate.game_mapping import GameMapping, map_game
from neurogame.waiting import during

FORMAT = "feature-sums-1"
"""Changes whenever random games, or the states that are looked at, are drawn in another way."""

MOST = 65_536
"""Games after which a game is known well enough, and starts play no more of them."""

_KEY = 32
_STEP = 1_000_003


def known_evidence(game: Game, config: EvidenceConfig, *, seed: int, what: str) -> FeatureEvidence:
    """Return what random games say of the features of a game, those of earlier starts included.

    So a game that is slow to play is known better from match to match, and one that is known well
    is ready at once.

    Args:
        game: the game.
        config: how many more games to play, while there are fewer than :data:`MOST`.
        seed: of these; other games than those before.
        what: games are played for, in words for people who wait.

    Raises:
        GameError: the rules suggest no feature, or no random game ends.
    """
    features = find_candidates(game)
    known = recalled_sums(game, features)
    count = 0 if known is None else known.games
    if known is None or count < MOST:
        with during(f"{game.name}: {what}", config.seconds):
            sums = sum_games(game, features, config, seed=seed + _STEP * count)
        if known is not None:
            sums.merge(known)
        keep_sums(game, features, sums)
        known = sums
    return evidence_of(features, known, config)


def recalled_sums(game: Game, features: Sequence[Feature]) -> FeatureSums | None:
    """Return what earlier starts of a game have seen of its features.

    Args:
        game: the game, under whatever names.
        features: of which something is to be known.

    Returns:
        None if nothing is known, if other features were seen, or if the file is damaged.
    """
    path = game_file(game, FORMAT, "npz")
    arrays = None if path is None else read_arrays(path)
    if arrays is None:
        return None
    try:
        sums = FeatureSums.unpacked(arrays)
        rows = arrays["keys"].reshape(-1, _KEY)
        places = {row.tobytes(): place for place, row in enumerate(rows)}
        text = str(arrays["rules"])
        canonical = features
        roles = np.arange(len(game.roles))
        if text != rules_text(game.rules):
            mapping = map_game(Game.from_text(text, name=game.name), game)
            canonical = [_under(mapping, feature) for feature in features]
            roles = np.argsort(mapping.roles)
        if len(places) != len(features) or sums.moved.shape != (len(features),):
            return None
        signs = np.array([1.0 if one.key() in places else -1.0 for one in canonical])
        order = np.array([places[f.key(s)] for f, s in zip(canonical, signs.tolist(), strict=True)])
        return sums.reordered(order, signs, roles)
    except (*DAMAGED, LimitError):
        return None


def keep_sums(game: Game, features: Sequence[Feature], sums: FeatureSums) -> None:
    """Write what is known of the features of a game; no error if nothing can be written.

    Args:
        game: the game.
        features: all that are known.
        sums: of them, those that were recalled included.
    """
    path = game_file(game, FORMAT, "npz")
    if path is not None:
        keys = np.frombuffer(b"".join(one.key() for one in features), np.uint8)
        write_arrays(
            path, {"rules": np.array(rules_text(game.rules)), "keys": keys, **sums.packed()}
        )


def _under(mapping: GameMapping, feature: Feature) -> Feature:
    """Return the feature of a mapping's own game that one of the other game is."""
    fluents, roles = np.array(mapping.fluents), np.array(mapping.roles)
    # Moves of all roles are numbered through, in either game in the order of its own roles.
    counts = np.array([len(mapping.moves[role]) for role in np.argsort(roles).tolist()])
    begin = group_starts(counts)[:-1]
    moves = np.concatenate(
        [
            begin[role] + np.array(role_moves)
            for role, role_moves in zip(roles, mapping.moves, strict=True)
        ]
    )
    lookups = feature.lookups
    return replace(
        feature,
        fluents=feature.fluents[fluents],
        moves=feature.moves[moves],
        goals=feature.goals[roles],
        lookups=None if lookups is None else lookups.under(np.argsort(fluents)),
    )
