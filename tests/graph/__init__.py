"""Tests of neurogame/graph."""
