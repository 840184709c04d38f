"""What there is to judge states and moves: a file each, registered in ``evaluators/kinds.py``.

A file here says what its kind is; what it takes to make, to teach and to explain it is imported
when that is asked for, so that the names of all kinds are known at once.
"""
