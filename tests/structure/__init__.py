"""Tests of neurogame/structure."""
