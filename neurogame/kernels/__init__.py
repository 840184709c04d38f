"""Arrays to arrays: the parts that speed depends on, all in plain torch, for any device.

Read :mod:`~neurogame.kernels.pack` first (64 games in one word), then
:mod:`~neurogame.kernels.and_graph` with :mod:`~neurogame.kernels.one_hot` (a circuit as
two-input gates), :mod:`~neurogame.kernels.plan` (in which order they are computed) and
:mod:`~neurogame.kernels.bitslice` (computing them). Random play adds
:mod:`~neurogame.kernels.random_words` and :mod:`~neurogame.kernels.choose`.
"""
