"""Self-play with learning, in one compiled loop: many games at once, no Python per ply or game.

:mod:`~neurogame.kernels.self_play.lanes` holds the games;
:mod:`~neurogame.kernels.self_play.choose` values all children of a position and chooses among them;
:mod:`~neurogame.kernels.self_play.play` goes on ply by ply, and hands every game that has ended
to :mod:`~neurogame.kernels.rules_network.learn`.
"""
