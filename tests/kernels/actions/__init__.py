"""Tests of compiled action heuristics."""
