"""Tests of neurogame/regress."""
