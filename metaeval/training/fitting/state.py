"""The state of a fit after an epoch, as bytes that are safe to read: safetensors, and JSON in their header.

An epoch's order and dropout come from the seed and the epoch's number, so that no generator's state need be kept.
The schedule is a function of the step.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from metaeval.training.lessons import Epoch

MODEL, OPTIMIZER = "model.", "optimizer."


def state_bytes(model: torch.nn.Module, optimizer: Any, epochs: list[Epoch], *, lesson: str) -> bytes:
    """What a fit has come to: what it trains, what AdamW remembers, and the curve so far.

    Args:
        lesson: the lesson's fingerprint, which binds the state to it.
    """
    tensors = {MODEL + name: tensor for name, tensor in _changing(model).items()}
    for place, remembered in optimizer.state_dict()["state"].items():
        tensors |= {f"{OPTIMIZER}{place}.{name}": tensor for name, tensor in remembered.items()}
    header = {"lesson": lesson, "epochs": json.dumps([asdict(epoch) for epoch in epochs])}
    state: bytes = save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, header)
    return state


def restore(state: bytes | None, model: torch.nn.Module, optimizer: Any, *, lesson: str) -> list[Epoch]:
    """Put a model and its optimiser into a state; returns the curve so far.

    Of no state, another lesson's, or one that cannot be read, nothing is used, and the curve is empty.
    """
    header = _header(state or b"")
    if state is None or header.get("lesson") != lesson:
        return []
    try:
        tensors = load(state)
    except SafetensorError:
        return []
    epochs = [Epoch(**epoch) for epoch in json.loads(header["epochs"])]
    known = _changing(model)
    with torch.no_grad():
        for name, tensor in known.items():
            tensor.copy_(tensors[MODEL + name])
    remembered: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith(OPTIMIZER):
            place, _, key = name.removeprefix(OPTIMIZER).partition(".")
            remembered.setdefault(int(place), {})[key] = tensor
    optimizer.load_state_dict({"state": remembered, "param_groups": optimizer.state_dict()["param_groups"]})
    return epochs


def _changing(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """What training changes: the parameters that are trained, and buffers that are kept."""
    trained = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    parameters = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    return trained | {name: tensor for name, tensor in model.state_dict().items() if name not in parameters}


def _header(state: bytes) -> dict[str, str]:
    """What safetensors have beside tensors: 8 bytes of length, then JSON."""
    try:
        found = json.loads(state[8 : 8 + int.from_bytes(state[:8], "little")])
    except ValueError:
        return {}
    beside = found.get("__metadata__") if isinstance(found, dict) else None
    return beside if isinstance(beside, dict) else {}
