"""Every public function names its source and has an example."""

import dataclasses
import inspect
import re

from metaeval import metrics, stats
from metaeval.stats import agreement, uncertainty

TOOLS = {"available", "defaults", "get", "select", "metric", "annotation_metrics", "checked_task", "undefined", "plain"}
"""Functions of the registry and of plain data, which no paper defines."""

ALIKE = {"compute": "registry", "per_item": "registry", "classwise_errors": "classwise_ece"}
"""They compute what others define."""

SIMULATED = {"simulated_curve", "subset_curve"}
"""Their examples would take pages; tests/metaeval/stats/uncertainty shows them."""

FUNCTIONS = {
    name: getattr(library, name)
    for library in (metrics, stats, agreement, uncertainty)
    for name in library.__all__
    if inspect.isfunction(getattr(library, name)) and name not in TOOLS
} | {entry.name: entry.function for entry in metrics.available() if entry.is_ours}


def test_every_function_cites_its_source_and_has_an_example():
    words = {name: inspect.getdoc(function) or "" for name, function in FUNCTIONS.items()}
    cites = ("Source: ", "References\n----------\n")
    assert {name for name, text in words.items() if not any(cite in text for cite in cites)} <= set(ALIKE)
    assert {name for name, text in words.items() if ">>> " not in text} <= SIMULATED | set(ALIKE)


LIBRARIES = {"metrics": metrics, "stats": stats, "agreement": agreement, "uncertainty": uncertainty}

WITHOUT_EXAMPLE = {
    **dict.fromkeys(TOOLS, "of the registry, or of plain data"),
    **dict.fromkeys(SIMULATED, "its example would take pages"),
    "classwise_errors": "classwise_ece shows it",
}
"""Functions without an example, and why."""


def public_names():
    """Functions and classes that a library offers, as "library.name". Exceptions speak by their messages."""
    for library, module in LIBRARIES.items():
        for name in module.__all__:
            thing = getattr(module, name)
            is_exception = inspect.isclass(thing) and issubclass(thing, Exception)
            if inspect.isfunction(thing) or (inspect.isclass(thing) and not is_exception):
                yield f"{library}.{name}", thing


def sections_of(thing):
    """The sections of a docstring, by title."""
    _, *found = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.MULTILINE)
    return dict(zip(found[::2], found[1::2], strict=True))


def fields_in(section):
    """Names that a section describes: "P, Q : array_like" describes two."""
    heads = re.findall(r"^(\w[^:\n]*?)(?: : |$)", section, re.MULTILINE)
    return {name.strip(" *") for head in heads for name in head.split(",")}


def lacking(name, thing):
    """What the docstring of a function or class does not have."""
    sections = sections_of(thing)
    if inspect.isclass(thing):
        inherited = [sections_of(base) for base in thing.__mro__]
        described = {
            name
            for found in inherited
            for title in ("Attributes", "Parameters")
            for name in fields_in(found.get(title, ""))
        }
        if dataclasses.is_dataclass(thing):
            fields = {field.name for field in dataclasses.fields(thing)}
        else:
            fields = set(inspect.signature(thing).parameters) - {"args", "kwargs"}  # the latter are a protocol's
        return sorted(field for field in fields - described if not field.startswith("_"))
    shape = inspect.signature(thing)
    lacks = sorted(set(shape.parameters) - fields_in(sections.get("Parameters", "")))
    if shape.return_annotation not in (None, "None") and "Returns" not in sections:
        lacks.append("Returns")
    if ">>> " not in sections.get("Examples", "") and name not in WITHOUT_EXAMPLE:
        lacks.append("Examples")
    if "References" not in sections and name not in TOOLS | set(ALIKE):
        lacks.append("References")
    return lacks


def test_docstrings_have_numpydoc_sections_that_describe_every_parameter():
    found = {name: lacking(name.partition(".")[2], thing) for name, thing in public_names()}
    assert {name: lacks for name, lacks in found.items() if lacks} == {}
