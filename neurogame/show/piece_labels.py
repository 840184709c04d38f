"""Short, unique abbreviations of what stands on a board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

_SHORT = 2
_MOST_LETTERS = 8


def piece_labels(contents: Sequence[tuple[str, ...]]) -> list[str]:
    """Abbreviate contents, part by part.

    Args:
        contents: different tuples of names, all of the same length.

    Returns:
        One label per content, all different; a mark for the empty tuple.

    >>> piece_labels([("white", "king"), ("white", "knight"), ("black", "king")])
    ['wk', 'wn', 'bk']
    """
    if not contents:
        return []
    if not contents[0]:
        return ["*"]
    parts = [abbreviations({content[i] for content in contents}) for i in range(len(contents[0]))]
    for separator in ("", "-"):
        labels = [
            separator.join(part[name] for part, name in zip(parts, content, strict=True))
            for content in contents
        ]
        if len(set(labels)) == len(labels):
            return labels
    return [" ".join(content) for content in contents]


def abbreviations(names: set[str]) -> dict[str, str]:
    """Abbreviate names: to one own letter each if there are few, else to their first letters.

    Names of one or two characters stay as they are, and so does a single name's first letter.
    """
    ordered = sorted(names)
    if all(len(name) <= _SHORT for name in ordered):
        return {name: name for name in ordered}
    pairs = zip(ordered[0], ordered[-1], strict=False)
    # Of sorted names, what the first and the last share is shared by all.
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    # "player1, player2" differ in what follows; a shared first letter alone is no such case.
    rest = {name: name[shared:] if shared >= 2 else name for name in ordered}
    if not all(rest.values()):
        rest = {name: name for name in ordered}
    return _letters(rest) or _prefixes(rest)


def _letters(names: dict[str, str]) -> dict[str, str] | None:
    """Give each name one of its own letters, the first that is free, or return None."""
    if len(names) > _MOST_LETTERS:
        return None
    taken: dict[str, str] = {}
    # Every first letter is given away before any second one.
    late = []
    for name, text in names.items():
        if text[0].isalnum() and text[0] not in taken.values():
            taken[name] = text[0]
        else:
            late.append(name)
    for name in late:
        free = (c for c in names[name] if c.isalpha() and c not in taken.values())
        letter = next(free, None)
        if letter is None:
            return None
        taken[name] = letter
    return taken


def _prefixes(names: dict[str, str]) -> dict[str, str]:
    """Give each name its shortest prefix that no other name starts with."""
    prefixes = {}
    for name, text in names.items():
        others = [other for key, other in names.items() if key != name]
        lengths = range(1, len(text) + 1)
        fits = (n for n in lengths if not any(other.startswith(text[:n]) for other in others))
        prefixes[name] = text[: next(fits, len(text))]
    return prefixes
