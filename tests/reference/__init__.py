"""Tests of neurogame/reference."""
