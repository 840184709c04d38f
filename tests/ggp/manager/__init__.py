"""Tests of the game manager."""
