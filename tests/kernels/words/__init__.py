"""Tests of neurogame/kernels/words."""
