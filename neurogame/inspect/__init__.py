"""What people look at: weights by the rule they came from, and networks as pictures."""
