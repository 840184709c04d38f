"""Search: a state and an evaluator in, a move out."""
