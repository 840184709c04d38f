"""A player that is reached over HTTP: ``neurogame serve``."""
