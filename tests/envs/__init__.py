"""Tests of games as environments of other libraries."""
