"""The slow twin of the circuit: an interpreter of the rules that shares nothing with it."""
