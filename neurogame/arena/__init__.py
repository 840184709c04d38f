"""The arena: many players, games and limits against each other, and what can be said of them."""
