"""TD(lambda) on the weights of goal networks themselves, in batches of games."""
