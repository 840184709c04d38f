"""Players, matches and series of matches."""
