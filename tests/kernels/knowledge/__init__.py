"""Tests of compiled knowledge."""
