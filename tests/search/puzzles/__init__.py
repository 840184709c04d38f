"""Tests of the search for the best line of a puzzle."""
