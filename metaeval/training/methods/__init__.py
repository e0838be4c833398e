"""The fourteen methods, one file for each family. The registry finds them (metaeval/training/registry.py)."""
