"""Arrays to arrays: the parts that speed depends on, in plain torch and compiled.

:mod:`neurogame.kernels.twin` is plain torch, on any device, and the definition of all the rest.
:mod:`neurogame.kernels.codegen` writes what is fixed per game as machine code: playouts and
steps; :mod:`neurogame.kernels.cuda` runs its playouts on a GPU. The others are algorithms in
compiled Python: :mod:`~neurogame.kernels.neural` evaluates networks,
:mod:`~neurogame.kernels.actions` and :mod:`~neurogame.kernels.knowledge` judge moves,
:mod:`~neurogame.kernels.leaves` asks all of these for the leaves of a tree search.
:mod:`~neurogame.kernels.backends` chooses what plays random games. All backends play the same
games, and values are equal up to rounding.
"""
