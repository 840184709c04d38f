"""Playouts on NVIDIA's GPUs, from the generator of :mod:`neurogame.kernels.codegen`.

Read :mod:`~neurogame.kernels.cuda.code` (the text of one thread, for one game),
:mod:`~neurogame.kernels.cuda.driver` (loading and launching it) and
:mod:`~neurogame.kernels.cuda.playouts` (the lanes as threads).
"""
