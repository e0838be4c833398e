"""Restore a study from its exported responses, onto a dataset whose instances and predictions are here already."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotations import events
from annotations.arrays import absent_rows
from annotations.designing.averaging import stored_mean
from annotations.errors import Conflict, HLVError
from annotations.exporting.rows import FLIPPED
from annotations.exporting.study_responses import STUDY_SETTINGS
from annotations.importing.memory.problems import listed
from annotations.importing.responses.leaving_out import notes_on
from annotations.importing.responses.study_records import AssignmentRecord, StudyRecord, StudyResponses, SystemKey
from annotations.importing.responses.turns import GivenTurn, given_turns, restored_keys
from annotations.models import (
    Assignment,
    Comparison,
    Dataset,
    Event,
    EventKind,
    Guess,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Report,
    Role,
    Runs,
    Study,
    System,
    User,
)
from annotations.models.datasets import matrix_or_error

BATCH = 200


class DoesNotFit(HLVError):  # noqa: N818 (reads as a sentence at the raise)
    """The responses are about other instances, labels or predictions than the dataset has."""

    code = "does_not_fit"


class OtherStudy(Conflict):
    """The slug belongs to a study that did not come from these files."""

    code = "other_study"


@dataclass(frozen=True, slots=True)
class Restored:
    """The study, and whether anything was written (False: these very files were restored before).

    `notes` say what an analysis leaves out of the responses.
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
    """Write the study, its experts (by number, as users nobody can sign in as), and every response.

    A dry run writes all of it, as far as the database lets it, and takes it back.

    Raises:
        DoesNotFit: instances, labels or systems are not those of the dataset, or its predictions differ.
        OtherStudy: another study has the slug.
    """
    dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
    slug = slug or str(responses.record.study.get("slug", ""))
    if not slug:
        raise DoesNotFit("The files do not say what the study is called. Give it a slug.")
    existing = Study.objects.filter(slug=slug).first()
    if existing:
        return _restored_before(existing, responses)
    _check(responses, dataset)
    study = _study(responses, dataset, slug, title)
    count = sum(1 for record in responses.history if record.preferenceResponses)
    # Before the answers: only a study that came from files may hold a text twice for one expert (a trigger asks).
    events.record(EventKind.RESPONSES_IMPORTED, actor=actor, study=study, responses=count, sha256=responses.digest)
    experts = _experts(study, responses)
    comparisons = _comparisons(study, responses)
    _withdraw(dataset, responses)
    written = _assignments(study, responses, experts, comparisons)
    keys = restored_keys(study, responses.record)
    identical = {record.comparison for record in responses.comparisons if record.identical}
    turns = given_turns(responses.history, version=responses.record.version, keyed=keys, identical=identical)
    _responses(study, responses, written, turns, {n: swapped for n, (_, swapped) in comparisons.items()})
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


def _check(responses: StudyResponses, dataset: Dataset) -> None:
    record = responses.record
    names = list(dataset.labels.order_by("position").values_list("name", flat=True))
    if record.dataset and record.dataset.labels != names:
        raise DoesNotFit(f"The label set is not that of dataset {dataset.slug!r}.")
    if record.dataset and record.dataset.fingerprint not in {"", dataset.fingerprint}:
        raise DoesNotFit(
            f"The responses were given on another version of the dataset (SHA-256 {record.dataset.fingerprint}; "
            f"{dataset.slug!r} here has {dataset.fingerprint}). Import the same files of instances first."
        )
    here = {(s.model, s.method, s.run): s.fingerprint for s in dataset.systems.all()}
    means = {system.key for system in record.systems if system.mean_of}
    wanted = {system for c in responses.comparisons for system in (c.first, c.second) if system}
    wanted = {system for system in wanted if system.key not in means} | set(_runs(record))
    missing = sorted({system.name for system in wanted if system.key not in here})
    if missing:
        raise DoesNotFit(
            f"Dataset {dataset.slug!r} lacks the systems {listed(missing)}. Import their predictions first."
        )
    stated = [(s, s.fingerprint) for s in record.systems if not s.mean_of] + list(_runs(record).items())
    other = [s.name for s, fingerprint in stated if fingerprint and here.get(s.key) != fingerprint]
    if other:
        raise DoesNotFit(f"Dataset {dataset.slug!r} has other predictions of {listed(other)} than were shown.")
    instances = set(dataset.instances.values_list("external_id", flat=True))
    strangers = sorted({c.instance for c in responses.comparisons} - instances)
    if strangers:
        raise DoesNotFit(f"Dataset {dataset.slug!r} has no instances {listed(strangers)}.")
    _check_predicted(responses, dataset)
    unknown = {label for a in responses.history for r in a.labelResponses for label in r.labels} - set(names)
    if unknown:
        raise DoesNotFit(f"Dataset {dataset.slug!r} has no labels {listed(sorted(unknown))}.")


