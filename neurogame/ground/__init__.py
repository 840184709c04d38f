"""Grounding: a rulesheet becomes a ground program.

Read :mod:`~neurogame.ground.ground` first (the two halves of the job), then
:mod:`~neurogame.ground.clauses` and :mod:`~neurogame.ground.split` (what is evaluated),
:mod:`~neurogame.ground.derive` and :mod:`~neurogame.ground.join` (how), and
:mod:`~neurogame.ground.program` (what comes out).
"""
