"""Games, matches and evaluators in the browser."""