def _check_predicted(responses: StudyResponses, dataset: Dataset) -> None:
    """What was compared must be predicted here: the files alone do not say of which matrices they tell."""
    shown: dict[tuple[str, str, str], set[str]] = {}
    for comparison in responses.comparisons:
        for key in (comparison.first, comparison.second):
            if key is not None:
                shown.setdefault(key.key, set()).add(comparison.instance)
    lacking = [system for system in dataset.systems.all() if system.missing]
    if not lacking:
        return
    ids = list(dataset.instances.order_by("position").values_list("external_id", flat=True))
    for system in lacking:
        gaps = np.flatnonzero(absent_rows(matrix_or_error(system.predictions))).tolist()
        absent = sorted(shown.get((system.model, system.method, system.run), set()) & {ids[i] for i in gaps})
        if absent:
            raise DoesNotFit(f"Dataset {dataset.slug!r} has no predictions of {system.name} for {listed(absent)}.")


def _runs(record: StudyRecord) -> dict[SystemKey, str]:
    """The runs that the study's means average, with the SHA-256 of their predictions."""
    return {
        SystemKey(model=mean.model, method=mean.method, run=run.run): run.fingerprint
        for mean in record.systems
        for run in mean.mean_of
    }


def _means(study: Study, record: StudyRecord) -> dict[tuple[str, str, str], System]:
    """The study's means, made again of the same runs. Raises DoesNotFit where other predictions come out."""
    imported = {(s.model, s.method, s.run): s for s in System.objects.filter(dataset=study.dataset)}
    found = {}
    for told in record.systems:
        if told.mean_of:
            mean = stored_mean(study, [imported[told.model, told.method, run.run] for run in told.mean_of])
            if told.fingerprint not in {"", mean.fingerprint}:
                raise DoesNotFit(f"The mean of the runs of {told.name} is not the one that was shown.")
            found[told.key] = mean
    return found


def _study(responses: StudyResponses, dataset: Dataset, slug: str, title: str) -> Study:
    told = responses.record.study
    settings = {name: told[name] for name in STUDY_SETTINGS if name in told}
    settings.setdefault("runs", Runs.SINGLE)  # so did exports that do not say it
    settings.setdefault("display_rule", 1)  # exports that do not say it were made before there was a second one
    study = Study(dataset=dataset, slug=slug, **settings)
    study.title = title or study.title or slug
    study.is_simulated = bool(study.is_simulated or responses.record.simulated or dataset.is_simulated)
    try:
        for name in ("opened_at", "closed_at"):
            setattr(study, name, parse_datetime(told[name]) if told.get(name) else None)
        study.full_clean(exclude=["dataset"])
    except (ValidationError, TypeError, ValueError) as error:
        reasons = error.messages if isinstance(error, ValidationError) else [str(error)]
        raise DoesNotFit(f"study.json has settings that no study can have: {' '.join(reasons)}") from error
    study.save(force_insert=True)
    return study


def _experts(study: Study, responses: StudyResponses) -> dict[int, Membership]:
    members = {}
    for expert in responses.record.experts:
        user = User.objects.create_user(
            f"expert-{expert.number}.{study.slug}@example.invalid", name=f"Expert {expert.number}", is_active=False
        )
        members[expert.number] = Membership.objects.create(
            study=study,
            user=user,
            role=Role.EXPERT,
            number=expert.number,
            is_simulated=expert.simulated,
            is_active=expert.active,
        )
    return members


def _comparisons(study: Study, responses: StudyResponses) -> dict[int, tuple[Comparison, bool]]:
    """The comparisons by their number, and whether the two systems had to change places.

    A pair of systems is stored in order of their ids, which are other ones here.
    """
    instances = {i.external_id: i for i in study.dataset.instances.only("pk", "external_id", "dataset_id")}
    systems = {(s.model, s.method, s.run): s for s in System.objects.filter(dataset=study.dataset)}
    systems |= _means(study, responses.record)

    def system(key: SystemKey | None) -> System | None:
        return systems[key.key] if key else None

    swapped = {}
    rows = []
    for record in responses.comparisons:
        first, second = system(record.first), systems[record.second.key]
        swapped[record.comparison] = swap = first is not None and first.pk > second.pk
        if swap and first is not None:
            first, second = second, first
        rows.append(
            Comparison(
                study=study,
                instance=instances[record.instance],
                first_system=first,
                second_system=second,
                position=record.comparison,
                identical=record.identical,
            )
        )
    Comparison.objects.bulk_create(rows, batch_size=BATCH)
    return {row.position: (row, swapped[row.position]) for row in rows}


