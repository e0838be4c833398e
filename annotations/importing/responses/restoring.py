"""Restore a study from its exported responses, for a dataset whose instances and predictions already exist here."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotations.designing.averaging import stored_mean
from annotations.exporting.rows import FLIPPED
from annotations.exporting.study_responses import STUDY_SETTINGS
from annotations.ground.arrays import absent_rows
from annotations.ground.errors import Conflict, HLVError
from annotations.ground.sides import EARLIER
from annotations.history import events
from annotations.importing.memory.problems import listed
from annotations.importing.responses.study_records import (
    AssignmentRecord,
    LabelRevision,
    PreferenceRevision,
    StudyRecord,
    StudyResponses,
    SystemKey,
)
from annotations.models import (
    Assignment,
    Comparison,
    Dataset,
    Event,
    EventKind,
    Guess,
    InstrumentVersion,
    Label,
    LabelResponse,
    Layout,
    Membership,
    PreferenceResponse,
    Report,
    Role,
    Runs,
    SideKey,
    Study,
    System,
    User,
)
from annotations.models.datasets import matrix_or_error
from annotations.shown.profiles import flaws_of
from annotations.storing.search_terms import BadSearchWords, search_words

BATCH = 200
STATED_IF_SET = ("layout", "share_meaning", "question_certainty", "leaving", "known_texts", "profile_questions")
"""Settings that an export omits if they are at their default."""
GivenTurn = tuple[int, str, int]
"""A turn: its number, its phase and its rule."""


class OtherStudy(Conflict):
    """The slug belongs to a study that was not restored from these files."""


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
    _check_fit(responses, dataset)
    study = _make_study(responses, dataset, slug, title)
    count = sum(1 for record in responses.history if record.preferenceResponses)
    # Before the answers, since only a restored study may have a text twice for one expert (a trigger checks).
    events.record(EventKind.RESPONSES_IMPORTED, actor=None, study=study, responses=count, sha256=responses.digest)
    experts = _make_experts(study, responses)
    comparisons = _make_comparisons(study, responses)
    _withdraw_texts(dataset, responses)
    _give_search_words(dataset, responses)
    written = _make_assignments(study, responses, experts, comparisons)
    keys = _restore_keys(study, responses.record)
    identical = {record.comparison for record in responses.comparisons if record.identical}
    turns = _given_turns(responses.history, version=responses.record.version, keyed=keys, identical=identical)
    versions = _make_versions(study, responses)
    swapped = {number: is_swapped for number, (_, is_swapped) in comparisons.items()}
    _make_answers(study, responses, written, turns=turns, swapped=swapped, versions=versions)
    if dry_run:
        transaction.set_rollback(True)
    return Restored(study, count, changed=True, notes=_notes_on(responses.history))


def _restored_before(study: Study, responses: StudyResponses) -> Restored:
    same = Event.objects.filter(study=study, kind=EventKind.RESPONSES_IMPORTED, data__sha256=responses.digest)
    if not same.exists():
        raise OtherStudy(
            f"There is already a study {study.slug!r} that did not come from these files.", slug=study.slug
        )
    return Restored(study, 0, changed=False)


class DoesNotFit(HLVError):
    """The responses are about instances, labels or predictions that the dataset does not have."""


def _check_fit(responses: StudyResponses, dataset: Dataset) -> None:
    record = responses.record
    names = list(dataset.labels.order_by("position").values_list("name", flat=True))
    if record.dataset and record.dataset.labels != names:
        raise DoesNotFit(f"The label set differs from that of dataset {dataset.slug!r}.")
    if record.dataset and record.dataset.fingerprint not in {"", dataset.fingerprint}:
        raise DoesNotFit(
            f"The responses were given on another version of the dataset (SHA-256 {record.dataset.fingerprint}; "
            f"{dataset.slug!r} here has {dataset.fingerprint}). Import the same files of instances first."
        )
    here = {(s.model, s.method, s.run): s.fingerprint for s in dataset.systems.all()}
    means = {system.key for system in record.systems if system.mean_of}
    systems = {system for c in responses.comparisons for system in (c.first, c.second) if system}
    systems = {system for system in systems if system.key not in means} | set(_runs(record))
    missing = sorted({system.name for system in systems if system.key not in here})
    if missing:
        raise DoesNotFit(
            f"Dataset {dataset.slug!r} does not have the systems {listed(missing)}. Import their predictions first."
        )
    stated = [(s, s.fingerprint) for s in record.systems if not s.mean_of] + list(_runs(record).items())
    other = [s.name for s, fingerprint in stated if fingerprint and here.get(s.key) != fingerprint]
    if other:
        raise DoesNotFit(
            f"Dataset {dataset.slug!r} has other predictions of {listed(other)} than those that were shown."
        )
    instances = set(dataset.instances.values_list("external_id", flat=True))
    strangers = sorted({c.instance for c in responses.comparisons} - instances)
    if strangers:
        raise DoesNotFit(f"Dataset {dataset.slug!r} has no instances {listed(strangers)}.")
    _check_predicted(responses, dataset)
    unknown = {label for a in responses.history for r in a.labelResponses for label in r.labels} - set(names)
    if unknown:
        raise DoesNotFit(f"Dataset {dataset.slug!r} has no labels {listed(sorted(unknown))}.")


def _check_predicted(responses: StudyResponses, dataset: Dataset) -> None:
    """Check that what was compared is predicted here: the files alone do not contain the matrices."""
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
    return {
        SystemKey(model=mean.model, method=mean.method, run=run.run): run.fingerprint
        for mean in record.systems
        for run in mean.mean_of
    }


def _make_study(responses: StudyResponses, dataset: Dataset, slug: str, title: str) -> Study:
    """The study with its old settings; those not in the export did not exist yet."""
    stated = responses.record.study
    settings = {name: stated[name] for name in (*STUDY_SETTINGS, *STATED_IF_SET) if name in stated}
    settings.setdefault("layout", Layout.SEPARATE)  # as before there was a choice
    settings.setdefault("runs", Runs.SINGLE)  # as in exports that do not say
    settings.setdefault("display_rule", 1)  # exports that do not say were made before version 2
    study = Study(dataset=dataset, slug=slug, **settings)
    study.title = title or study.title or slug
    study.is_simulated = bool(study.is_simulated or responses.record.simulated or dataset.is_simulated)
    try:
        for name in ("opened_at", "closed_at"):
            setattr(study, name, parse_datetime(stated[name]) if stated.get(name) else None)
        study.full_clean(exclude=["dataset"])
        if flaws := flaws_of(study.profile_questions):
            raise ValueError(" ".join(flaws))
    except (ValidationError, TypeError, ValueError) as error:
        reasons = error.messages if isinstance(error, ValidationError) else [str(error)]
        raise DoesNotFit(f"study.json has settings that no study can have: {' '.join(reasons)}") from error
    study.save(force_insert=True)
    return study


def _make_experts(study: Study, responses: StudyResponses) -> dict[int, Membership]:
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
            profile=expert.profile,
        )
    return members


def _make_comparisons(study: Study, responses: StudyResponses) -> dict[int, tuple[Comparison, bool]]:
    """The comparisons, by number, and whether the two systems had to be swapped.

    A pair of systems is stored in order of their ids, which differ here.
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


