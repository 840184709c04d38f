"""Action heuristics in compiled code: all gates of a role for sixteen states at a time.

A judge of moves (:mod:`neurogame.judges.moves`) calls
:func:`~neurogame.kernels.actions.scores.score_actions` where the role has a formula of each move,
:func:`~neurogame.kernels.actions.shared.score_shared_actions` where its moves share one. Both work
with what :mod:`~neurogame.kernels.actions.formulas` describes, compute gates as
:mod:`~neurogame.kernels.actions.gates` does, and ask :mod:`~neurogame.kernels.actions.careful`
where float32 is not enough.
"""
