"""Plain torch: the definition of what every compiled kernel computes, on any device.

Read :mod:`~neurogame.kernels.words.pack` first (64 games in one word), then
:mod:`~neurogame.kernels.twin.gates` (the gates of a graph) and
:mod:`~neurogame.kernels.twin.torch_ply` (legal moves, ends, goals and next states). Random play is
defined by :mod:`~neurogame.kernels.words.random_words` and
:mod:`~neurogame.kernels.twin.choose`, and done by :mod:`~neurogame.kernels.twin.torch_playout`;
expansion is defined in :mod:`~neurogame.kernels.twin.expand`. What others use of words is not here
but in :mod:`~neurogame.kernels.words`.
"""
