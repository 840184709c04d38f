"""What the rules of a game give away about its structure; names play no part.

:func:`~neurogame.structure.structure.find_structure` is where to begin. Every part has a file:
variables, the mode, the geometry, lines, symmetries, and the patterns that are made of them.
What relations are for (orders, step counters, coordinates, boards, markers, pieces, quantities) is
found by :func:`~neurogame.structure.relations.find_relations`.

*Reference:* Kuhlmann and Stone, "Automatic Heuristic Construction in a Complete General Game
Player"; Michulke and Thielscher, section 2.3.
"""
