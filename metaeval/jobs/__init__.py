"""Analyses as background jobs: the row of a run, and how one is started and executed."""
