"""Analyses: named, parameterised computations over a study. One file an analysis, found by the registry."""
