"""An evaluator made of parts: logic, pattern tables, embeddings with hidden units."""
