"""Tests of kernels/native."""
