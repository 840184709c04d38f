"""The Boolean circuit of a game: gates with shared sub-formulas.

Read :mod:`~neurogame.circuit.circuit` first (the data), then
:mod:`~neurogame.circuit.build` (from ground rules to gates) and
:mod:`~neurogame.circuit.compile` (from rules to the circuit, cached).
"""
