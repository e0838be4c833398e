"""Exporting responses: one writer per format, all fed by one stream of rows.

A new format is one new module in this package with a function decorated by `exporter` (see `formats`).
"""
