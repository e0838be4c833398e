"""Faults under load, on servers of their own: `python -m tests.faults`; pytest runs only what checks the checks."""
