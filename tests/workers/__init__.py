"""Tests of neurogame/workers."""
