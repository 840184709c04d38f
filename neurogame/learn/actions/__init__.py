"""Learning action circuits from what a tree search chooses."""
