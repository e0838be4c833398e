"""docs/studies.md says what there is."""

import re

import pytest

from annotations.designing.instrument import APP_WORDS
from annotations.models import StudyState
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")


def test_every_version_of_the_words_says_what_changed():
    table = PAGE.partition("### Versions of the instrument")[2].partition("\n## ")[0]
    told = {int(version): says for version, says in re.findall(r"^\| (\d+) \| (.+) \|$", table, re.MULTILINE)}
    assert set(told) == set(range(1, APP_WORDS + 1))
    assert all(len(says.split()) > 3 for says in told.values())


@pytest.mark.parametrize("state", StudyState.values)
def test_every_state_of_a_study_says_what_it_fixes(state):
    assert re.search(rf"^\| {state} \| .+ \|$", PAGE, re.MULTILINE)
