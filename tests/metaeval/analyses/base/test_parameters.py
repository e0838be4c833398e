"""What was stored before a parameter existed keeps its meaning."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from metaeval.analyses.base.parameters import Absent, Parameters, Renamed, recalled
from metaeval.analyses.base.registry import InvalidParameters, analyses


class Asked(Parameters):
    exchangeable: Annotated[Literal["systems", "methods"], Absent("systems")] = Field(default="methods", title="Unit")
    instances: Annotated[Literal["all", "judged"], Renamed({"shown": "judged"})] = Field(default="all", title="On")


def test_a_parameter_that_is_not_there_means_what_its_absence_meant_and_not_todays_default():
    assert Asked().exchangeable == "methods"
    assert recalled(Asked, {})["exchangeable"] == "systems"
    assert recalled(Asked, {"exchangeable": "methods"})["exchangeable"] == "methods"


def test_a_value_that_was_called_otherwise_is_known_by_its_old_name_where_it_was_stored():
    assert recalled(Asked, {"instances": "shown"})["instances"] == "judged"
    assert recalled(Asked, {"instances": "all"})["instances"] == "all"


def test_what_is_declared_for_stored_parameters_changes_nothing_in_the_schema_of_todays():
    described = Asked.model_json_schema()["properties"]["exchangeable"]
    assert described == {"default": "methods", "enum": ["systems", "methods"], "title": "Unit", "type": "string"}


def test_the_first_version_of_the_correlation_had_no_intervals_and_no_exchanges():
    entry = analyses.get("preference_correlation")
    now, then = entry.validated({}).model_dump(), entry.recalled({"permutations": 500}).model_dump()
    assert (now["resamples"], now["exchanges"]) == (1000, 10_000)
    assert (then["resamples"], then["exchanges"], then["permutations"]) == (0, 0, 500)


def test_stored_parameters_that_no_version_declares_are_refused():
    with pytest.raises(InvalidParameters, match="permutation_count"):
        analyses.get("preference_correlation").recalled({"permutation_count": 500})
