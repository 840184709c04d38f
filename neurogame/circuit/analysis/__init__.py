"""What kind of game a circuit is, and how that is known.

:mod:`~neurogame.circuit.analysis.analyse` is where to begin. It enumerates small games
(:mod:`~neurogame.circuit.analysis.state_space`), samples others
(:mod:`~neurogame.circuit.analysis.random_play`) and proves by induction what it can
(:mod:`~neurogame.circuit.analysis.induction`).
"""
