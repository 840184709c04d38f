"""Tests of neurogame/ggp."""
