"""Playouts of a GPU, on this processor."""
