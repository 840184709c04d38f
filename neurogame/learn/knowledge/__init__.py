"""Learning knowledge of moves from whole games."""
