"""From rules to the circuit in one step, kept on disk for the next time."""

from __future__ import annotations

import time
from dataclasses import replace

from neurogame.circuit.build import build_circuit
from neurogame.circuit.cache import load_circuit, save_circuit
from neurogame.circuit.circuit import Circuit
from neurogame.gdl.terms import Rules
from neurogame.ground.ground import ground, rules_key
from neurogame.ground.limits import GroundLimits


def compile_rules(
    rules: Rules, limits: GroundLimits | None = None, *, cache: bool = True
) -> Circuit:
    """Return the circuit of a rulesheet.

    Args:
        rules: a rulesheet that passes the checks.
        limits: what grounding and building together may cost.
        cache: whether to use the on-disk cache, keyed by the rules' hash.

    Raises:
        GroundingError: if the rules have no ground program, or an atom depends on its negation.
        LimitError: if a limit is reached; nothing is cached then.
    """
    cached = load_circuit(rules_key(rules)) if cache else None
    if cached is not None:
        return cached
    limits = limits or GroundLimits()
    started = time.monotonic()
    program = ground(rules, limits)
    left = max(limits.seconds - (time.monotonic() - started), 1e-3)
    circuit = build_circuit(program, rules, replace(limits, seconds=left))
    if cache:
        save_circuit(circuit)
    return circuit
