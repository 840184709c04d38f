"""Checkpoints: what is stored, how it is read safely, and where."""
