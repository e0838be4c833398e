"""What parameters mean in things stored before they existed: plans, runs and bundles of earlier versions.

A parameter that is added later, or whose values are renamed, says so where it is declared:

    exchangeable: Annotated[Exchangeable | None, Absent("systems")] = Field(default=None, ...)
    instances: Annotated[Literal["all", "judged"], Renamed({"shown": "judged"})] = Field(default="all", ...)

So today's default may improve, while a plan that was stamped without the parameter keeps its meaning.

A list that means "everything" when empty names the part of the result that says what everything was:

    metrics: Annotated[MetricNames, AllThereWas("metrics")] = Field(default=[], ...)

So a result can be reproduced although there are more metrics today, or a plug-in adds some.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, JsonValue

from metaeval.analyses.inputs.parts import Json


@dataclass(frozen=True)
class Absent:
    """For a parameter that was added later: the value used by everything stored without it."""

    means: JsonValue


@dataclass(frozen=True, eq=False)
class Renamed:
    """For a parameter whose values were renamed: old name -> new name.

    A dropped name must not be given to another value.
    """

    names: Mapping[str, JsonValue]


@dataclass(frozen=True)
class AllThereWas:
    """For a list that means "everything" when empty: the key of the result whose entries' names say what it was."""

    key: str


def held(declared: type[BaseModel], parameters: Mapping[str, object], result: Mapping[str, object]) -> Json:
    """Parameters of a stored result, with what an empty list meant when it was computed.

    >>> from typing import Annotated
    >>> from pydantic import create_model
    >>> Asked = create_model("Asked", metrics=(Annotated[list[str], AllThereWas("metrics")], []))
    >>> held(Asked, {"metrics": []}, {"metrics": [{"name": "tvd"}, {"name": "po_jsd"}]})
    {'metrics': ['tvd', 'po_jsd']}
    >>> held(Asked, {"metrics": ["tvd"]}, {"metrics": [{"name": "tvd"}]})
    {'metrics': ['tvd']}
    """
    meant = dict(parameters)
    for name, field in declared.model_fields.items():
        for entry in field.metadata:
            named = result.get(entry.key) if isinstance(entry, AllThereWas) and not meant.get(name) else None
            if isinstance(named, list):
                meant[name] = [one["name"] for one in named]
    return meant


def recalled(declared: type[BaseModel], stored: Mapping[str, object]) -> Json:
    """Stored parameters in today's terms, with the meaning of those that are missing.

    >>> from typing import Annotated
    >>> from pydantic import create_model
    >>> unit = Annotated[str, Absent("systems")], "methods"
    >>> Asked = create_model("Asked", unit=unit, on=(Annotated[str, Renamed({"shown": "judged"})], "all"))
    >>> recalled(Asked, {"on": "shown"})
    {'on': 'judged', 'unit': 'systems'}
    >>> recalled(Asked, {"on": "all", "unit": "methods"})
    {'on': 'all', 'unit': 'methods'}
    """
    meant = dict(stored)
    for name, field in declared.model_fields.items():
        for entry in field.metadata:
            if isinstance(entry, Absent) and name not in meant:
                meant[name] = entry.means
            elif isinstance(entry, Renamed) and isinstance(value := meant.get(name), str):
                meant[name] = entry.names.get(value, value)
    return meant
