"""What figures of a study's quality have in common."""

from __future__ import annotations

from metaeval.figures.registry import Result

STEPS = {"labels": "Step 1: labels", "preferences": "Step 2: preference"}


def state(result: Result) -> list[str]:
    """That a study still runs, and that only its pilot is shown."""
    words = []
    if result["scope"] == "only":
        words.append("The pilot’s answers.")
    if result["state"] != "closed":
        words.append(f"The study is {result['state']}: the answers so far.")
    return [" ".join(words)] if words else []
