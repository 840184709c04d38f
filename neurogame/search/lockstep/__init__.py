"""Matches side by side, one or two plies of look-ahead each."""
