"""Tests of the protocol: messages, and how they travel."""
