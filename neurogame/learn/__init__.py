"""Self-play to better evaluators: targets, trainer, run folders, checkpoints."""
