"""What a search answers, in plain Python: the twin of the compiled answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurogame.array_types import Float64s
from neurogame.search.mcts.compiled.reading import exact_value
from neurogame.search.mcts.compiled.tree import BOUND
from neurogame.search.mcts.final import RootResult
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.mcts.tree import MctsTree
from tests.search.twin_reading import (
    DeciderMoves,
    child,
    choices,
    is_exact,
    node_values,
    only_moves,
    plies_left,
)

_LONGEST_LINE = 64
_EVEN = 0.5
"""Value below which a role is better off the later the game ends."""


def answer(trees: Sequence[MctsTree], role: int, settings: MctsSettings) -> RootResult:
    """Return what trees with the same root say together.

    Args:
        trees: at least one; the first that has proved its root, or else the first of all, tells
            the line. The values of the other roles are the means of all trees, too.
        role: whose move is wanted.
        settings: of the search.
    """
    decisions = [_choice(one, role) for one in trees]
    proved_ones = (one for one in trees if is_exact(one.tree, one.tree.root))
    first, offset = next(proved_ones, trees[0]), int(trees[0].plan.circuit.move_offsets[role])
    root = first.tree.root
    if decisions[0] is None:
        move = only_moves(first.tree, root)[role]
        value, scores, tries, proved = _root_value(first, root), {}, {}, is_exact(first.tree, root)
        plies = {move - offset: plies_left(first.tree, root)} if proved else {}
        line = _line(first, settings, {})
    else:
        together = _added([choice for choice in decisions if choice is not None])
        best = pick(together, settings, first.plan.circuit.best[role])
        move, tried = int(together.moves[best]), together.visits > 0
        proved = bool(together.known[best])
        score = np.where(tried, together.means, 0.5)
        scores = {
            int(m) - offset: exact_value(s) if k else float(s)
            for m, s, k in zip(
                together.moves[tried], score[tried], together.known[tried], strict=True
            )
        }
        tries = {
            int(m) - offset: int(n) for m, n in zip(together.moves, together.visits, strict=True)
        }
        plies = {
            int(m) - offset: int(n) + 1
            for m, n in zip(together.moves, together.plies, strict=True)
            if n >= 0
        }
        value = _value_after(first, root, role, move, scores.get(move - offset), proved)
        if len(trees) > 1 and not proved:
            value = _mean_values(trees, decisions, role, move)
            value[role] = scores.get(move - offset, value[role])
        line = _line(first, settings, {role: move})
    return RootResult(
        move=move - offset,
        value=tuple(exact_value(v) if proved else float(v) for v in value),
        proved=proved,
        scores=scores,
        plies=plies,
        tries=tries,
        line=line,
    )


def pick(choice: DeciderMoves, settings: MctsSettings, best: float) -> int:
    """Return the number of the final move.

    A move that is proved to be the best of the game is taken. Else the rule chooses among the
    moves that are not proved, and the best proved one is taken if it is worth more; a proved
    loss only where nothing else is left. Of proved moves that are worth the same, the one that wins
    soonest is taken if that is the best of the game, the one that loses latest if it is worth less
    than one half, and between those that still are alike the mean before the proof decides.

    *Reference:* Chaslot et al., "Progressive strategies for Monte-Carlo tree search" (2008).

    Args:
        choice: the moves, in an order that decides between equal ones.
        settings: with the rule and the constant of its bound.
        best: best value that the role can get in this game.
    """
    means = np.where(choice.visits > 0, choice.means, -1.0)
    open_ = np.flatnonzero(~choice.known)
    known = np.flatnonzero(choice.known)
    ranks = [_rank_of_proved(choice, best, number) for number in known.tolist()]
    sure = int(known[ranks.index(max(ranks))]) if ranks else -1
    if not len(open_):
        return sure
    if sure >= 0 and exact_value(means[sure]) >= best:
        return sure
    likely = max(open_.tolist(), key=lambda number: _rank(choice, means, settings, number))
    return sure if sure >= 0 and means[sure] > max(means[likely], 0.0) else likely


def _rank_of_proved(choice: DeciderMoves, best: float, number: int) -> tuple[float, float, float]:
    """Return what decides between proved moves: the value, then the plies, then the mean."""
    value = exact_value(float(choice.means[number])) if choice.visits[number] else -1.0
    plies = int(choice.plies[number])
    # Where memory is short the plies are unknown: the move is taken to be the worst one.
    sooner = -float(plies if plies >= 0 else BOUND)
    later = float(plies) if value < _EVEN else 0.0
    return value, sooner if value >= best else later, float(choice.before[number])


def _rank(
    choice: DeciderMoves, means: Float64s, settings: MctsSettings, number: int
) -> tuple[float, float]:
    """Return what decides between moves, then what decides between equal ones."""
    visits, mean = float(choice.visits[number]), float(means[number])
    if settings.final == "robust":
        return visits, mean
    if settings.final == "max" or visits == 0:
        return mean, visits
    spread = np.sqrt(np.log(max(choice.visits.sum(), 1)) / visits)
    return mean - settings.exploration_constant * float(spread), visits


def _choice(tree: MctsTree, role: int) -> DeciderMoves | None:
    """Return the choice of a role at the root, None if it has none."""
    decided = choices(tree.tree, tree.tree.root)
    return next((c for c in decided if c.role == role and len(c.moves) > 1), None)


def _added(decisions: Sequence[DeciderMoves]) -> DeciderMoves:
    """Return the choices of several trees as one; a value that one of them has proved holds."""
    first = decisions[0]
    if len(decisions) == 1:
        return first
    visits, sums = np.zeros_like(first.visits), np.zeros_like(first.sums)
    known, before = np.zeros_like(first.known), np.full_like(first.sums, 0.5)
    values, plies = np.zeros_like(first.sums), np.full_like(first.plies, -1)
    for one in decisions:
        order = np.argsort(one.moves)[np.argsort(np.argsort(first.moves))]
        visits += one.visits[order]
        sums += one.sums[order]
        values = np.where(one.known[order], one.means[order], values)
        # Every proof is an upper bound.
        nearer = (one.plies[order] >= 0) & ((plies < 0) | (one.plies[order] < plies))
        plies = np.where(nearer, one.plies[order], plies)
        before = np.where(nearer, one.before[order], before)
        known |= one.known[order]
    return DeciderMoves(
        role=first.role,
        moves=first.moves,
        visits=visits,
        sums=np.where(known, values * visits, sums),
        known=known,
        links=first.links,
        plies=plies,
        before=before,
    )


def _root_value(tree: MctsTree, root: int) -> Float64s:
    """Return the mean results at the root, one half where there are none."""
    values = node_values(tree.tree, root)
    return np.full(len(tree.plan.circuit.roles), 0.5) if values is None else values


def _value_after(
    tree: MctsTree, root: int, role: int, move: int, score: float | None, proved: bool
) -> Float64s:
    """Return the values of all roles once a move is made; those of the root where unknown."""
    worth = _root_value(tree, root)
    decided = choices(tree.tree, root)
    if len(decided) == 1 and not (proved and is_exact(tree.tree, root)):
        number = int(np.flatnonzero(decided[0].moves == move)[0])
        after = child(tree.tree, root, decided, [number])
        values = node_values(tree.tree, after) if after else None
        worth = worth if values is None else values
    if score is not None:
        worth[role] = score
    return worth


def _mean_values(
    trees: Sequence[MctsTree], decisions: Sequence[DeciderMoves | None], role: int, move: int
) -> Float64s:
    """Return the values of all roles once a move is made, by all simulations that made it."""
    total, weights = np.zeros(len(_root_value(trees[0], trees[0].tree.root))), 0.0
    for tree, choice in zip(trees, decisions, strict=True):
        visits = 0 if choice is None else int(choice.visits[choice.moves == move].sum())
        weight = max(visits, 1e-9)
        total += weight * _value_after(tree, tree.tree.root, role, move, None, False)
        weights += weight
    return total / weights


def _line(
    tree: MctsTree, settings: MctsSettings, forced: dict[int, int]
) -> tuple[tuple[int, ...], ...]:
    """Return the joint moves of the expected line.

    Args:
        tree: to read.
        settings: of the search.
        forced: role -> the move it makes at the root.
    """
    line: list[tuple[int, ...]] = []
    node, seen = tree.tree.root, set[int]()
    while node and node not in seen and len(line) < _LONGEST_LINE:
        seen.add(node)
        decided = choices(tree.tree, node)
        if not decided or not any(choice.visits.any() for choice in decided):
            break
        joint, picks = only_moves(tree.tree, node), []
        for choice in decided:
            number = pick(choice, settings, tree.plan.circuit.best[choice.role])
            if choice.role in forced:
                number = int(np.flatnonzero(choice.moves == forced[choice.role])[0])
            picks.append(number)
            joint[choice.role] = int(choice.moves[number])
        offsets = tree.plan.circuit.move_offsets.tolist()
        line.append(tuple(m - o for m, o in zip(joint, offsets, strict=False)))
        node, forced = child(tree.tree, node, decided, picks), {}
    return tuple(line)
