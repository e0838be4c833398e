"""What is computed: the pages on metrics (and its picture), statistics, training methods and analyses."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import fill
from types import ModuleType
from typing import Any

import numpy as np

from metaeval import metrics
from metaeval import stats as library
from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.base.result import Result
from metaeval.analyses.inputs.parts import Part
from metaeval.documents.report.methods import methods_text
from metaeval.figures.registry import figures
from metaeval.metrics import AnnotationMetric, Metric
from metaeval.training.registry import CROSS_ENTROPY, TrainingMethod, methods
from tests.lab.reference.markdown import anchor, docstring, first_paragraph, signature, table, written_by

PICTURE = Path("images") / "soft-accuracy-and-po-jsd.svg"
TASKS = ("multiclass", "ordinal", "multilabel")

METRICS_HEAD = """
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

ABOUT_PICTURE = f"""
## How two of them relate

Soft accuracy is never above PO-JSD (Kurniawan et al. 2026, Theorem 3.1). Each point is a random pair of distributions
over three labels; the line is equality.

![Soft accuracy and PO-JSD of random pairs: every point lies on or above the diagonal]({PICTURE.as_posix()})

`metric_relationship` simulates the correlations between metrics over many such pairs (Table 2 of that paper), and
`metaeval.metrics.relationship.SETTINGS` holds the published settings.
"""

ABOUT_ANNOTATIONS = """
These take annotations, not distributions: a sequence of items, each a mapping from annotators to answers.
They are functions, listed by `annotation_metrics()`, and give an `AnnotationScore`: the value, every item's
own value, and the items left out.
"""

AROUND: tuple[Callable[..., Any], ...] = (
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
    ours = [entry for entry in metrics.available() if entry.definition.__module__.startswith("metaeval.metrics.")]
    parts = [written_by("Metrics", METRICS_HEAD), "\n", _metrics_table(ours), ABOUT_PICTURE]
    parts += ["\n## Metrics of distributions\n", *(_metric_section(entry) for entry in ours)]
    parts += ["\n## Metrics of annotations\n", ABOUT_ANNOTATIONS]
    parts += [_metric_section(entry) for entry in metrics.annotation_metrics()]
    parts += ["\n## Around the metrics\n\n", *(_around_section(function) for function in AROUND)]
    return "".join(parts)


def _metrics_table(entries: Iterable[Metric]) -> str:
    rows = [
        (
            f"[{entry.title}](#{entry.name})",
            f"`{entry.name}`",
            _tasks_of(entry),
            entry.orientation,
            _range_of(entry.range),
            "yes" if entry.works_per_item else "",
            ", ".join(task for task in TASKS if task in entry.default_for),
            entry.source,
        )
        for entry in entries
    ]
    return table(["metric", "name", "tasks", "better", "range", "per instance", "default", "source"], rows) + "\n"


def _metric_section(entry: Metric | AnnotationMetric) -> str:
    facts = [f"`{entry.name}`", _tasks_of(entry), f"{entry.orientation} is better", _range_of(entry.range)]
    if isinstance(entry, Metric) and entry.options:
        options = ", ".join(f"`{name}={default!r}`" for name, default in entry.options.items())
        facts.append(f"options {options}")
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(entry.description))
    body = "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith("Source: "))
    text = f"{docstring(body)}\n\nSource: {entry.source}."
    return f"\n{anchor(entry.name)}\n### {entry.title}\n\n{'; '.join(facts)}\n\n{text}\n"


def _around_section(function: Callable[..., Any]) -> str:
    body = docstring(inspect.getdoc(function))
    return f"### `{function.__name__}`\n\n```python\n{signature(function)}\n```\n\n{body}\n\n"


def _tasks_of(entry: Metric | AnnotationMetric) -> str:
    return ", ".join(task for task in TASKS if task in entry.tasks)


def _range_of(limits: tuple[float, float]) -> str:
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


STATISTICS_HEAD = """
`metaeval.stats` needs NumPy, SciPy and Numba, and nothing else of the platform. Every random function takes a seed;
every result is a small frozen dataclass.
"""
ROOMS = ("correlating", "comparing", "power", "ranking", "responses", "agreement", "uncertainty")
SHARED = ("intervals", "multiplicity", "results")


