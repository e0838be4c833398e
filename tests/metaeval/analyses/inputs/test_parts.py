"""Parts of results: what is computed becomes JSON at any depth, and what is JSON is read as it is."""

import numpy as np
import pytest
from pydantic import ValidationError

from metaeval.analyses.base.table import Table
from metaeval.analyses.inputs import parts
from metaeval.analyses.inputs.parts import Exclusion

TABLE = {"name": "t", "title": "T", "columns": [{"key": "a", "title": "A"}], "rows": [{"a": 1.5}, {"a": None}]}


def test_arrays_and_undefined_numbers_become_json_at_any_depth():
    rows = [{"a": np.float64(1.5)}, {"a": float("nan")}]
    assert Table.model_validate({**TABLE, "rows": rows}) == Table.from_json(TABLE)


def test_what_is_json_is_read_without_looking_through_it(monkeypatch):
    made = Table.model_validate(TABLE)
    monkeypatch.setattr(parts, "plain", lambda _: pytest.fail("looked through"))
    assert Table.from_json(TABLE) == made


def test_what_is_json_is_still_checked():
    with pytest.raises(ValidationError) as refused:
        Exclusion.from_json({"what": "responses", "count": "many", "reason": "", "other": 1})
    assert {error["loc"] for error in refused.value.errors()} == {("count",), ("reason",), ("other",)}
