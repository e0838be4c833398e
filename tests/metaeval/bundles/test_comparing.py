"""Two results are the same up to rounding, and only if a tolerance is given."""

import pytest

from metaeval.bundles.verifying import differences


@pytest.mark.parametrize(
    ("stored", "found", "tolerance", "same"),
    [
        (1.0, 1.0 + 2**-52, 0.0, False),
        (1.0, 1.0 + 2**-52, 1e-12, True),
        (1.0, 1.0 + 1e-11, 1e-12, False),
        (2.0e-17, -1.5e-16, 0.0, False),
        (2.0e-17, -1.5e-16, 1e-12, True),  # both would be 0 without rounding
        (1e-12, 3e-12, 1e-12, False),  # small numbers, such as p, are not rounding errors
        (True, 1, 1e-12, False),
        (None, 0.0, 1e-12, False),
    ],
)
def test_numbers_differ_by_a_share_of_the_larger_one_or_by_rounding(stored, found, tolerance, same):
    said = [str(one) for one in differences({"p": [stored]}, {"p": [found]}, tolerance=tolerance)]
    assert said == ([] if same else [f"p[0]: stored {stored}, found {found}"])
