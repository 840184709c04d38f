"""What a tree search asks of the rules, of evaluators and of judges of moves.

A *block* of leaves (:mod:`~neurogame.kernels.leaves.block`) is given to the rules, which make the
moves to them and look at them (:mod:`~neurogame.kernels.leaves.machine`); then an evaluator values
them (:mod:`~neurogame.judges.states`), or they are played on: uniformly
(:mod:`~neurogame.kernels.leaves.uniform`) or by a policy
(:mod:`~neurogame.kernels.leaves.playouts`). A policy knows moves by what it has learned of them
(:mod:`~neurogame.kernels.leaves.move_statistics`) or by a judge
(:mod:`~neurogame.judges.moves`), and chooses among them as
:mod:`~neurogame.kernels.leaves.choosing` says.

Python makes all of it: :class:`~neurogame.kernels.leaves.leaves.Leaves` the rules with a block,
:class:`~neurogame.kernels.leaves.evaluator.SearchEvaluator`,
:class:`~neurogame.kernels.leaves.search_judge.SearchJudge`,
:class:`~neurogame.kernels.leaves.policy.PlayoutPolicy`, and
:class:`~neurogame.kernels.leaves.expander.Expander` for all children of states.
"""
