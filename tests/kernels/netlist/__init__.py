"""Tests of netlists and what they share."""
