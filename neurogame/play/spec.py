"""The player string: one text that names a player everywhere.

::

    random                                 uniformly random legal moves
    human                                  a person at the terminal
    alphabeta:SOURCE[,NAME=VALUE...]       alpha-beta search on an evaluator
    mcts[:SOURCE][,NAME=VALUE...]          Monte-Carlo tree search; the first option may follow
                                           the colon, as in mcts:sims=1000

    SOURCE   the path of a checkpoint, such as checkpoints/pentago.pt, or a fresh evaluator:
             cilp, cilp-paper, fuzzy, fluxplayer (made from the rules), random-net, mlp (random
             weights). MCTS wants an evaluator with cutoff, bias or minimax only; of a checkpoint
             it takes the judges of moves too, where tree or playout ask for them

    seconds, nodes, depth, sims   the player's own limits; the stricter of these and the match's
                                  count. Where neither says anything alpha-beta looks one ply
                                  ahead and MCTS makes 1000 simulations
    noise                         fresh cilp and cilp-paper evaluators: weights grow by up to this
                                  much at random, anew for every match
    device                        of the evaluator: cpu (default), cuda, ...
    games                         MCTS with knowledge that no checkpoint holds: random games from
                                  which it is learned before the first match (default 5000)
    gate                          MCTS with tree=gated or playout=gated: seconds that the decision
                                  may take before the first match (default 60)

All other options are the fields of :class:`~neurogame.search.settings.SearchSettings` and
:class:`~neurogame.search.mcts_settings.MctsSettings`; ``docs/search.md`` explains each. By default
alpha-beta has the ``outlook`` with which a checkpoint was trained.

Examples: ``alphabeta:cilp``, ``alphabeta:cilp-paper,depth=2``, ``alphabeta:my.pt,seconds=1``,
``mcts:sims=1000``, ``mcts:playout=mast,tree=rave,seconds=1``, ``mcts:my.pt,cutoff=2``,
``mcts:playout=action,tree=action,sims=1000``, ``mcts:playout=gated,tree=gated,gate=10,seconds=1``,
``mcts:my.pt,playout=knowledge,tree=knowledge``. A path must not contain a comma.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from neurogame.errors import ConfigurationError, PlayerError
from neurogame.evaluators.config import KINDS as EVALUATORS
from neurogame.search.limit import LIMIT_NAMES, Limit
from neurogame.search.mcts_settings import MctsSettings
from neurogame.search.option_texts import option_names, read_options
from neurogame.search.settings import SearchSettings

FRESH = {"random-net" if kind == "random" else kind: kind for kind in EVALUATORS}
"""Fresh evaluators: the name in a player string -> the kind of evaluator."""

_PLAIN = ("random", "human")
_SETTINGS: dict[str, type] = {"alphabeta": SearchSettings, "mcts": MctsSettings}
_KINDS = (*_PLAIN, *_SETTINGS)
_LIMITS = {
    "alphabeta": ("seconds", "nodes", "depth"),
    "mcts": ("seconds", "nodes", "sims"),
}
_OWN = {"alphabeta": ("noise", "device"), "mcts": ("noise", "device", "games", "gate")}
_GAMES, _GATE = "5000", "60"


@final
@dataclass(frozen=True, kw_only=True)
class PlayerSpec:
    """A player string, taken apart.

    Attributes:
        kind: ``random``, ``human``, ``alphabeta`` or ``mcts``.
        source: the evaluator: a name of :data:`FRESH` or a path; empty where there is none.
        limit: the player's own limit.
        options: all other options, as texts.
    """

    kind: str
    source: str = ""
    limit: Limit = field(default_factory=Limit)
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> PlayerSpec:
        """Read a player string; the reverse of ``str``.

        Args:
            text: see the module's documentation.

        Raises:
            PlayerError: it is not one; the text says what was found and what is allowed.
            ConfigurationError: a limit is out of its range.
        """
        head, *pieces = (piece.strip() for piece in text.strip().split(","))
        kind, colon, source = (piece.strip() for piece in head.partition(":"))
        kind = kind.lower()
        if kind not in _KINDS:
            raise PlayerError(
                f"player {text!r}: unknown kind {kind!r}; allowed are random, human, "
                "alphabeta:SOURCE, mcts"
            )
        if kind in _PLAIN:
            if colon or pieces:
                raise PlayerError(f"player {text!r}: {kind} takes neither a source nor options")
            return cls(kind=kind)
        if _is_option(source):
            source, pieces = "", [source, *pieces]
        if kind == "alphabeta" and not source:
            raise PlayerError(
                f"player {text!r}: no evaluator; write alphabeta:SOURCE, where SOURCE is the path "
                f"of a checkpoint or one of {', '.join(FRESH)}"
            )
        options = _options(text, kind, pieces)
        limit = Limit.from_texts(
            {name: options.pop(name) for name in LIMIT_NAMES if name in options}
        )
        return cls(kind=kind, source=source, limit=limit, options=options)

    def __str__(self) -> str:
        """Return the player string."""
        pairs = [f"{name}={value}" for name, value in self.options.items()]
        rest = ",".join(filter(None, [self.source, str(self.limit), *pairs]))
        return f"{self.kind}:{rest}" if rest else self.kind

    @property
    def is_fresh(self) -> bool:
        """Whether the evaluator is made anew instead of loaded."""
        return self.source.lower() in FRESH

    @property
    def noise(self) -> float:
        """Random growth of the weights of a fresh evaluator; 0 or more."""
        return float(self.options.get("noise", "0"))

    @property
    def games(self) -> int:
        """Random games from which knowledge is learned; at least 1."""
        return int(self.options.get("games", _GAMES))

    @property
    def gate(self) -> float:
        """Seconds that gating may take; 0 or more."""
        return float(self.options.get("gate", _GATE))

    @property
    def settings(self) -> dict[str, str]:
        """The options that are the search's, as texts."""
        own = _OWN.get(self.kind, ())
        return {name: text for name, text in self.options.items() if name not in own}


