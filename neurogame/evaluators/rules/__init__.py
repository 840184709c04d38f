"""Weighted rules that people can read and write, as an evaluator."""
