"""Self-play in lanes: thousands of games at once in one compiled loop, TD(λ) as they go."""
