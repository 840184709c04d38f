"""Tests of the player that is reached over HTTP."""
