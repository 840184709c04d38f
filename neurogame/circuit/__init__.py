"""The Boolean circuit of a game: gates with shared sub-formulas.

Read :mod:`~neurogame.circuit.circuit` first (the data), then
:mod:`~neurogame.circuit.build` (from ground rules to gates) and
:mod:`~neurogame.circuit.compile` (from rules to the circuit, cached).
"""

from neurogame.circuit.build import build_circuit
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.cycles import find_cycles

__all__ = ["Circuit", "build_circuit", "find_cycles"]
