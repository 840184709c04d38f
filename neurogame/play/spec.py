"""The player string: one text that names a player everywhere.

::

    random                                 uniformly random legal moves
    human                                  a person at the terminal
    alphabeta:SOURCE[,name=value...]       alpha-beta search on an evaluator

    SOURCE   the path of a checkpoint, such as checkpoints/pentago.pt, or a fresh evaluator:
             sound, paper, fuzzy (made from the rules), random-net, mlp (random weights)

    seconds, nodes, depth   the player's own limits; the stricter of these and the match's count;
                            one ply where neither says anything
    opponents               auto, paranoid or maxn
    outlook                 own or margin (default: as the checkpoint was trained, else own)
    noise                   fresh sound and paper evaluators: weights grow by up to this much at
                            random, anew for every match
    device                  cpu (default), cuda, ...

Examples: ``alphabeta:sound``, ``alphabeta:paper,depth=2``, ``alphabeta:my.pt,seconds=1``. A path
must not contain a comma.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from neurogame.errors import PlayerError
from neurogame.search.limit import Limit
from neurogame.search.settings import OPPONENTS, OUTLOOKS

FRESH = {"sound": "sound", "paper": "paper", "fuzzy": "fuzzy", "random-net": "random", "mlp": "mlp"}
"""Fresh evaluators: the name in a player string -> the kind of evaluator."""

_KINDS = ("random", "human", "alphabeta")
_LIMITS = ("seconds", "nodes", "depth")
_CHOICES = {"opponents": OPPONENTS, "outlook": OUTLOOKS}
_OPTIONS = (*_LIMITS, *_CHOICES, "noise", "device")


@final
@dataclass(frozen=True, kw_only=True)
class PlayerSpec:
    """A player string, taken apart.

    Attributes:
        kind: ``random``, ``human`` or ``alphabeta``.
        source: the evaluator: a name of :data:`FRESH` or a path; empty for other kinds.
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
                "alphabeta:SOURCE"
            )
        if kind != "alphabeta":
            if colon or pieces:
                raise PlayerError(f"player {text!r}: {kind} takes neither a source nor options")
            return cls(kind=kind)
        if not source:
            raise PlayerError(
                f"player {text!r}: no evaluator; write alphabeta:SOURCE, where SOURCE is the path "
                f"of a checkpoint or one of {', '.join(FRESH)}"
            )
        options = _options(text, pieces)
        limit = Limit.from_texts({name: options.pop(name) for name in _LIMITS if name in options})
        return cls(kind=kind, source=source, limit=limit, options=options)

    def __str__(self) -> str:
        """Return the player string."""
        head = f"{self.kind}:{self.source}" if self.source else self.kind
        pairs = [f"{name}={value}" for name, value in self.options.items()]
        return ",".join(filter(None, [head, str(self.limit), *pairs]))

    @property
    def is_fresh(self) -> bool:
        """Whether the evaluator is made anew instead of loaded."""
        return self.source.lower() in FRESH

    @property
    def noise(self) -> float:
        """Random growth of the weights of a fresh evaluator; 0 or more."""
        return float(self.options.get("noise", "0"))


def _options(text: str, pieces: list[str]) -> dict[str, str]:
    """Return the options of an alpha-beta player, checked."""
    options: dict[str, str] = {}
    for piece in pieces:
        name, equals, value = (part.strip() for part in piece.partition("="))
        name = name.lower()
        if not equals or not value or name in options:
            raise PlayerError(f"player {text!r}: found {piece!r}; write name=value, each name once")
        if name not in _OPTIONS:
            raise PlayerError(
                f"player {text!r}: unknown option {name!r}; allowed are {', '.join(_OPTIONS)}"
            )
        if name in _CHOICES and value not in _CHOICES[name]:
            raise PlayerError(
                f"player {text!r}: {name}={value}; allowed are {', '.join(_CHOICES[name])}"
            )
        options[name] = value
    try:
        noisy = float(options.get("noise", "0"))
    except ValueError:
        noisy = -1.0
    if not 0 <= noisy < float("inf"):
        raise PlayerError(f"player {text!r}: noise={options['noise']}; a number of at least 0")
    return options
