"""The kernels in Triton, for GPUs: one program plays a block of words, or computes some lanes.

Read :mod:`~neurogame.kernels.triton.words` and :mod:`~neurogame.kernels.triton.tally` first (what
is done to a block of words), then the two ways to play:
:mod:`~neurogame.kernels.triton.cells` with :mod:`~neurogame.kernels.triton.table` (one kernel
that interprets the gates of any game), and :mod:`~neurogame.kernels.triton.straight` with
:mod:`~neurogame.kernels.triton.ptx` (generated source, values in registers).
:mod:`~neurogame.kernels.triton.playouts` launches them,
:mod:`~neurogame.kernels.triton.steps` evaluates given moves, and
:mod:`~neurogame.kernels.triton.goal_networks` evaluators.

Modules that contain kernels import ``triton``; nothing outside imports them before a backend is
asked for.
"""
