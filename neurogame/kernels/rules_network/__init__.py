"""A rules network: hidden units above embeddings of fluents, and pattern tables.

:mod:`~neurogame.kernels.rules_network.weights` holds the weights. A state is loaded once
(:mod:`~neurogame.kernels.rules_network.load`); what differs from it in a few fluents, such as its
children, is valued by these differences alone.
:mod:`~neurogame.kernels.rules_network.search` values the leaves of searches, and
:mod:`~neurogame.kernels.rules_network.learn` learns from a game, position by position, in the same
way. Plain torch is the definition: :mod:`neurogame.evaluators.rules_network`.
"""
