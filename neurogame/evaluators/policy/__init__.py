"""A learned policy: which moves a player that knows the game would consider, read off the state."""
