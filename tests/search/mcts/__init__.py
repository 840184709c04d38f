"""Tests of the compiled core of Monte-Carlo tree search."""
