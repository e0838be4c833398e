"""The fourteen methods, one file for each family. The registry finds them (metaeval/training/registry.py).

The imports below only give the paper's order, in which tables show the methods. A new file needs no line here: its
methods come after these.
"""

from . import repeated, majority, ranking, ambiguous, soft, ensemble, divergence, soft_f1, aggregation  # isort: skip  # noqa: F401 - the paper's order
