"""Fits models on torch, with accelerate. The registry finds the trainer (metaeval/training/lessons.py)."""
