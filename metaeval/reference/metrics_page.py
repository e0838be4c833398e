"""docs/reference/metrics.md and its picture, from the registry of metrics and its docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from metaeval import metrics
from metaeval.metrics import AnnotationMetric, Metric
from metaeval.reference.markdown import anchor, docstring, written_by
from metaeval.reference.signatures import signature

PICTURE = Path("images") / "soft-accuracy-and-po-jsd.svg"
_TASKS = ("multiclass", "ordinal", "multilabel")

_HEAD = """
P holds the human judgement distributions and Q the predicted ones: matrices of N instances x K labels with values in
[0, 1], whose rows sum to 1 unless the task is multilabel. An ordinal task is one whose columns are points of a scale.
[The library](../library.md) says how to call them.

Input is checked once, at the door: shape, range, NaN, rows that sum to 1 (within 0.001). `DistributionError` says what
was passed and what was expected. What is undefined is NaN with a reason, never 0 and never an exception; 0/0 in an F1
score is `zero_division` (1.0 by default). `metaeval.metrics` needs NumPy, SciPy and Numba, and nothing of the platform.

## All metrics

The *default* ones are the six of Kurniawan et al. (2026), which analyses use unless told otherwise. *Per instance*: the
metric is a mean of values that every instance has by itself.
"""

_PICTURE = f"""
## How two of them relate

Soft accuracy is never above PO-JSD (Kurniawan et al. 2026, Theorem 3.1). Each point is a random pair of distributions
over three labels; the line is equality.

![Soft accuracy and PO-JSD of random pairs: every point lies on or above the diagonal]({PICTURE.as_posix()})

`metric_relationship` simulates the correlations between metrics over many such pairs (Table 2 of that paper), and
`metaeval.metrics.relationship.SETTINGS` holds the published settings.
"""

_FURTHER = """
## Around the metrics

"""

_AROUND: tuple[Callable[..., Any], ...] = (
    metrics.class_table,
    metrics.classwise_errors,
    metrics.distribution_calibration_errors,
    metrics.entropy_calibration_errors,
    metrics.label_calibration_errors,
    metrics.guess_calibration_errors,
    metrics.temperature_scaled,
    metrics.best_temperature,
    metrics.resampled_humans,
    metrics.error_histogram,
    metrics.compare_errors,
    metrics.mean_soft_label,
    metrics.random_soft_labels,
    metrics.most_frequent_labels,
    metrics.predict_most_frequent,
    metrics.predict_random,
    metrics.metric_relationship,
)


def metrics_page() -> str:
    """The page."""
    ours = [entry for entry in metrics.available() if _is_ours(entry.definition)]
    parts = [written_by("Metrics", _HEAD), "\n", _table(ours), _PICTURE]
    parts += ["\n## Metrics of distributions\n", *(_section(entry) for entry in ours)]
    parts += ["\n## Metrics of annotations\n", _annotations_intro()]
    parts += [_section(entry) for entry in metrics.annotation_metrics()]
    parts += [_FURTHER, *(_function(function) for function in _AROUND)]
    return "".join(parts)


def _is_ours(definition: Callable[..., Any]) -> bool:
    """Whether it was not added by another package on this machine."""
    return definition.__module__.startswith("metaeval.metrics.")


def _table(entries: Iterable[Metric]) -> str:
    rows = [
        "| metric | name | tasks | better | range | per instance | default | source |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for entry in entries:
        default = ", ".join(task for task in _TASKS if task in entry.default_for)
        per_instance = "yes" if entry.works_per_item else ""
        link = f"[{entry.title}](#{entry.name})"
        rows.append(
            f"| {link} | `{entry.name}` | {_tasks(entry)} | {entry.orientation} | {_range(entry.range)} "
            f"| {per_instance} | {default} | {entry.source} |"
        )
    return "\n".join(rows) + "\n"


def _annotations_intro() -> str:
    return (
        "\nThese take annotations, not distributions: a sequence of items, each a mapping from annotators to answers.\n"
        "They are functions, listed by `annotation_metrics()`, and give an `AnnotationScore`: the value, every item's\n"
        "own value, and the items left out.\n"
    )


def _section(entry: Metric | AnnotationMetric) -> str:
    facts = [f"`{entry.name}`", _tasks(entry), f"{entry.orientation} is better", _range(entry.range)]
    if isinstance(entry, Metric) and entry.options:
        options = ", ".join(f"`{name}={default!r}`" for name, default in entry.options.items())
        facts.append(f"options {options}")
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(entry.description))
    said = "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith("Source: "))
    text = f"{docstring(said)}\n\nSource: {entry.source}."
    return f"\n{anchor(entry.name)}\n### {entry.title}\n\n{'; '.join(facts)}\n\n{text}\n"


def _function(function: Callable[..., Any]) -> str:
    said = docstring(inspect.getdoc(function))
    return f"### `{function.__name__}`\n\n```python\n{signature(function)}\n```\n\n{said}\n\n"


def _tasks(entry: Metric | AnnotationMetric) -> str:
    return ", ".join(task for task in _TASKS if task in entry.tasks)


def _range(limits: tuple[float, float]) -> str:
    low, high = (f"{limit:.4g}" for limit in limits)
    return f"[{low}, {high}]" if np.isfinite(limits[1]) else f"[{low}, ∞)"


def picture(points: int = 400, seed: int = 1) -> str:
    """Soft accuracy against PO-JSD of random pairs over three labels, as SVG."""
    rng = np.random.default_rng(seed)
    P, Q = rng.dirichlet(np.full(3, 0.4), points), rng.dirichlet(np.full(3, 0.4), points)
    x = metrics.per_item(P, Q, "multiclass", "soft_accuracy")
    y = metrics.per_item(P, Q, "multiclass", "po_jsd")
    left, top, size = 62, 14, 320

    def at(value: float, *, down: bool = False) -> str:
        return f"{top + size * (1 - value):.1f}" if down else f"{left + size * value:.1f}"

    def label(x: float, y: float, text: str, anchor: str = "middle", extra: str = "") -> str:
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{text}</text>'

    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 410 386" width="410" height="386" role="img" '
        'aria-label="Soft accuracy and PO-JSD of random pairs of distributions">',
        "<style>text{font:12px sans-serif;fill:#333}circle{fill:#1b5e8a;fill-opacity:.55}</style>",
        '<rect width="410" height="386" fill="#fff"/>',
        *(
            f'<path d="M{at(t)} {top}V{top + size}M{left} {at(t, down=True)}H{left + size}" stroke="#e3e3e3"/>'
            for t in ticks
        ),
        f'<path d="M{at(0)} {at(0, down=True)}L{at(1)} {at(1, down=True)}" stroke="#b5541c" stroke-width="1.5"/>',
        *(f'<circle cx="{at(a)}" cy="{at(b, down=True)}" r="2.2"/>' for a, b in zip(x, y, strict=True)),
        *(label(left + size * t, top + size + 17, f"{t:g}") for t in ticks),
        *(label(left - 8, top + size * (1 - t) + 4, f"{t:g}", "end") for t in ticks),
        label(left + size / 2, top + size + 40, "Soft accuracy"),
        label(16, top + size / 2, "PO-JSD", extra=f' transform="rotate(-90 16 {top + size // 2})"'),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
