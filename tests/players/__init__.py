"""Tests of players, matches and series."""
