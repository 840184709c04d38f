"""The learning rule of Michulke and Thielscher (2009), as published: the recipe ``paper``.

Goal networks learn from one match at a time against a fixed opponent: targets of equations (9) and
(10), plain gradient steps. :mod:`~neurogame.learn.paper.match` plays,
:mod:`~neurogame.learn.paper.targets` says what a match teaches,
:mod:`~neurogame.learn.paper.trainer` learns.
"""
