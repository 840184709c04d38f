"""Knowledge of moves and states for compiled code: games recorded, tuples learned, moves judged."""
