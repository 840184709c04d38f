"""A rules network: hidden units above embeddings of fluents, and pattern tables.

:mod:`~neurogame.kernels.parts.parts` holds the weights. A state is loaded once
(:mod:`~neurogame.kernels.parts.load`); what differs from it in a few fluents, such as its
children, is valued by these differences alone.
:mod:`~neurogame.kernels.parts.search` values the leaves of searches, and
:mod:`~neurogame.kernels.parts.learn` learns from a game, position by position, in the same way.
Plain torch is the definition: :mod:`neurogame.evaluators.parts`.
"""
