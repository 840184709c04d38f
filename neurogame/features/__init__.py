"""Features: numbers that the rules suggest, and what random games say of their worth."""
