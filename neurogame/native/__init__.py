"""What compiled code is made with, and shares with Python.

:mod:`~neurogame.native.compiled` compiles functions and keeps them on disk,
:mod:`~neurogame.native.struct` gives them memory with named fields (declared with the types
of :mod:`~neurogame.native.layout`), :mod:`~neurogame.native.entries` lets them be
called by address, :mod:`~neurogame.native.arrays` cuts parts out of arrays, and
:mod:`~neurogame.native.bits`, :mod:`~neurogame.native.random` and
:mod:`~neurogame.native.clock` are what they compute with.
"""
