"""Which language a study's pages speak, and which way they run."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from annotations import designing
from annotations.designing.lifecycle import change_state
from annotations.designing.starting import InvalidSettings
from annotations.models import Study, StudyState
from annotations.shown.languages import language_and_direction, of_study
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_expert

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("language", "direction", "texts", "spoken"),
    [
        ("", "", ("he", "rtl"), ("he", "rtl")),
        ("", "", (None, None), ("en", "ltr")),
        ("de", "", ("he", "rtl"), ("de", "ltr")),
        ("ar-EG", "", ("en", "ltr"), ("ar-EG", "rtl")),
        ("", "rtl", ("en", "ltr"), ("en", "rtl")),
        ("ar", "ltr", ("en", "ltr"), ("ar", "ltr")),
    ],
)
def test_a_study_says_its_language_or_else_its_texts_do(
    language: str, direction: str, texts: tuple[str | None, str | None], spoken: tuple[str, str]
) -> None:
    assert language_and_direction(Study(language=language, direction=direction), texts=texts) == spoken


def test_the_experts_page_and_the_plan_say_the_same_language(client: Client) -> None:
    study = designing.create_study(
        dataset=make_dataset(), slug="s", language="ar", instances_per_system=2, experts_per_comparison=1
    )
    expert = make_expert(study, "expert@example.org")
    plan = designing.overview(study=study)
    assert "The experts' pages are in Arabic, written from right to left." in plan.statement
    designing.apply_plan(study=study)
    assert "The experts' pages are in Arabic, written from right to left." in designing.overview(study=study).statement
    change_state(study=study, to=StudyState.OPEN)
    client.force_login(expert.user)
    shown = client.post("/api/studies/s/next/").json()
    assert (shown["study"]["language"], shown["study"]["direction"]) == ("ar", "rtl")
    # The text is what it is: the page's direction does not turn it round.
    assert (shown["assignment"]["language"], shown["assignment"]["direction"]) == ("en", "ltr")
    assert of_study(study) == ("ar", "rtl")


@pytest.mark.parametrize("settings", [{"language": "Deutsch!"}, {"direction": "up"}])
def test_what_is_no_language_or_direction_is_refused(settings: dict[str, str]) -> None:
    with pytest.raises(InvalidSettings):
        designing.draft(dataset=make_dataset(), slug="s", **settings)


def test_the_database_knows_two_directions() -> None:
    study = designing.create_study(dataset=make_dataset(), slug="s")
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(direction="up")
