"""A player that searches with the heuristic of one feature which random games rank first."""
