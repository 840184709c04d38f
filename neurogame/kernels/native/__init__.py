"""What compiled code is made with, and shares with Python.

:mod:`~neurogame.kernels.native.compiled` compiles functions and keeps them on disk,
:mod:`~neurogame.kernels.native.struct` gives them memory with named fields (declared with the types
of :mod:`~neurogame.kernels.native.layout`), :mod:`~neurogame.kernels.native.entries` lets them be
called by address, :mod:`~neurogame.kernels.native.arrays` cuts parts out of arrays, and
:mod:`~neurogame.kernels.native.bits`, :mod:`~neurogame.kernels.native.random` and
:mod:`~neurogame.kernels.native.clock` are what they compute with.
"""
