"""Benchmarks: `python -m tests.benchmarks.NAME`. Each prints a table and fails when it misses its own target."""