def statistics_page() -> str:
    parts = [written_by("Statistics", STATISTICS_HEAD)]
    for room in (*ROOMS, *SHARED):
        module = importlib.import_module(f"metaeval.stats.{room}")
        where = "metaeval.stats" if room not in ("agreement", "uncertainty") else f"metaeval.stats.{room}"
        names = _offered(module, library if where == "metaeval.stats" else module)
        if names:
            parts.append(f"## {room.capitalize()}\n\n{docstring(module.__doc__)}\n\nImport from `{where}`.\n")
            parts += [_statistic_section(name, getattr(module, name)) for name in names]
    return "\n".join(parts)


def _offered(module: ModuleType, of: ModuleType) -> list[str]:
    """Functions and classes that the module defines and the library offers."""
    names = []
    for name in getattr(of, "__all__", []):
        thing = getattr(module, name, None)
        is_own = (getattr(thing, "__module__", "") or "").startswith(module.__name__)
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and is_own:
            names.append(name)
    return sorted(names, key=lambda name: (inspect.isclass(getattr(module, name)), name))


def _statistic_section(name: str, thing: Any) -> str:
    head = f"{anchor(name)}\n### `{name}`\n"
    if inspect.isfunction(thing):
        head += f"\n```python\n{signature(thing)}\n```\n"
    return f"{head}\n{docstring(inspect.getdoc(thing))}\n"


METHODS_HEAD = """
[Training systems](../training.md) says how to use them; systems that are trained with a method have its name as their
`method`. What a method learns from needs NumPy only; training needs the packages of `hlvstudy[training]`.

## All methods

*Several labels*: a text may have any number of labels. *Annotators*: every annotation must say who gave it.
"""
LOSSES_AND_PREDICTIONS = (
    "*Target* is what is to be predicted, one number for each label. *The cross-entropy* is that "
    f"{CROSS_ENTROPY.removeprefix('the cross-entropy ')}. What a model predicts, unless its method says otherwise: "
    f"{TrainingMethod.prediction[0].lower()}{TrainingMethod.prediction[1:]}"
)


def methods_page() -> str:
    ours = [entry for entry in methods if type(entry).__module__.startswith("metaeval.training.methods.")]
    parts = [
        written_by("Training methods", METHODS_HEAD),
        table(["method", "title", "learns from", "several labels", "annotators"], map(_method_row, ours)),
        f"\n## Losses and predictions\n\n{fill(LOSSES_AND_PREDICTIONS, width=120)}\n",
        *map(_method_section, ours),
    ]
    return "\n".join(parts)


def _method_row(entry: TrainingMethod) -> tuple[str, ...]:
    several = "yes" if "multilabel" in entry.tasks else "no"
    return f"[{entry.name}](#{entry.name})", entry.title, entry.learns, several, "yes" if entry.needs_people else ""


def _method_section(entry: TrainingMethod) -> str:
    points = [f"- **Loss.** {entry.objective.replace(CROSS_ENTROPY, 'the cross-entropy')}"]
    if entry.prediction != TrainingMethod.prediction:
        points.append(f"- **Prediction.** {entry.prediction}")
    points.append(f"- **Source.** {entry.source}.")
    return "\n".join([anchor(entry.name), f"### {entry.name}: {entry.title}", "", *points, ""])


CONVENTIONS = "conventions.md"
"""In the folder of an analysis: what is undefined and why, what is counted how, how the numbers are computed."""

ANALYSES_HEAD = """
What every analysis computes and by which conventions. [Results](../results.md) says how to run one and read its
result. A parameter is an option of the command (`--zero-division`), a field of the API and of the page's form.
"""
SUBJECTS = {
    "study": "a study",
    "dataset": "a dataset",
    "votes": "the pairwise votes of a dataset",
    "datasets": "several datasets",
    "nothing": "nothing but its parameters (a simulation)",
}

STATED = {
    "tables": "The tables, in the order of the page: `name`, `title`, `columns`, `rows`, `notes`.",
    "schema_version": "The version of this common part.",
    "analysis": "The name of the analysis.",
    "title": "The title of the analysis.",
    "subject": "What it is about: `kind`, `slug`, `title` and more.",
    "is_simulated": "Whether the data are simulated.",
    "seed": "All random numbers follow from it.",
}
"""The keys whose names say what they hold."""


