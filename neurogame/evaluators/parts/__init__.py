"""A rules network: logic, pattern tables, embeddings with hidden units."""
