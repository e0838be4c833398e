"""What came of a run: a score, and the survivors to judge."""

from collections.abc import Sequence
from typing import Any


def score(results: Sequence[dict[str, Any]]) -> float:
    """The share of mutants that a test noticed."""
    return len([one for one in results if one["outcome"] == "killed"]) / len(results)


def as_markdown(name: str, run: dict[str, Any]) -> str:
    """The survivors of one target, each with its change."""
    results = run["mutants"]
    survivors = [one for one in results if one["outcome"] == "survived"]
    lines = [
        f"# Survivors: {name}",
        "",
        f"{len(results) - len(survivors)} of {len(results)} mutants killed ({score(results):.1%}), seed {run['seed']}.",
    ]
    for one in survivors:
        lines += ["", f"## {one['id']}. {one['file']}, line {one['line']}: {one['operator']}", "", one["why"], ""]
        lines += ["```diff", *one["diff"].splitlines()[2:], "```"]
    return "\n".join(lines) + "\n"
