"""Methods that learn from human label variation: fourteen ways to train a model on what several people said.

Source: Kurniawan et al. (Computational Linguistics 52(1), 2026), sections 4 and 5.1. What a method learns from
(`judgements`, `targets`, `methods`, `splits`) needs NumPy only. `losses`, `encoders` and `fitting` need the optional
packages of requirements-training.txt, and nothing imports them before something is trained: everybody else finds a
method, an encoder and the trainer by name in the registries (`registry`).
"""
