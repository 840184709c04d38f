"""The settings of alpha-beta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from neurogame.settings import Settings, setting


@final
@dataclass(frozen=True, kw_only=True)
class SearchSettings(Settings):
    """How alpha-beta searches; the value of a fixed depth does not depend on the speed-ups."""

    opponents: Literal["auto", "paranoid", "maxn"] = setting(
        "auto",
        "what the other roles are assumed to do. paranoid: they minimise the searching role's "
        "value (for two roles with a constant sum of goals this *is* minimax). maxn: everybody "
        "maximises their own value. auto: paranoid for one role and wherever no sampled outcome "
        "is better for all roles than another one, max^n otherwise, where cooperation may pay.",
    )
    outlook: Literal["margin", "own"] = setting(
        "own",
        "what the searching role reads from the values of all roles, for two roles whose goals "
        "sum to 100. own: its own value alone (as in all other games); margin: (own + 1 - other) "
        "/ 2.",
    )
    foresight: bool = setting(
        True,
        "whether a state is an end where a role can win with its next move, for two roles that "
        "move in turn and whose goals sum to 100; not where that takes too many gates",
    )
    transpositions: bool = setting(
        True,
        "whether anything is remembered of a state: otherwise equal states are searched again, "
        "and every iteration begins anew",
    )
    history: float = setting(
        0.05,
        "weight of the history heuristic in the move ordering, beside the children's values in "
        "0..1; 0 turns it off",
        least=0,
    )
    killers: float = setting(
        0.05,
        "what is added for a move that was best in another node of the same ply; 0 turns it off",
        least=0,
    )
    aspiration: float | None = setting(
        0.1,
        "half width of the first window around the last iteration's value, or None for the full "
        "window",
        above=0,
        most=1,
    )
    scout: bool = setting(
        True, "whether all moves but the first are looked at with a null window first"
    )
    reductions: float = setting(
        0.8,
        "how much less deep moves are searched first that come late in the order and look bad: by "
        "this times the logarithm of the depth times that of their place, and more the less they "
        "are worth. Those that are not refuted so are searched again. Not where a depth is asked "
        "for, whose value it would change. 0 turns it off",
        least=0,
        most=2,
    )
    batch: int | None = setting(
        None,
        "states generated together, where it pays to fill up a block. None: 64 where rules and "
        "evaluator are compiled, 256 where Python is called for every block.",
        least=1,
    )
    widest: int = setting(
        100_000, "a state with more joint moves than this is not expanded", least=1
    )
    memory: int = setting(
        256,
        "most memory for what is kept from move to move, for each role that searches; MiB. Where "
        "it is full, what seems least useful is given up. Where moves that are equal against all "
        "others together are told apart, it takes a quarter more.",
        least=1,
    )
    think_when_forced: bool = setting(
        False, "whether to search on where the role has one legal move only"
    )