def analyses_page() -> str:
    ours = [entry for entry in analyses if entry.compute.__module__.startswith("metaeval.analyses.")]
    entries = "\n".join(f"- [`{entry.name}`](#{entry.name}): {entry.title}" for entry in ours)
    parts = [written_by("Analyses", ANALYSES_HEAD), entries + "\n", _common_result()]
    return "\n".join([*parts, *(_analysis_section(entry) for entry in ours)])


def _common_result() -> str:
    rows = [
        (f"`{field.alias or name}`", str(field.description or STATED[name]))
        for name, field in Result.model_fields.items()
    ]
    return (
        "## What every result states\n\nA result is plain JSON. What is undefined is `null` beside a `reason`, never "
        f"NaN or 0. Each analysis adds what it found.\n\n{table(['key', 'what it holds'], rows)}\n"
    )


def _analysis_section(entry: Analysis) -> str:
    about = ", ".join(SUBJECTS[str(subject.value)] for subject in entry.subjects)
    parts = [
        f"{anchor(entry.name)}\n## `{entry.name}`: {entry.title}",
        f"Of {about}. Version {entry.version}.",
        docstring(inspect.getdoc(entry.compute)),
        _parameters_section(entry),
        _figures_section(entry),
        _result_section(entry),
        _paper_section(entry),
        _conventions_section(entry),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _parameters_section(entry: Analysis) -> str:
    rows = [
        (f"`{name}`", _parameter_values(schema), f"{schema['title']}. {schema['description']}")
        for name, schema in entry.schema()["properties"].items()
    ]
    return "### Parameters\n\n" + table(["parameter", "values", "meaning"], rows)


def _parameter_values(schema: dict[str, Any]) -> str:
    """The default first, then what else can be said."""
    kind = next((part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"), schema)
    default = schema.get("default")
    choices = kind.get("enum") or kind.get("items", {}).get("enum")
    if choices:
        chosen = default if isinstance(default, list) else [default]
        first = [f"**`{value}`**" for value in chosen if value is not None]
        return ", ".join(first + [f"`{value}`" for value in choices if value not in chosen])
    bounds = [f"{word} {kind[key]:,}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in kind]
    shown = "none" if default in (None, [], "") else _plain(default)
    return f"**{shown}**" + (f" ({' '.join(bounds)})" if bounds else "")


def _plain(default: Any) -> str:
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, list):
        return ", ".join(map(_plain, default))
    return f"{default:,}" if isinstance(default, int) else str(default)


def _figures_section(entry: Analysis) -> str:
    if not entry.figures:
        return ""
    rows = [(f"`{name}`", figures.get(name).title) for name in entry.figures]
    return "### Figures\n\n" + table(["figure", "what it shows"], rows)


def _result_section(entry: Analysis) -> str:
    """What its result has besides what every result states."""
    rows = [
        (f"`{name}`", _holds(field.description, field.annotation))
        for name, field in entry.result.model_fields.items()
        if name not in Result.model_fields
    ]
    return "### Result\n\n" + table(["key", "what it holds"], rows)


def _holds(description: str | None, kind: Any) -> str:
    """What a key holds; for rows with their own type, also that type's description and its fields, with the titles of
    their columns where these say more than the names."""
    for part in (kind, *getattr(kind, "__args__", ())):
        if inspect.isclass(part) and issubclass(part, Part):
            names = ", ".join(
                f"`{name}`" + (f" ({field.title})" if field.title and _plainly(field.title) != _plainly(name) else "")
                for name, field in part.model_fields.items()
            )
            return f"{description or first_paragraph(part.__doc__)} Each has {names}."
    return description or ""


def _plainly(name: str) -> str:
    return name.lower().replace("_", " ")


def _paper_section(entry: Analysis) -> str:
    if not _beside(entry, "methods.txt").is_file():
        return ""
    return f"### In a paper\n\n{methods_text(entry.name)}"


def _conventions_section(entry: Analysis) -> str:
    file = _beside(entry, CONVENTIONS)
    return f"### Conventions\n\n{file.read_text(encoding='utf-8').strip()}" if file.is_file() else ""


def _beside(entry: Analysis, name: str) -> Path:
    return Path(inspect.getfile(entry.compute)).with_name(name)