def _means(study: Study, record: StudyRecord) -> dict[tuple[str, str, str], System]:
    """The study's means, computed again from the same runs. Raises DoesNotFit if the predictions differ."""
    imported = {(s.model, s.method, s.run): s for s in System.objects.filter(dataset=study.dataset)}
    means = {}
    for system in record.systems:
        if system.mean_of:
            mean = stored_mean(study, [imported[system.model, system.method, run.run] for run in system.mean_of])
            if system.fingerprint not in {"", mean.fingerprint}:
                raise DoesNotFit(f"The mean of the runs of {system.name} is not the one that was shown.")
            means[system.key] = mean
    return means


def _give_search_words(dataset: Dataset, responses: StudyResponses) -> None:
    words = responses.record.dataset.search_words if responses.record.dataset else {}
    lacking = [label for label in dataset.labels.all() if not label.search_words and label.name in words]
    try:
        for label in lacking:
            label.search_words = search_words(words[label.name])
    except BadSearchWords as error:
        raise DoesNotFit(f"study.json has search words that no label can have. {error.message}") from error
    Label.objects.bulk_update(lacking, ["search_words"])


def _withdraw_texts(dataset: Dataset, responses: StudyResponses) -> None:
    named = {record.instance for record in responses.comparisons if record.withdrawn}
    dataset.instances.filter(external_id__in=named, withdrawn_at=None).update(withdrawn_at=timezone.now())


def _make_assignments(
    study: Study,
    responses: StudyResponses,
    experts: dict[int, Membership],
    comparisons: dict[int, tuple[Comparison, bool]],
) -> list[Assignment]:
    """One assignment per line of history, in order; and the free places."""

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


