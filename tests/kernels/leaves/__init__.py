"""Tests of what tree searches ask of rules and evaluators."""
