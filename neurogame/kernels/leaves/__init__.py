"""What a tree search asks of the rules and of evaluators, for a block of leaves at once."""
