"""Where random numbers come from: one root, and a stream of its own for every piece of work."""

from __future__ import annotations

import numpy as np

Seed = int | np.random.SeedSequence | np.random.Generator


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """The root of all streams: of a number, itself, or a child drawn from a generator."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(int(seed.integers(2**63)))
    return np.random.SeedSequence(seed)


def stream(root: np.random.SeedSequence, number: int) -> np.random.SeedSequence:
    """The child of that number, the same that `root.spawn` would give, without spawning those before it."""
    return np.random.SeedSequence(entropy=root.entropy, spawn_key=(*root.spawn_key, number), pool_size=root.pool_size)
