"""Tests of what the rules of a game give away."""
