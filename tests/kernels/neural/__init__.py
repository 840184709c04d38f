"""Tests of the compiled goal networks."""
