"""Tests of the plain torch kernels."""
