"""Tests of neurogame/show."""
