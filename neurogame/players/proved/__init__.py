"""Matches that are played straight from the rules, without a circuit."""
