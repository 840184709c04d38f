"""The version of the package, as checkpoints and records of matches name it."""

__version__ = "0.2.0"
