"""The random numbers of tree search, in plain Python."""

from __future__ import annotations

_WORD = (1 << 64) - 1
_G1, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(word: int) -> int:
    """The finaliser of splitmix64."""
    word = (word ^ (word >> 30)) * _MIX_1 & _WORD
    word = (word ^ (word >> 27)) * _MIX_2 & _WORD
    return word ^ (word >> 31)


def random_word(seed: int, number: int, draw: int) -> int:
    start = mixed((seed + (number + 1) * _G1) & _WORD)
    return mixed((start + (draw + 1) * _G1) & _WORD)


def shuffled(moves: list[int], word: int) -> list[int]:
    """Fisher and Yates, from the end."""
    moves = list(moves)
    for last in range(len(moves) - 1, 0, -1):
        word = (word + _G1) & _WORD
        other = ((mixed(word) >> 32) * (last + 1)) >> 32
        moves[last], moves[other] = moves[other], moves[last]
    return moves


def fraction(number: int) -> float:
    return ((number * _G1 & _WORD) >> 11) / 2**53
