"""Learning from the moves of matches that were played."""
