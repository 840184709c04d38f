"""Tests of neurogame/kernels/twin."""
