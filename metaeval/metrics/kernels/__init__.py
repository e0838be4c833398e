"""The compiled loops of the metrics. Nothing imports these modules before a number is asked for.

Importing Numba takes longer than most metrics do, so `import metaeval.metrics` must not.
"""
