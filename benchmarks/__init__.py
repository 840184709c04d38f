"""What is measured of the package, a program a file: python -m benchmarks.NAME."""
