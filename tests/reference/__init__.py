"""Tests of the reference interpreter, the slow twin of the prover and of circuits."""
