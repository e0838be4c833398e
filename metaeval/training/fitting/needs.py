"""How much memory a fit needs, found out from two texts, so that finding out needs none."""

from __future__ import annotations

import numpy as np
import torch

from metaeval.training.encoders.reading.memory import free_bytes, told, used_bytes
from metaeval.training.errors import NotEnoughMemory
from metaeval.training.fitting.preparing import PreparedFit

PROBED_TEXTS = 2
REMEMBERED_BYTES = 12
"""For a weight that is trained, beside itself: its gradient and the two moments that AdamW keeps, four bytes each."""
COPIED_BYTES = 24
"""Of the same weight in a checkpoint: itself and both moments, once as they are gathered and once as they are kept."""
TRANSIENT = 1.3
"""What is computed and thrown away, relative to what is kept until the gradient is computed."""


def check_memory(ready: PreparedFit) -> tuple[int, int]:
    """How many bytes the fit will have in use at most, and how many it can have. Raises `NotEnoughMemory`."""
    free = free_bytes(ready.device)  # before the probe, which may load libraries that stay
    needed = needed_bytes(ready)
    if needed > free:
        lesson = ready.lesson
        raise NotEnoughMemory(
            f"The fit needs about {told(needed)} of memory, and {told(free)} are free. Choose a batch smaller than "
            f"{lesson.settings.batch_size}, fewer tokens than {ready.model.reader.max_tokens}, or a smaller encoder"
            f"{', or train with LoRA' if lesson.encoder.name == 'pretrained' and not lesson.encoder.lora else ''}.",
            needed=needed,
            free=free,
        )
    return needed, free


def needed_bytes(ready: PreparedFit) -> int:
    """What is in use now, what training remembers for each weight, and what a batch of the longest texts keeps."""
    _, trained = ready.model.parameter_counts
    batch = -(-min(ready.lesson.settings.batch_size, ready.per_epoch) // ready.accelerator.num_processes)
    checkpoint = COPIED_BYTES * trained if ready.device.type == "cpu" else 0
    remembered = kept_bytes(ready)
    return int(used_bytes(ready.device) + REMEMBERED_BYTES * trained + max(TRANSIENT * remembered * batch, checkpoint))


def kept_bytes(ready: PreparedFit) -> float:
    """How much the gradient of one text keeps, if it is as long as the longest that the model learns from."""
    judged = np.unique(ready.targets.instance)
    longest = judged[np.argsort(-ready.texts.lengths[judged], kind="stable")[:PROBED_TEXTS]]
    weights = {parameter.untyped_storage().data_ptr() for parameter in ready.model.parameters()}
    sizes: dict[int, int] = {}

    def count(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            sizes[storage.data_ptr()] = storage.nbytes()
        return tensor

    ready.model.train()
    inputs = {name: tensor.to(ready.device) for name, tensor in ready.texts.batch(longest).items()}
    with torch.autograd.graph.saved_tensors_hooks(count, lambda tensor: tensor):
        logits = ready.wrapped(**inputs)
    del logits
    return sum(sizes.values()) / len(longest)
