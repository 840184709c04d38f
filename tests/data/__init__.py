"""Tests of the room data."""
