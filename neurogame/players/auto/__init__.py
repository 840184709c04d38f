"""Choosing a player for an unknown game, in the time before a match."""
