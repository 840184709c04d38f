"""Learning a policy: which moves are likely to be best."""
