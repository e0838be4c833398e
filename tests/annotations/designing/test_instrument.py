"""The version of the experts' pages' own words is raised when the words of the two steps change.

`APP_WORDS` goes into every stored answer, so that a paper can say what its experts read. A changed word under an old
number would make that false, silently.
"""

from hashlib import sha256

import polib

from annotations.designing.instrument import APP_WORDS, digest_of
from tests.conftest import ROOT

STEPS = "frontend/src/features/annotate/{}/"
SAID_IN = tuple(STEPS.format(step) for step in ("labelStep", "preferenceStep"))
DIGESTS = {2: "90924afe21cb35d32f917dedc2257a489cc486d9b33389dfa16e435e536ce665"}
"""Of the words of both steps in three languages, by version. A version that was released keeps its digest."""


def words_of(code: str) -> list[str]:
    """What both steps say in one language, in the order of the English sentences, which are what is translated."""
    written = "de" if code == "en" else code
    catalogue = polib.pofile(str(ROOT / "locale" / written / "LC_MESSAGES" / "django.po"))
    return sorted(
        f"{entry.msgid} = {entry.msgid if code == 'en' else entry.msgstr}"
        for entry in catalogue
        if any(place.startswith(SAID_IN) for place, _ in entry.occurrences)
    )


def test_other_words_in_a_step_are_another_version() -> None:
    words = {code: words_of(code) for code in ("en", "de", "ar")}
    assert all(len(said) > 10 for said in words.values())
    digest = sha256(repr(words).encode()).hexdigest()
    assert DIGESTS.get(APP_WORDS) == digest, (
        "The words of step 1 or 2 changed. Raise APP_WORDS (annotations/designing/instrument.py), say in "
        "docs/studies.md what changed, and add the new version's digest here."
    )
    assert max(DIGESTS) == APP_WORDS


def test_a_version_that_was_stored_keeps_its_digest_in_whatever_script_its_words_are() -> None:
    digest = digest_of({"question_labels": "Größe?", "labels": ["قانون"]}, 2)
    assert digest == "29d398c1db3cc1bce654dd80fa6d46033816801087bac81d3871f0c13bf61ebb"
