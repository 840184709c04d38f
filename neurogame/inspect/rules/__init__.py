"""Readable weighted rules, extracted from any evaluator."""
