"""Tests of neurogame/arena."""
