"""Playouts of a graphics card, on this processor."""
