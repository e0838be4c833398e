"""The locks that an erasure takes, in the order in which answering and assigning take them."""

from django.utils import timezone

from annotations.erasing import retention
from annotations.erasing.executing import erase_rows
from annotations.erasing.people import erase_person
from annotations.erasing.studies import erase_dataset, erase_study
from annotations.erasing.texts import erase_text
from annotations.models import Assignment, Erasure, Membership, TextSet, User
from tests.locks.cases import DATASET, EXPERT, IN_HAND, STUDY, TEXT, Case
from tests.locks.world import World


def person(w: World) -> object:
    """The second expert, who has answered: with the place that only an erasure of the answers takes."""
    return erase_person(user=w.experts[1].user, with_answers=True)


def text(w: World) -> object:
    return erase_text(instance=w.mine[2].instance)


def study(w: World) -> object:
    return erase_study(study=w.study)


def dataset(w: World) -> object:
    return erase_dataset(dataset=w.dataset)


ERASING = [
    Case("erasing.executing.erase_rows", Erasure, lambda w: [w.erasure], lambda w: erase_rows(w.erasure)),
    Case("erasing.people.erase_person", *STUDY, person, firmly=True),
    Case("people.access.roles.locked", User, lambda w: [w.experts[1].user], person),
    Case("erasing.people.erase_person", Membership, lambda w: w.experts[1:2], person),
    Case("erasing.people._erase_answers", Assignment, lambda w: w.mine[1:2], person),
    *(Case("erasing.texts.erase_text", *rows, text, firmly=True) for rows in (STUDY, DATASET, TEXT)),
    Case("erasing.texts.erase_text", *EXPERT, text),
    Case("erasing.texts.erase_text", Assignment, lambda w: w.mine[2:], text),
    Case("history.looks.forget_texts", TextSet, lambda w: [w.dataset.text_set], text),
    Case("erasing.studies._locked", *STUDY, study, firmly=True),
    Case("erasing.studies._locked", *EXPERT, study),
    Case("erasing.studies._erase_study", *IN_HAND, study),
    Case("erasing.studies.erase_dataset", *DATASET, dataset, firmly=True),
    Case(
        "erasing.retention.keep_identities",
        *STUDY,
        lambda w: retention.keep_identities(study=w.study, months=6),
        firmly=True,
    ),
    # Both of a sweep lock the same row, so that only the first could be seen through it.
    Case(
        "erasing.retention._announced_at",
        *STUDY,
        lambda w: retention._announced_at(w.study, timezone.now()),
        firmly=True,
    ),
    Case(
        "erasing.retention._erase_identities", *STUDY, lambda w: retention._erase_identities(w.study, []), firmly=True
    ),
]
