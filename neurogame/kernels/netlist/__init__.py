"""A circuit rewritten for execution: three-input gates, the choice of moves among them.

Read :mod:`~neurogame.kernels.netlist.netlist` (what the gates are) and
:mod:`~neurogame.kernels.netlist.ply` (which gates make up one ply) first. Nothing here imports
torch; the kernels that run a netlist are in :mod:`neurogame.kernels`.
"""
