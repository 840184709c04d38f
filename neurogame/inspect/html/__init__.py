"""How evaluators, checkpoints, matches, searches and attributions show themselves in notebooks."""
