"""Finds out, before a match, whether a judge of moves is to be trusted in this game."""
