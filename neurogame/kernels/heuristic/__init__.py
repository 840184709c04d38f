"""Heuristics of single features in compiled code."""
