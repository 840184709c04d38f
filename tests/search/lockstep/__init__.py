"""Tests of matches side by side."""
