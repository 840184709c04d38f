"""Goal networks on the CPU, compiled: values of packed states, and gradients.

Read :mod:`~neurogame.kernels.neural.layout` first (which parts of a network become tables of five
bits, and what is left), then :mod:`~neurogame.kernels.neural.network` (its outputs for 64 states
at once, or for one), :mod:`~neurogame.kernels.neural.gradient` (the way back),
:mod:`~neurogame.kernels.neural.operators` (both as operators of torch) and
:mod:`~neurogame.kernels.neural.program` (networks as far as the values of states, for compiled
searches, which ask for them through :mod:`neurogame.judges.states`).

The definition of all of it is plain torch: the units and the plan of
:mod:`neurogame.evaluators`, which compute all else; see :mod:`~neurogame.kernels.neural.backend`.
"""
