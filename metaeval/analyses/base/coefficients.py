"""What correlation coefficients are called in tables and figures."""

from __future__ import annotations

from metaeval.stats import Coefficient

TITLES: dict[Coefficient, str] = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
SYMBOLS: dict[Coefficient, str] = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
"""Symbols, if there is no room for names."""
