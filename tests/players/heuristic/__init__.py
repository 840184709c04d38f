"""Tests of the player that searches with several heuristics."""
