"""Restore a study from its exported responses, for a dataset whose instances and predictions already exist here."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.importing.responses.fitting import DoesNotFit, check_fit
from annotations.importing.responses.instruments import make_told_versions
from annotations.importing.responses.leaving_out import notes_on
from annotations.importing.responses.study_records import StudyResponses
from annotations.importing.responses.told_answers import make_told_answers, make_told_assignments
from annotations.importing.responses.told_studies import (
    give_search_words,
    make_told_comparisons,
    make_told_experts,
    make_told_study,
    withdraw_texts,
)
from annotations.importing.responses.turns import given_turns, restored_keys
from annotations.models import Dataset, Event, EventKind, Study, User


class OtherStudy(Conflict):
    """The slug belongs to a study that was not restored from these files."""

    code = "other_study"


@dataclass(frozen=True, slots=True)
class Restored:
    """The study, and whether anything was written (False: these files had already been restored).

    `notes` say what analyses leave out of the responses.
    """

    study: Study
    responses: int
    changed: bool
    notes: tuple[str, ...] = ()


@transaction.atomic
def restore_study(
    *,
    responses: StudyResponses,
    dataset: Dataset,
    slug: str = "",
    title: str = "",
    actor: User | None = None,
    dry_run: bool = False,
) -> Restored:
    """Store the study, its experts (by number, as users nobody can sign in as), and every response.

    A dry run stores everything, as far as the database allows, and rolls it back.

    Raises:
        DoesNotFit: instances, labels or systems are not those of the dataset, or its predictions differ.
        OtherStudy: another study has the slug.
    """
    dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
    slug = slug or str(responses.record.study.get("slug", ""))
    if not slug:
        raise DoesNotFit("The files do not contain the name of the study. Specify a short name.")
    existing = Study.objects.filter(slug=slug).first()
    if existing:
        return _restored_before(existing, responses)
    check_fit(responses, dataset)
    study = make_told_study(responses, dataset, slug, title)
    count = sum(1 for record in responses.history if record.preferenceResponses)
    # Before the answers, since only a restored study may have a text twice for one expert (a trigger checks).
    events.record(EventKind.RESPONSES_IMPORTED, actor=actor, study=study, responses=count, sha256=responses.digest)
    experts = make_told_experts(study, responses)
    comparisons = make_told_comparisons(study, responses)
    withdraw_texts(dataset, responses)
    give_search_words(dataset, responses)
    written = make_told_assignments(study, responses, experts, comparisons)
    keys = restored_keys(study, responses.record)
    identical = {record.comparison for record in responses.comparisons if record.identical}
    turns = given_turns(responses.history, version=responses.record.version, keyed=keys, identical=identical)
    versions = make_told_versions(study, responses)
    swapped = {number: has_changed for number, (_, has_changed) in comparisons.items()}
    make_told_answers(study, responses, written, turns=turns, swapped=swapped, versions=versions)
    if dry_run:
        transaction.set_rollback(True)
    return Restored(study, count, changed=True, notes=notes_on(responses.history))


def _restored_before(study: Study, responses: StudyResponses) -> Restored:
    same = Event.objects.filter(study=study, kind=EventKind.RESPONSES_IMPORTED, data__sha256=responses.digest)
    if not same.exists():
        raise OtherStudy(
            f"There is already a study {study.slug!r} that did not come from these files.", slug=study.slug
        )
    return Restored(study, 0, changed=False)
