"""The player string: one text that names a player everywhere.

::

    random                                 uniformly random legal moves
    human                                  a person at the terminal
    alphabeta:SOURCE[,NAME=VALUE...]       alpha-beta search on an evaluator
    mcts[:SOURCE][,NAME=VALUE...]          Monte-Carlo tree search; the first option may follow
                                           the colon, as in mcts:sims=1000
    auto[:FOLDER][,NAME=VALUE...]          looks at the game first and takes the player that suits
                                           it; FOLDER: checkpoints, looked up by structure

    SOURCE   the path of a checkpoint, such as checkpoints/pentago.pt; or that of a folder of
             checkpoints, in which the newest one of the game is looked up by the structure of its
             rules, whatever its names are; or a fresh evaluator: cilp, cilp-paper, fuzzy,
             fluxplayer (made from the rules), features (found in the rules, weighed in random
             games), random-net, mlp (random weights). MCTS wants an evaluator with cutoff, bias or
             minimax only; of a checkpoint it takes the judges of moves too, where tree or playout
             ask for them

    seconds, nodes, depth, sims   the player's own limits; the stricter of these and the match's
                                  count. Where neither says anything a player that searches
                                  thinks for a second, or until the position is decided
    noise                         fresh cilp and cilp-paper evaluators: weights grow by up to this
                                  much at random, anew for every match
    device                        of the evaluator: cpu (default), cuda, ...
    games                         MCTS with knowledge that no checkpoint holds: random games from
                                  which it is learned before the first match (default 5000)
    policy                        MCTS with such knowledge: who plays these games: random (default),
                                  or knowledge: after a tenth, the knowledge itself
    refine                        seconds of self-play, before the first match, by which an
                                  evaluator is refined (default 0); in a start clock no more than
                                  fits. Refined weights that are not better are dropped
    gate                          MCTS with tree=gated or playout=gated: seconds that the decision
                                  may take before the first match (default 60)
    learn                         a checkpoint into which the player goes on learning after each
                                  match, from its own and the others' moves; it is begun with
                                  SOURCE if it is not there, and else played with instead of SOURCE
    prepare                       auto: seconds for the choice where there is no start clock
                                  (default 30)
    threads                       auto: trees that a tree search grows side by side (default 1)

All other options are the fields of :class:`~neurogame.search.settings.SearchSettings` and
:class:`~neurogame.search.mcts_settings.MctsSettings`; ``docs/search.md`` explains each. By default
alpha-beta has the ``outlook`` with which a checkpoint was trained.

Examples: ``alphabeta:cilp``, ``alphabeta:cilp-paper,depth=2``, ``alphabeta:my.pt,seconds=1``,
``mcts:sims=1000``, ``mcts:playout=mast,tree=rave,seconds=1``, ``mcts:my.pt,cutoff=2``,
``mcts:playout=action,tree=action,sims=1000``, ``mcts:playout=gated,tree=gated,gate=10,seconds=1``,
``mcts:my.pt,playout=knowledge,tree=knowledge``, ``alphabeta:checkpoints,seconds=1``,
``alphabeta:my.pt,refine=60``, ``alphabeta:cilp,learn=my.pt``, ``auto``,
``auto:checkpoints,seconds=1``. A path must not contain a comma.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

from neurogame.errors import ConfigurationError, PlayerError
from neurogame.evaluators.config import FRESH
from neurogame.players.own_options import OWN, OwnOptions
from neurogame.search.limit import LIMIT_NAMES, Limit
from neurogame.search.mcts_settings import MctsSettings
from neurogame.search.settings import SearchSettings
from neurogame.settings import Settings, settings_of, spellings

_PLAIN = ("random", "human")
_SETTINGS: dict[str, type[Settings]] = {"alphabeta": SearchSettings, "mcts": MctsSettings}
_KINDS = (*_PLAIN, *_SETTINGS, "auto")
_LIMITS = {
    "alphabeta": ("seconds", "nodes", "depth"),
    "mcts": ("seconds", "nodes", "sims"),
    "auto": ("seconds", "nodes"),
}


@final
@dataclass(frozen=True, kw_only=True)
class PlayerSpec:
    """A player string, taken apart.

    Attributes:
        kind: ``random``, ``human``, ``alphabeta``, ``mcts`` or ``auto``.
        source: the evaluator: a name of :data:`FRESH` or a path; empty where there is none. Of
            ``auto``: a folder of checkpoints.
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
                "alphabeta:SOURCE, mcts, auto"
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

    @cached_property
    def own(self) -> OwnOptions:
        """The options that are the player's own, with their defaults."""
        names = OWN.get(self.kind, ())
        given = {name: text for name, text in self.options.items() if name in names}
        return OwnOptions(**OwnOptions.read(given))

    @property
    def settings(self) -> dict[str, str]:
        """The options that are the search's, as texts."""
        own = OWN.get(self.kind, ())
        return {name: text for name, text in self.options.items() if name not in own}


def _is_option(piece: str) -> bool:
    """Return whether the text after the colon is an option, not a path that holds a ``=``."""
    name, equals, _ = piece.partition("=")
    return bool(equals) and any(name.strip().lower() in allowed_options(kind) for kind in _LIMITS)


def allowed_options(kind: str) -> tuple[str, ...]:
    """Return the names of the options of a searching kind of player."""
    searching = spellings(_SETTINGS[kind]) if kind in _SETTINGS else ()
    return (*_LIMITS[kind], *searching, *OWN[kind])


def _options(text: str, kind: str, pieces: list[str]) -> dict[str, str]:
    """Return the options of a searching player, checked."""
    options: dict[str, str] = {}
    for piece in pieces:
        name, equals, value = (part.strip() for part in piece.partition("="))
        name = name.lower()
        if not equals or not value or name in options:
            raise PlayerError(f"player {text!r}: found {piece!r}; write name=value, each name once")
        if name not in allowed_options(kind):
            allowed = ", ".join(allowed_options(kind))
            raise PlayerError(f"player {text!r}: unknown option {name!r}; allowed are {allowed}")
        options[name] = value
    _check(text, kind, options)
    return options


def _check(text: str, kind: str, options: Mapping[str, str]) -> None:
    """Refuse values that the search's settings, or the player's own options, cannot have."""
    if kind in _SETTINGS:
        names = spellings(_SETTINGS[kind])
        chosen = {name: value for name, value in options.items() if name in names}
        try:
            _SETTINGS[kind](**_SETTINGS[kind].read(chosen))
        except ConfigurationError as error:
            raise PlayerError(f"player {text!r}: {error}") from None
    for entry in settings_of(OwnOptions):
        if entry.name in OWN[kind] and entry.name in options:
            value = options[entry.name]
            try:
                OwnOptions(**OwnOptions.read({entry.name: value}))
            except ConfigurationError:
                raise PlayerError(
                    f"player {text!r}: {entry.name}={value}; {entry.about.allowed}"
                ) from None
