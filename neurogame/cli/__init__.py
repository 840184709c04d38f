"""The command line: one module per command, found by :mod:`~neurogame.cli.main`."""
