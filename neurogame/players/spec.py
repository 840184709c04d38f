"""The player string: one text that names a player everywhere.

::

    random                                 uniformly random legal moves
    human                                  a person at the terminal
    alphabeta:SOURCE[,NAME=VALUE...]       alpha-beta search on an evaluator
    mcts[:SOURCE][,NAME=VALUE...]          Monte-Carlo tree search; the first option may follow
                                           the colon, as in mcts:sims=1000
    heuristic[,NAME=VALUE...]              searches with the heuristic of one feature, found in
                                           the rules, that random games rank first
    solve[,NAME=VALUE...]                  games of one role: looks for the best line of moves
    auto[:FOLDER][,NAME=VALUE...]          looks at the game first and takes the player that suits
                                           it; FOLDER: checkpoints, looked up by structure

    SOURCE   the path of a checkpoint, such as checkpoints/pentago.pt; or that of a folder of
             checkpoints, in which the newest one of the game is looked up by the structure of its
             rules, whatever its names are; or that of weighted rules, which ends with .rules; or a
             fresh evaluator: cilp, cilp-paper, fuzzy,
             fluxplayer (made from the rules), features (found in the rules, weighed in random
             games), max(TEXT) or min(TEXT) (the most or the least of one feature), blind (all
             states that are not terminal are worth the same), random-net, mlp (random weights).
             MCTS uses an evaluator as cutoff, bias, minimax and experience say; where none of them
             is set, trials decide before the first match. Of a checkpoint it takes the judges of
             moves too, where tree or playout ask for them

    TEXT     a feature as ``neurogame features GAME --all`` prints it, or a part of its text that
             no other feature has, as the first role sees it: other roles have in its place what a
             symmetry, or the symbols of the roles, say. It may hold commas between parentheses
             and, as the whole lies between some, elsewhere

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
    gate                          MCTS with tree=gated or playout=gated, or with an evaluator of
                                  which nothing says what it is for: seconds that trials may take
                                  before the first match (default 60)
    learn                         a checkpoint into which the player goes on learning after each
                                  match, from its own and the others' moves; it is begun with
                                  SOURCE if it is not there, and else played with instead of SOURCE
    prepare                       auto: seconds for the choice where there is no start clock
                                  (default 30)
    threads                       auto: trees that a tree search grows side by side (default 1)

All other options are the fields of :class:`~neurogame.search.alphabeta.settings.SearchSettings` and
:class:`~neurogame.search.mcts.settings.MctsSettings`; ``docs/search.md`` explains each. By default
alpha-beta has the ``outlook`` with which a checkpoint was trained.

Examples: ``alphabeta:cilp``, ``alphabeta:cilp-paper,depth=2``, ``alphabeta:my.pt,seconds=1``,
``mcts:sims=1000``, ``mcts:playout=mast,tree=rave,seconds=1``, ``mcts:my.pt,cutoff=2``,
``mcts:playout=action,tree=action,sims=1000``, ``mcts:playout=gated,tree=gated,gate=10,seconds=1``,
``mcts:my.pt,playout=knowledge,tree=knowledge``, ``alphabeta:checkpoints,seconds=1``,
``mcts:features,seconds=1``, ``alphabeta:my.pt,refine=60``, ``alphabeta:cilp,learn=my.pt``,
``solve,seconds=5``, ``auto``, ``auto:checkpoints,seconds=1``, ``heuristic,seconds=1``,
``alphabeta:blind,seconds=1``, ``alphabeta:max(number of (cell * * white)),seconds=1``. A path must
not contain a comma.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import final

from neurogame.errors import ConfigurationError, PlayerError
from neurogame.evaluators.kinds import fresh_kind, fresh_names, move_kinds
from neurogame.gdl.library import shipped
from neurogame.players.own_options import OwnOptions, own_names
from neurogame.search.limit import LIMIT_NAMES, Limit
from neurogame.search.settings import SEARCHES
from neurogame.settings import Settings, spellings

RULES_SUFFIX = ".rules"
"""What the names of files of weighted rules end with."""
_PLAIN = ("random", "human")
_SETTINGS: dict[str, type[Settings]] = {**SEARCHES, "heuristic": SEARCHES["alphabeta"]}
_KINDS = (*_PLAIN, *_SETTINGS, "solve", "auto")
_LIMITS = {
    "alphabeta": ("seconds", "nodes", "depth"),
    "mcts": ("seconds", "nodes", "sims"),
    "heuristic": ("seconds", "nodes", "depth"),
    "solve": ("seconds", "nodes"),
    "auto": ("seconds", "nodes"),
}


@final
@dataclass(frozen=True, kw_only=True)
class PlayerSpec:
    """A player string, taken apart.

    Attributes:
        kind: ``random``, ``human``, ``alphabeta``, ``mcts``, ``heuristic``, ``solve`` or
            ``auto``.
        source: the evaluator: one of :func:`.fresh_names`, a heuristic or a path; empty where there
            is none. Of ``auto``: a folder of checkpoints.
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
        head, *pieces = (piece.strip() for piece in _split(text.strip()))
        kind, colon, source = (piece.strip() for piece in head.partition(":"))
        kind = kind.lower()
        if kind not in _KINDS:
            raise PlayerError(
                f"player {text!r}: unknown kind {kind!r}; allowed are random, human, "
                "alphabeta:SOURCE, mcts, heuristic, solve, auto"
            )
        if kind in _PLAIN:
            if colon or pieces:
                raise PlayerError(f"player {text!r}: {kind} takes neither a source nor options")
            return cls(kind=kind)
        if _is_option(source):
            source, pieces = "", [source, *pieces]
        if kind == "heuristic" and source:
            raise PlayerError(
                f"player {text!r}: heuristic takes no source; one heuristic alone is "
                "alphabeta:max(TEXT) or alphabeta:min(TEXT)"
            )
        if kind == "solve" and source:
            raise PlayerError(f"player {text!r}: solve takes no source, it needs the rules alone")
        if kind == "alphabeta" and not source:
            raise PlayerError(
                f"player {text!r}: no evaluator; write alphabeta:SOURCE, where SOURCE is the path "
                f"of a checkpoint, one of {', '.join(fresh_names())}, or max(TEXT) or min(TEXT)"
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
    def path(self) -> Path:
        """What a source that is no evaluator's name leads to: a file, a folder, or nothing."""
        return shipped(self.source)

    @property
    def is_fresh(self) -> bool:
        """Whether the evaluator is made anew instead of loaded."""
        return fresh_kind(self.source) is not None

    @property
    def is_written(self) -> bool:
        """Whether the evaluator is a file of weighted rules."""
        return not self.is_fresh and Path(self.source).suffix.lower() == RULES_SUFFIX

    @cached_property
    def own(self) -> OwnOptions:
        """The options that are the player's own, with their defaults."""
        names = spellings(OwnOptions)
        given = {name: text for name, text in self.options.items() if name in names}
        return OwnOptions.from_texts(given)

    @property
    def settings(self) -> dict[str, str]:
        """The options that are the search's, as texts."""
        names = own_names(self.kind)
        return {name: text for name, text in self.options.items() if name not in names}


def _split(text: str) -> list[str]:
    """Return the pieces between commas that do not lie in parentheses."""
    pieces, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth <= 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    # A file may have any name: parentheses that do not close have no meaning.
    return pieces if depth == 0 else text.split(",")


def _is_option(piece: str) -> bool:
    """Return whether the text after the colon is an option, not a path that holds a ``=``."""
    name, equals, _ = piece.partition("=")
    return bool(equals) and any(name.strip().lower() in allowed_options(kind) for kind in _LIMITS)


def allowed_options(kind: str) -> tuple[str, ...]:
    """Return the names of the options of a searching kind of player."""
    searching = spellings(_SETTINGS[kind]) if kind in _SETTINGS else ()
    return (*_LIMITS[kind], *searching, *own_names(kind))


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
    names: dict[type[Settings], set[str]] = {
        OwnOptions: set(own_names(kind)) & set(spellings(OwnOptions))
    }
    if kind in _SETTINGS:
        names[_SETTINGS[kind]] = set(spellings(_SETTINGS[kind]))
    try:
        for settings, known in names.items():
            settings.from_texts({name: options[name] for name in options if name in known})
        for judge in move_kinds().values() if kind == "mcts" else ():
            judge.check(options)
    except ConfigurationError as error:
        raise PlayerError(f"player {text!r}: {error}") from None
