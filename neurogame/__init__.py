"""neurogame: neural-symbolic learning for General Game Playing."""

__version__ = "0.1.0"
