"""Circuits to states: games, their states one by one or in batches, and the simulator.

Read :mod:`~neurogame.simulate.game` first (what users hold), then
:mod:`~neurogame.simulate.states` (many states in words), :mod:`~neurogame.simulate.simulator`
and, for random games, :mod:`~neurogame.simulate.playouts` with
:mod:`~neurogame.simulate.play_out` (one result per game) and
:mod:`~neurogame.simulate.samples` (states for training).
:mod:`~neurogame.simulate.replay` compares recorded matches with both the circuit and the
interpreter in ``tests/reference``.
"""
