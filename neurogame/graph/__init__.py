"""Graphs of and/or gates: one store that shares equal gates, and passes over all of them."""
