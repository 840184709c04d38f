"""Formulas seen from one ply earlier: regression, and the formula of every move."""
