"""A rules network: hidden units above embeddings of fluents, and pattern tables."""
