"""docs/reference/analyses.md: every analysis, from what it declares: parameters, figures, method, conventions."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from metaeval.analyses.base.registry import Analysis, analyses
from metaeval.analyses.base.result import Result
from metaeval.analyses.inputs.parts import Part
from metaeval.documents.report.methods import methods_text
from metaeval.figures.registry import figures
from metaeval.reference.markdown import anchor, docstring, first_paragraph, table, written_by

CONVENTIONS = "conventions.md"
"""In the folder of an analysis: what is undefined and why, what is counted how, how the numbers are computed."""

HEAD = """
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
    """The page."""
    ours = [entry for entry in analyses if entry.compute.__module__.startswith("metaeval.analyses.")]
    parts = [written_by("Analyses", HEAD), "\n".join(_line(entry) for entry in ours) + "\n", _every_result()]
    return "\n".join([*parts, *(_section(entry) for entry in ours)])


def _line(entry: Analysis) -> str:
    return f"- [`{entry.name}`](#{entry.name}): {entry.title}"


def _every_result() -> str:
    rows = [
        (f"`{field.alias or name}`", str(field.description or STATED[name]))
        for name, field in Result.model_fields.items()
    ]
    return (
        "## What every result states\n\nA result is plain JSON. What is undefined is `null` beside a `reason`, never "
        f"NaN or 0. Each analysis adds what it found.\n\n{table(['key', 'what it holds'], rows)}\n"
    )


def _section(entry: Analysis) -> str:
    about = ", ".join(SUBJECTS[str(subject.value)] for subject in entry.subjects)
    parts = [
        f"{anchor(entry.name)}\n## `{entry.name}`: {entry.title}",
        f"Of {about}. Version {entry.version}.",
        docstring(inspect.getdoc(entry.compute)),
        _parameters(entry),
        _figures(entry),
        _findings(entry),
        _method(entry),
        _conventions(entry),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _parameters(entry: Analysis) -> str:
    rows = [(f"`{name}`", _values(schema), _meaning(schema)) for name, schema in entry.schema()["properties"].items()]
    return "### Parameters\n\n" + table(["parameter", "values", "meaning"], rows)


def _values(schema: dict[str, Any]) -> str:
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


def _meaning(schema: dict[str, Any]) -> str:
    return f"{schema['title']}. {schema['description']}"


def _figures(entry: Analysis) -> str:
    if not entry.figures:
        return ""
    rows = [(f"`{name}`", figures.get(name).title) for name in entry.figures]
    return "### Figures\n\n" + table(["figure", "what it shows"], rows)


def _findings(entry: Analysis) -> str:
    """What its result has besides what every result states."""
    rows = [
        (f"`{name}`", _holds(field.description, field.annotation))
        for name, field in entry.result.model_fields.items()
        if name not in Result.model_fields
    ]
    return "### Result\n\n" + table(["key", "what it holds"], rows)


def _holds(description: str | None, kind: Any) -> str:
    """What a key holds; for rows with their own type, also that type's description and the names in a row."""
    for part in (kind, *getattr(kind, "__args__", ())):
        if inspect.isclass(part) and issubclass(part, Part):
            names = ", ".join(f"`{name}`" for name in part.model_fields)
            return f"{description or first_paragraph(part.__doc__)} Each has {names}."
    return description or ""


def _method(entry: Analysis) -> str:
    if not _beside(entry, "methods.txt").is_file():
        return ""
    return f"### In a paper\n\n{methods_text(entry.name)}"


def _conventions(entry: Analysis) -> str:
    file = _beside(entry, CONVENTIONS)
    return f"### Conventions\n\n{file.read_text(encoding='utf-8').strip()}" if file.is_file() else ""


def _beside(entry: Analysis, name: str) -> Path:
    return Path(inspect.getfile(entry.compute)).with_name(name)