def _is_option(piece: str) -> bool:
    """Return whether the text after the colon is an option, not a path that holds a ``=``."""
    name, equals, _ = piece.partition("=")
    return bool(equals) and any(name.strip().lower() in _allowed(kind) for kind in _SETTINGS)


def _allowed(kind: str) -> tuple[str, ...]:
    return (*_LIMITS[kind], *option_names(_SETTINGS[kind]), *_OWN[kind])


def _options(text: str, kind: str, pieces: list[str]) -> dict[str, str]:
    """Return the options of a searching player, checked."""
    options: dict[str, str] = {}
    for piece in pieces:
        name, equals, value = (part.strip() for part in piece.partition("="))
        name = name.lower()
        if not equals or not value or name in options:
            raise PlayerError(f"player {text!r}: found {piece!r}; write name=value, each name once")
        if name not in _allowed(kind):
            raise PlayerError(
                f"player {text!r}: unknown option {name!r}; allowed are {', '.join(_allowed(kind))}"
            )
        options[name] = value
    _check(text, kind, options)
    return options


def _check(text: str, kind: str, options: Mapping[str, str]) -> None:
    """Refuse values that the search's settings, or the player's own options, cannot have."""
    names = option_names(_SETTINGS[kind])
    chosen = {name: value for name, value in options.items() if name in names}
    try:
        _SETTINGS[kind](**read_options(_SETTINGS[kind], chosen))
    except ConfigurationError as error:
        raise PlayerError(f"player {text!r}: {error}") from None
    for name, least in (("noise", 0.0), ("gate", 0.0), ("games", 1.0)):
        whole = name == "games"
        number = _number(options.get(name, "1"), whole)
        if number is None or not least <= number < float("inf"):
            kind_of = "a whole number" if whole else "a number"
            raise PlayerError(
                f"player {text!r}: {name}={options[name]}; {kind_of} of at least {least:g}"
            )


def _number(text: str, whole: bool) -> float | None:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        return None
