"""An evaluator trained on one game, put to use on the same game under other names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import torch
from torch import Tensor

from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.gdl.parse import parse_term
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.terms import Compound, Symbol, Term
from neurogame.gdl.write import term_text
from neurogame.learn.renaming import find_renaming
from neurogame.simulate.game import Game


@final
class MappedEvaluator(Evaluator):
    """Reads the fluents of one game and values them with an evaluator of another.

    Args:
        inner: the evaluator; its fluents and roles are those it was trained on.
        fluents: for each fluent of the inner game the index of the same fluent in the outer
            game; int64 ``[F]``.
        roles: for each role of the outer game the index of the same role in the inner game;
            int64 ``[R]``.
    """

    def __init__(self, inner: Evaluator, fluents: Tensor, roles: Tensor) -> None:
        super().__init__(len(fluents), len(roles), inner.describe())
        self.inner = inner
        self.register_buffer("fluent_index", fluents)
        self.register_buffer("role_index", roles)

    def forward(self, fluents: Tensor) -> Tensor:
        """Return the values ``[B, R]`` in 0..1, roles of the outer game, of states ``[B, F]``."""
        index, roles = self.get_buffer("fluent_index"), self.get_buffer("role_index")
        values: Tensor = self.inner(fluents.index_select(1, index))
        return values.index_select(1, roles)


def map_evaluator(evaluator: Evaluator, own: Game, game: Game, signature: str) -> Evaluator:
    """Return an evaluator of one game that reads the states of another with the same rules.

    Args:
        evaluator: values states of ``own``.
        own: the game it was trained on.
        game: the game to value; its names and the order of its rules may differ.
        signature: structural signature of ``own``.

    Raises:
        CheckpointError: the rules differ in more than names and order.
    """
    if _folded(own.fluents) == _folded(game.fluents) and _folded(own.roles) == _folded(game.roles):
        renaming: Mapping[str, str] | None = {}
    elif structural_signature(game.rules) != signature:
        raise CheckpointError(
            f"the checkpoint was trained on {own.name} ({', '.join(own.roles)}; "
            f"{len(own.fluents)} fluents), and {game.name} ({', '.join(game.roles)}; "
            f"{len(game.fluents)} fluents) has other rules; train one for it"
        )
    else:
        renaming = find_renaming(own.rules, game.rules)
    try:
        if renaming is None:
            raise KeyError("no renaming of the names was found")
        roles = [_place(game.roles, name, renaming) for name in own.roles]
        fluents = [_place(game.fluents, text, renaming) for text in own.fluents]
    except KeyError as error:
        raise CheckpointError(
            f"{game.name} has the structure of {own.name}, on which the checkpoint was trained, "
            f"but its names cannot be matched ({error.args[0]})"
        ) from None
    if fluents == list(range(len(fluents))) and roles == list(range(len(roles))):
        return evaluator
    inner_role = torch.argsort(torch.tensor(roles))
    return MappedEvaluator(evaluator, torch.tensor(fluents), inner_role)


def _place(texts: tuple[str, ...], text: str, renaming: Mapping[str, str]) -> int:
    """Return where the renamed term stands in a list of terms."""
    renamed = term_text(_renamed(parse_term(text), renaming)).lower()
    for index, other in enumerate(texts):
        if other.lower() == renamed:
            return index
    raise KeyError(f"there is nothing like {text}")


def _renamed(term: Term, renaming: Mapping[str, str]) -> Term:
    if isinstance(term, Compound):
        arguments = tuple(_renamed(argument, renaming) for argument in term.arguments)
        return Compound(renaming.get(term.name, term.name), arguments)
    return Symbol(renaming.get(term.name, term.name))


def _folded(texts: tuple[str, ...]) -> list[str]:
    return sorted(text.lower() for text in texts)
