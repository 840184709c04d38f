"""Knowledge of states and moves, learned from games: a judge of moves for simulations."""
