"""Search for the best line of a game of one role."""
