"""Heuristics: the maximisation or the minimisation of a single feature."""
