"""The docstring that `help()` shows for a metric: the author's text, in numpydoc sections, with what the registry
knows."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

ORDER = ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)

PAIR = """\
P, Q : array_like, shape (N, K)
    Human and predicted distributions of N instances over K labels, with values in [0, 1]. Rows sum to 1 unless the
    task is multilabel. DataFrames are matched by the names of their rows and columns."""

ZERO_DIVISION = """\
zero_division : float, default 1.0
    The value of 0/0 in an F1 score, in [0, 1], or NaN for undefined. Metrics without such a fraction ignore it."""


def with_sections(text: str, known: Mapping[str, str]) -> str:
    """`text` in numpydoc sections: `known` comes first in each of them.

    An author may write the sections, or only paragraphs. The first paragraph is then the summary, examples go to
    Examples, and the rest goes to Notes.

    >>> print(with_sections("Mean of Q.\\n\\nFormula: the mean.", {"References": "This example."}))
    Mean of Q.
    <BLANKLINE>
    Notes
    -----
    Formula: the mean.
    <BLANKLINE>
    References
    ----------
    This example.
    """
    prose, *written = _SECTION.split(text.strip())
    summary, *rest = re.split(r"\n\s*\n", prose.strip())
    found: dict[str, list[str]] = {title: [known[title]] if title in known else [] for title in ORDER}
    for paragraph in rest:
        found["Examples" if paragraph.startswith(">>>") else "Notes"].append(paragraph)
    for title, body in zip(written[::2], written[1::2], strict=True):
        if title == "Returns":
            found[title].clear()  # the author's section is about this metric
        found.setdefault(title, []).append(body.strip())
    between = {"Notes": "\n\n", "Examples": "\n\n"}
    parts = [
        f"{title}\n{'-' * len(title)}\n{between.get(title, chr(10)).join(bodies)}"
        for title, bodies in found.items()
        if bodies
    ]
    return "\n\n".join([summary, *parts])


def of_pairs(kinds: list[str], limits: tuple[float, float], orientation: str, source: str) -> dict[str, str]:
    """The sections of every metric of distributions."""
    low, high = limits
    until = f"{high:.4g}]" if np.isfinite(high) else "infinity)"
    choices = ", ".join(repr(kind) for kind in kinds)
    needed = "multilabel" in kinds and len(kinds) > 1
    which = "Required, because the metric is defined for several kinds." if needed else "May be left out."
    raises = [
        "DistributionError\n    If P and Q are not two matrices of distributions of the same shape.",
        "WrongTaskError\n    If the metric is not defined for this kind of task.",
    ]
    if needed:
        raises.append("TypeError\n    If `task` is missing.")
    return {
        "Parameters": f"{PAIR}\ntask : {{{choices}}}\n    Kind of task. {which}\n{ZERO_DIVISION}",
        "Returns": (
            f"MetricValue\n    A float in [{low:.4g}, {until}; {orientation} is better. "
            "Where the metric is undefined, it "
            "is NaN and\n    its `reason` says why."
        ),
        "Raises": "\n".join(raises),
        "References": f"{source}.",
    }


def of_annotations(source: str) -> dict[str, str]:
    """The sections of every metric of annotations."""
    return {
        "Parameters": (
            "truth, predicted : sequence of N items\n"
            '    Each item maps annotators to their answers; with `align="position"` it may be a list of answers.\n'
            "align : {'annotator', 'position'}, default 'annotator'\n"
            "    Whether answers are matched by annotator, or by position as in the organisers' scorer."
        ),
        "Returns": (
            "AnnotationScore\n    The mean over items (lower is better), the value of each item, and the positions of "
            "items without annotations,\n    which do not count. NaN with a `reason` where no item has any."
        ),
        "Raises": (
            "AnnotationError\n    If annotators are missing or unknown, or if answers are not of the expected kind."
        ),
        "References": f"{source}.",
    }
