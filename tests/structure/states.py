"""States of random play and successor relations, for tests."""

from __future__ import annotations

import numpy as np

from neurogame.analysis.random_play import WordEvaluator, play
from neurogame.array_types import Bools
from neurogame.gdl.terms import Rules
from neurogame.graph.lanes import unpack_lanes
from neurogame.simulate.game import Game
from neurogame.structure.static_relations import find_static_relations
from neurogame.structure.successors import SuccessorRelation, successors_among


def sampled(game: Game, most: int, seed: int = 0) -> Bools:
    """Return different states of random play, ends among them; bool ``[S, F]``."""
    plies = play(WordEvaluator(game.circuit), seed=seed, words=1, plies=200, work=10**8)
    found: Bools = np.unique(
        np.concatenate([unpack_lanes(ply.state, 64).T for ply in plies]), axis=0
    )
    order = np.random.default_rng(seed).permutation(len(found))
    return found[order[:most]]


def find_successors(rules: Rules) -> tuple[SuccessorRelation, ...]:
    """Return the successor relations of a rulesheet, in source order."""
    return successors_among(find_static_relations(rules).joins)