def _make_answers(
    study: Study,
    responses: StudyResponses,
    assignments: list[Assignment],
    *,
    turns: Mapping[tuple[int, int], GivenTurn],
    swapped: Mapping[int, bool],
    versions: dict[int, InstrumentVersion],
) -> None:
    """Step 1, then that step 2 was shown, then step 2: the order required by the database's triggers."""
    positions = dict(study.dataset.labels.values_list("name", "position"))
    both = list(zip(responses.history, assignments, strict=True))
    LabelResponse.objects.bulk_create(
        (
            LabelResponse(
                assignment=assignment,
                revision=revision,
                key=uuid.uuid4(),
                labels=sorted(positions[label] for label in step.labels),
                active_ms=step.elapsedTime,
                created_at=step.createdAt,
                **_reading(step, versions),
            )
            for record, assignment in both
            for revision, step in enumerate(record.labelResponses)
        ),
        batch_size=BATCH,
    )
    for record, assignment in both:
        assignment.comparison_shown_at = record.comparisonShownAt
        assignment.completed_at = record.completedAt
        if record.comparisonShownAt and record.sideOrder:
            side = record.sideOrder
            assignment.side_order = FLIPPED[side] if swapped[record.comparison] else side
            turn = turns.get((record.annotatorId, record.position))
            if turn is not None:
                assignment.turn, assignment.phase, assignment.side_rule = turn
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
            a_chosen=step.isOptionAPreferred,
            b_chosen=step.isOptionBPreferred,
            certainty=step.confidence,
            active_ms=step.elapsedTime,
            created_at=step.createdAt,
            **_reading(step, versions),
        )
        for record, assignment in both
        for revision, step in enumerate(record.preferenceResponses)
    ]
    PreferenceResponse.objects.bulk_create(preferences, batch_size=BATCH)
    Report.objects.bulk_create(
        (
            Report(
                assignment=assignment,
                key=uuid.uuid4(),
                reason=report.reason,
                text=report.text,
                skipped=report.skipped,
                created_at=report.createdAt,
            )
            for record, assignment in both
            for report in record.reports
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


def _make_versions(study: Study, responses: StudyResponses) -> dict[int, InstrumentVersion]:
    stated = responses.record.instrument_versions
    if len({record.number for record in stated}) < len(stated) or len({record.sha256 for record in stated}) < len(
        stated
    ):
        raise DoesNotFit("study.json lists a version of the instrument twice.")
    revisions = [
        revision for line in responses.history for revision in (*line.labelResponses, *line.preferenceResponses)
    ]
    named = {revision.instrument for revision in revisions if revision.instrument is not None}
    if lacking := sorted(named - {record.number for record in stated}):
        raise DoesNotFit(f"An answer names version {lacking[0]} of the instrument, which study.json does not contain.")
    versions = InstrumentVersion.objects.bulk_create(
        InstrumentVersion(study=study, **record.model_dump())
        for record in sorted(stated, key=lambda record: record.number)
    )
    return {version.number: version for version in versions}


def _reading(revision: LabelRevision | PreferenceRevision, versions: dict[int, InstrumentVersion]) -> dict[str, Any]:
    version = None if revision.instrument is None else versions[revision.instrument]
    return {"instrument": version, "page_language": revision.pageLanguage}


def _restore_keys(study: Study, record: StudyRecord) -> set[str]:
    """Store the keys in the files (of a closed study); returns their phases."""
    keys = [key for key in (record.sides.keys if record.sides else []) if key.key is not None]
    SideKey.objects.bulk_create(
        SideKey(study=study, phase=key.phase, name=key.name, key=bytes.fromhex(key.key or "")) for key in keys
    )
    return {key.phase for key in keys}


def _given_turns(
    history: Sequence[AssignmentRecord], *, version: int, keyed: Collection[str], identical: Collection[int]
) -> dict[tuple[int, int], GivenTurn]:
    """(expert, position) -> the turn of what was shown.

    Files of version 1 have no turns: they follow from the times. Without its key, a side counts as drawn in another
    way, because no key here determines it. `identical`: numbers of the comparisons that use up no turn.
    """
    if version > 1:
        return {
            (record.annotatorId, record.position): (
                record.turn,
                record.phase,
                record.sideRule if record.phase in keyed else EARLIER,
            )
            for record in history
            if record.turn is not None and record.phase is not None and record.sideRule is not None
        }
    shown = [
        record for record in history if record.comparisonShownAt is not None and record.comparison not in identical
    ]
    following: dict[tuple[int, str], int] = defaultdict(int)
    turns: dict[tuple[int, int], GivenTurn] = {}
    for record in sorted(shown, key=lambda record: (record.annotatorId, record.comparisonShownAt, record.position)):
        phase = "pilot" if record.pilot else "main"
        turns[record.annotatorId, record.position] = (following[record.annotatorId, phase], phase, EARLIER)
        following[record.annotatorId, phase] += 1
    return turns


def _notes_on(history: Sequence[AssignmentRecord]) -> tuple[str, ...]:
    """Sentences about answers that do not count, and those that count although the expert had seen the text before.

    The rules are those of the analyses (docs/results.md, "What counts"); each answer is listed under only one of them.
    """
    answered = [record for record in history if record.preferenceResponses]
    skipped = sum(record.releasedAt is not None for record in answered)
    repeats = sum(record.releasedAt is None and record.repeatOf is not None for record in answered)
    pilot = sum(record.releasedAt is None and record.repeatOf is None and record.pilot for record in answered)
    left_out = [
        f"{count:,} {what}"
        for count, what in (
            (repeats, "that repeat a comparison that the same expert had judged"),
            (pilot, "given in the pilot"),
            (skipped, "at places that were skipped afterwards"),
        )
        if count
    ]
    notes = [f"Analyses exclude {' and '.join(left_out)}, of {len(answered):,} responses."] if left_out else []
    again = sum(record.seenBefore for record in answered)
    if again:
        notes.append(
            f"{again:,} responses are about a text that the expert had judged before, beside another system. They "
            "count, but experts who saw the text twice may have recognised the human distribution."
        )
    return tuple(notes)
