"""One graph of and/or gates with complemented edges, one store that makes it, and its passes.

Read :mod:`~neurogame.graph.graph` first (the data), then :mod:`~neurogame.graph.store` (equal
gates are made once). The passes are functions from graphs to graphs, each in a file named for
what it does.
"""
