"""Responses out: one writer a format, all fed by one stream of rows.

A new format is one new module in this package with a function that `exporter` decorates (see `formats`).
"""
