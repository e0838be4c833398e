"""The compiled loops of the metrics. These modules are only imported when a value is computed.

Importing Numba takes longer than most metrics do, so `import metaeval.metrics` must not.
"""
