"""What kind of game a circuit is, and how that is known.

:mod:`~neurogame.analysis.analyse` is where to begin. It enumerates small games
(:mod:`~neurogame.analysis.state_space`), samples others
(:mod:`~neurogame.analysis.random_play`) and proves by induction what it can
(:mod:`~neurogame.analysis.induction`).
"""
