"""What the rules of a game give away about its structure; names play no part.

:func:`~neurogame.structure.structure.find_structure` is where to begin. Every part has a file:
variables, the mode, the geometry, lines, symmetries, and the patterns that are made of them.
"""
