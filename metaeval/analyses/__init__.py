"""Analyses: named, parameterised computations over a study. One folder per analysis, found by the registry."""