def _withdraw(dataset: Dataset, responses: StudyResponses) -> None:
    """A text that was withdrawn where the study comes from is withdrawn here too."""
    named = {record.instance for record in responses.comparisons if record.withdrawn}
    dataset.instances.filter(external_id__in=named, withdrawn_at=None).update(withdrawn_at=timezone.now())


def _assignments(
    study: Study,
    responses: StudyResponses,
    experts: dict[int, Membership],
    comparisons: dict[int, tuple[Comparison, bool]],
) -> list[Assignment]:
    """One assignment a line of history, in its order; and the free places that nobody holds."""

    def place(record: AssignmentRecord, original: Assignment | None) -> Assignment:
        comparison, _ = comparisons[record.comparison]
        return Assignment(
            study=study,
            comparison=comparison,
            instance_id=comparison.instance_id,
            place=record.place,
            places=max(study.experts_per_comparison, record.place + 1),
            expert=experts[record.annotatorId],
            position=record.position,
            repeat_of=original,
            seen_before=record.seenBefore,
            is_pilot=record.pilot,
            claimed_at=record.claimedAt,
            released_at=record.releasedAt,
        )

    rows: dict[tuple[int, int], Assignment] = {}
    first_times = [record for record in responses.history if record.repeatOf is None]
    repeats = [record for record in responses.history if record.repeatOf is not None]
    for batch in (first_times, repeats):
        new = {
            (r.annotatorId, r.position): place(r, None if r.repeatOf is None else rows[r.annotatorId, r.repeatOf])
            for r in batch
        }
        Assignment.objects.bulk_create(new.values(), batch_size=BATCH)
        rows |= new
    held = {(row.comparison_id, row.place) for row in rows.values() if row.released_at is None}
    Assignment.objects.bulk_create(
        (
            Assignment(
                study=study,
                comparison=comparison,
                instance_id=comparison.instance_id,
                place=number,
                places=study.experts_per_comparison,
            )
            for comparison, _ in comparisons.values()
            for number in range(study.experts_per_comparison)
            if (comparison.pk, number) not in held
        ),
        batch_size=BATCH,
    )
    return [rows[record.annotatorId, record.position] for record in responses.history]


def _responses(
    study: Study,
    responses: StudyResponses,
    assignments: list[Assignment],
    turns: Mapping[tuple[int, int], GivenTurn],
    swapped: Mapping[int, bool],
) -> None:
    """Step 1, then that step 2 was shown, then step 2: the order that the database's triggers demand."""
    positions = dict(study.dataset.labels.values_list("name", "position"))
    both = list(zip(responses.history, assignments, strict=True))
    LabelResponse.objects.bulk_create(
        (
            LabelResponse(
                assignment=assignment,
                revision=revision,
                key=uuid.uuid4(),
                labels=sorted(positions[label] for label in told.labels),
                active_ms=told.elapsedTime,
                created_at=told.createdAt,
            )
            for record, assignment in both
            for revision, told in enumerate(record.labelResponses)
        ),
        batch_size=BATCH,
    )
    for record, assignment in both:
        assignment.comparison_shown_at = record.comparisonShownAt
        assignment.completed_at = record.completedAt
        if record.comparisonShownAt and record.sideOrder:
            side = record.sideOrder
            assignment.side_order = FLIPPED[side] if swapped[record.comparison] else side
            given = turns.get((record.annotatorId, record.position))
            if given is not None:
                assignment.turn, assignment.phase, assignment.side_rule = given
    Assignment.objects.bulk_update(
        [assignment for assignment in assignments if assignment.comparison_shown_at],
        ["comparison_shown_at", "completed_at", "side_order", "turn", "phase", "side_rule"],
        batch_size=BATCH,
    )
    preferences = [
        PreferenceResponse(
            assignment=assignment,
            revision=revision,
            key=uuid.uuid4(),
            a_chosen=told.isOptionAPreferred,
            b_chosen=told.isOptionBPreferred,
            certainty=told.confidence,
            active_ms=told.elapsedTime,
            created_at=told.createdAt,
        )
        for record, assignment in both
        for revision, told in enumerate(record.preferenceResponses)
    ]
    PreferenceResponse.objects.bulk_create(preferences, batch_size=BATCH)
    Report.objects.bulk_create(
        (
            Report(
                assignment=assignment,
                key=uuid.uuid4(),
                reason=told.reason,
                text=told.text,
                skipped=told.skipped,
                created_at=told.createdAt,
            )
            for record, assignment in both
            for told in record.reports
        ),
        batch_size=BATCH,
    )
    Guess.objects.bulk_create(
        (
            Guess(assignment=assignment, key=uuid.uuid4(), side=record.guess.side, created_at=record.guess.createdAt)
            for record, assignment in both
            if record.guess is not None
        ),
        batch_size=BATCH,
    )
