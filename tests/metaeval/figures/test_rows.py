"""The rows that charts are drawn from."""

import pytest

from metaeval.figures.rows import number_of


def test_a_text_where_a_number_belongs_is_refused():
    with pytest.raises(TypeError, match=r"\bvalue is '0\.5'; "):
        number_of({"value": "0.5"}, "value")
