"""Scores of moves by a learned policy, compiled."""
