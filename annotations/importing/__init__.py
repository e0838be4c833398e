"""Data in: one reader a format, one in-memory dataset or prediction table, one writer."""
