"""Datasets: listed, browsed, renamed and deleted."""
