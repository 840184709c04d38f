"""Arrays to arrays: the parts that speed depends on, in plain torch and compiled.

Plain torch is the definition, on any device. Read :mod:`~neurogame.kernels.pack` first (64 games
in one word), then :mod:`~neurogame.kernels.and_graph` with :mod:`~neurogame.kernels.one_hot` (a
circuit as two-input gates), :mod:`~neurogame.kernels.plan` (in which order they are computed),
:mod:`~neurogame.kernels.bitslice` (computing them) and :mod:`~neurogame.kernels.torch_ply` (the
parts of a ply). Random play is defined by :mod:`~neurogame.kernels.playout`,
:mod:`~neurogame.kernels.random_words` and :mod:`~neurogame.kernels.choose`, and done by
:mod:`~neurogame.kernels.torch_playout`; expansion for search is defined in
:mod:`~neurogame.kernels.expand`.

:mod:`~neurogame.kernels.backends` chooses what plays: :mod:`neurogame.kernels.llvm` compiles games
for the processor, :mod:`neurogame.kernels.triton` for a GPU. :mod:`neurogame.kernels.neural`
evaluates networks. All games are those of plain torch, and values are equal up to rounding.
"""
