"""Datasets: listed, looked into, changed in words, deleted."""
