"""What ``neurogame train`` does, recipe by recipe."""
