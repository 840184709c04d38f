"""Tests of the room and helpers that several of them use."""
