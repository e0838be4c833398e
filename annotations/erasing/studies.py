"""Erase a study or a dataset, answers included: the deliberate exception to "answers are never deleted".

Nothing is left but one event that says how many rows went, without names.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.designing.averaging import discard_means
from annotations.erasing.counting import Counts
from annotations.erasing.gate import open_gate
from annotations.erasing.people import delete_answers
from annotations.erasing.stored_files import forget_files, forget_imports
from annotations.history.looks import forget_texts
from annotations.importing.deleting import dataset_goes
from annotations.models import Dataset, Event, Membership, Study, User


@transaction.atomic
def erase_study(*, study: Study, actor: User | None = None) -> Counts:
    """Erase a study with its members, plan, answers, results, files and events. People's accounts stay."""
    counts = Counts()
    locked = _locked(Study.objects.filter(pk=study.pk))
    with open_gate():
        for one in locked:
            _erase_study(one, counts)
    return counts


@transaction.atomic
def erase_dataset(*, dataset: Dataset, actor: User | None = None) -> Counts:
    """Erase a dataset with its texts, predictions, analyses and every study on it."""
    counts = Counts()
    studies = _locked(Study.objects.filter(dataset=dataset.pk))
    if not Dataset.objects.select_for_update(no_key=True).filter(pk=dataset.pk).exists():
        return counts
    with open_gate():
        for study in studies:
            _erase_study(study, counts)
        dataset_goes.send(sender=Dataset, dataset=dataset)
        forget_imports(dataset.slug, counts)
        digests = list(dataset.instances.order_by().values_list("text_digest", flat=True))
        counts.delete(Event.objects.filter(Q(dataset=dataset.pk)))
        counts.delete(Dataset.objects.filter(pk=dataset.pk))
        forget_texts(digests)
    return counts


def _locked(studies: QuerySet[Study]) -> list[Study]:
    """Those of them that another erasure did not take meanwhile; nobody answers in them until this one has ended.

    Not their keys: whoever answers holds their own membership and then refers to the study. So the memberships are
    next, and when they are held, all answers have been stored or will be refused.
    """
    found = list(studies.order_by("pk").select_for_update(no_key=True))
    members = Membership.objects.filter(study__in=[one.pk for one in found])
    list(members.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    return found


def _erase_study(study: Study, counts: Counts) -> None:
    alone = Study.objects.filter(pk=study.pk)
    list(study.assignments.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    forget_files(alone, counts)
    delete_answers(study.assignments.all(), counts)
    counts.delete(study.comparisons.all())
    discard_means(study)
    instruments: Any = study.instrument_versions.all()
    counts.delete(instruments)
    counts.delete(Event.objects.filter(study=study.pk))
    counts.delete(alone)
