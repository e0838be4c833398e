"""How much memory there is, and how much is in use."""

from __future__ import annotations

import os
import sys

import psutil
import torch


def free_bytes(device: torch.device) -> int:
    """What this process could have in use at most: what nobody uses, and what it has already."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return int(free + torch.cuda.memory_reserved(device))
    return int(psutil.virtual_memory().available + used_bytes(torch.device("cpu")))


def used_bytes(device: torch.device) -> int:
    """What this process has in use now."""
    if device.type == "cuda":
        return int(torch.cuda.memory_allocated(device))
    return int(psutil.Process(os.getpid()).memory_info().rss)


def peak_bytes(device: torch.device) -> int:
    """The most that this process had in use: on a graphics card since the fit began, otherwise since it started."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    if sys.platform == "win32":
        return int(psutil.Process(os.getpid()).memory_info().peak_wset)
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most if sys.platform == "darwin" else most * 1024)


def told(size: float) -> str:
    """Bytes for people to read.

    >>> told(23_400_000_000), told(350_000_000)
    ('23.4 GB', '350 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
