"""Action heuristics: goal formulas regressed to each move, in fuzzy logic.

:mod:`~neurogame.evaluators.actions.build` is where to begin. Formulas become graphs of small gates
(:mod:`~neurogame.evaluators.actions.graph`), which torch evaluates with gradients
(:mod:`~neurogame.evaluators.actions.action_circuit`) and compiled code without
(:mod:`neurogame.kernels.actions`).

*Reference:* Trutman and Schiffel, "Creating Action Heuristics for General Game Playing Agents".
"""
