"""What players see of a game: its own names, scrambled ones, or capitals; and the way back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from neurogame.gdl.keywords import UNRENAMED_WORDS
from neurogame.gdl.renaming import renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.gdl.terms import Rules
from neurogame.gdl.write import rule_text
from neurogame.ggp.protocol.messages import spaced


@final
@dataclass(frozen=True)
class Reading:
    """What a player's reply means.

    Attributes:
        move: one of the legal moves as given, or None if it is none of them.
        shown: the move in the rulesheet's own names, legal or not; empty if the reply does not
            even begin with a term.
    """

    move: str | None
    shown: str


@final
class Disguise:
    """Translates between the rulesheet's own names and those that players are sent.

    Moves come back as GGP-Base reads them: text behind the first term is ignored, and where
    names are scrambled they are put into lower case first and unknown ones are left alone. Where
    they are not scrambled GGP-Base compares moves with regard to case; here any case will do,
    unless ``strict`` asks for the exact spelling that the player was sent.

    Args:
        rules: the rulesheet.
        scramble_seed: decides the names; None keeps those of the rulesheet.
        upper_case: send everything in capitals, as Dresden's game controller does.
        strict: whether moves must be spelled as sent.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        scramble_seed: int | None = None,
        upper_case: bool = False,
        strict: bool = False,
    ) -> None:
        self._upper_case = upper_case
        self._scrambled = None if scramble_seed is None else scramble(rules, scramble_seed)
        # Scrambled names may be answered in any case, GGP-Base folds them.
        self._exact = strict and self._scrambled is None
        sent = rules if self._scrambled is None else self._scrambled.rules
        texts = (f"{spaced(rule_text(rule, sent.spelling))} " for rule in sent)
        self.rules = self._in_case("".join(texts))
        """The rulesheet as it is sent, without the parentheses around it."""

    def sent(self, term: str) -> str:
        """Return a role or move as players are sent it.

        Args:
            term: compact KIF in the rulesheet's own names.
        """
        if self._scrambled is not None:
            term = renamed_text(term, self._scrambled.to_scrambled)
        return self._in_case(term)

    def read(self, reply: str, legal: Sequence[str]) -> Reading:
        """Find the move that a player means.

        Args:
            reply: what it answered.
            legal: its legal moves, as compact KIF in the rulesheet's own names.
        """
        shown = first_term(reply)
        if not shown:
            return Reading(None, "")
        if self._exact:
            wanted = _folded_keywords(shown)
            spelled = {_folded_keywords(self.sent(move)): move for move in legal}
            return Reading(spelled.get(wanted), shown)
        if self._scrambled is not None:
            shown = renamed_text(shown, self._scrambled.to_original)
        return Reading({move.lower(): move for move in legal}.get(shown.lower()), shown)

    def _in_case(self, text: str) -> str:
        return text.upper() if self._upper_case else text


def first_term(reply: str) -> str:
    """Return the first term of a text as compact KIF, whatever comes after it; else nothing."""
    parts: list[str] = []
    depth = 0
    for token in re.finditer(r"[()]|[^\s()]+", reply):
        depth += (token[0] == "(") - (token[0] == ")")
        parts.append(token[0])
        if depth <= 0:
            break
    return "" if depth else " ".join(parts).replace("( ", "(").replace(" )", ")")


def _folded_keywords(term: str) -> str:
    """Return a term with the reserved words of GDL in lower case: GGP-Base folds only these."""
    return re.sub(
        r"[^\s()]+",
        lambda word: word[0].lower() if word[0].lower() in UNRENAMED_WORDS else word[0],
        term,
    )
