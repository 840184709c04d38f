"""The random words on Python integers, written from their definition."""

from __future__ import annotations

ALL = 2**64 - 1
G1 = 0x9E3779B97F4A7C15
G2 = 0xD1342543DE82EF95


def slow_mix(word: int) -> int:
    """The finaliser of splitmix64 on unsigned Python integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & ALL
    word = (word ^ word >> 27) * 0x94D049BB133111EB & ALL
    return word ^ word >> 31


def slow_word(seed: int, lane_word: int, step: int, role: int, attempt: int, plane: int) -> int:
    """Return one word of 64 lanes."""
    base = slow_mix(slow_mix(seed & ALL) + (lane_word + 1) * G1 & ALL)
    counter = role // 256 << 59 | step << 28 | role % 256 << 20 | attempt
    source = slow_mix(base + (counter + 1) * G2 & ALL)
    word = source * (slow_mix(plane * G1 & ALL) | 1) & ALL
    return word ^ word >> 29 ^ word << 18 & ALL
