"""Store places and experts' answers as described in an export."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from annotations.exporting.rows import FLIPPED
from annotations.importing.responses.instruments import told_reading
from annotations.importing.responses.study_records import AssignmentRecord, StudyResponses
from annotations.importing.responses.told_studies import BATCH
from annotations.importing.responses.turns import GivenTurn
from annotations.models import (
    Assignment,
    Comparison,
    Guess,
    InstrumentVersion,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Report,
    Study,
)


def make_told_assignments(
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


def make_told_answers(
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
                labels=sorted(positions[label] for label in told.labels),
                active_ms=told.elapsedTime,
                created_at=told.createdAt,
                **told_reading(told, versions),
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
            **told_reading(told, versions),
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
