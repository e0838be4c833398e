"""The study on which analyses are tested."""

import pytest

from tests.metaeval.studies import answered_study


@pytest.fixture
def answered(db):
    return answered_study()


@pytest.fixture
def study(answered):
    return answered.study
