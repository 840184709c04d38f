"""Playouts and expansion compiled at load time through LLVM, for the processor at hand.

Read :mod:`~neurogame.kernels.llvm.text` (writing LLVM's assembly language), then the two ways to
run gates, :mod:`~neurogame.kernels.llvm.straight` and :mod:`~neurogame.kernels.llvm.table`, and
:mod:`~neurogame.kernels.llvm.driver` (the loop over plies around them).
"""
