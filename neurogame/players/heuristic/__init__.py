"""A player that searches with several heuristics, each of one feature, and plays the best move."""
