"""Importing data: one reader per format, one in-memory dataset or prediction table, one writer."""
