"""Playouts and expansion compiled at load time through LLVM, for the processor at hand.

Read :mod:`~neurogame.kernels.codegen.text` (writing LLVM's assembly language), then the two ways
to run gates, :mod:`~neurogame.kernels.codegen.straight` and
:mod:`~neurogame.kernels.codegen.table`, and
:mod:`~neurogame.kernels.codegen.driver` (the loop over plies around them).
:mod:`~neurogame.kernels.codegen.threads` has the same loop as threads of a GPU.
"""
