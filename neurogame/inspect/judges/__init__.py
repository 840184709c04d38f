"""Judges of moves, as people look at them: what they know, and what they differ in."""
