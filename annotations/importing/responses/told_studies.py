"""Store a study, its experts and its comparisons as described in an export."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotations.designing.averaging import stored_mean
from annotations.exporting.study_responses import STUDY_SETTINGS
from annotations.importing.responses.fitting import DoesNotFit
from annotations.importing.responses.study_records import StudyRecord, StudyResponses, SystemKey
from annotations.models import Comparison, Dataset, Label, Layout, Membership, Role, Runs, Study, System, User
from annotations.shown.profiles import flaws_of
from annotations.storing.search_terms import BadSearchWords, search_words

BATCH = 200
TOLD_IF_SET = ("layout", "share_meaning", "question_certainty", "leaving", "known_texts", "profile_questions")
"""Settings that an export omits if they are at their default."""


def make_told_study(responses: StudyResponses, dataset: Dataset, slug: str, title: str) -> Study:
    """The study with its old settings; those not in the export did not exist yet."""
    told = responses.record.study
    settings = {name: told[name] for name in (*STUDY_SETTINGS, *TOLD_IF_SET) if name in told}
    settings.setdefault("layout", Layout.SEPARATE)  # as before there was a choice
    settings.setdefault("runs", Runs.SINGLE)  # as in exports that do not say
    settings.setdefault("display_rule", 1)  # exports that do not say were made before version 2
    study = Study(dataset=dataset, slug=slug, **settings)
    study.title = title or study.title or slug
    study.is_simulated = bool(study.is_simulated or responses.record.simulated or dataset.is_simulated)
    try:
        for name in ("opened_at", "closed_at"):
            setattr(study, name, parse_datetime(told[name]) if told.get(name) else None)
        study.full_clean(exclude=["dataset"])
        if flaws := flaws_of(study.profile_questions):
            raise ValueError(" ".join(flaws))
    except (ValidationError, TypeError, ValueError) as error:
        reasons = error.messages if isinstance(error, ValidationError) else [str(error)]
        raise DoesNotFit(f"study.json has settings that no study can have: {' '.join(reasons)}") from error
    study.save(force_insert=True)
    return study


def make_told_experts(study: Study, responses: StudyResponses) -> dict[int, Membership]:
    """The experts, by number."""
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


def make_told_comparisons(study: Study, responses: StudyResponses) -> dict[int, tuple[Comparison, bool]]:
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
    found = {}
    for told in record.systems:
        if told.mean_of:
            mean = stored_mean(study, [imported[told.model, told.method, run.run] for run in told.mean_of])
            if told.fingerprint not in {"", mean.fingerprint}:
                raise DoesNotFit(f"The mean of the runs of {told.name} is not the one that was shown.")
            found[told.key] = mean
    return found


def give_search_words(dataset: Dataset, responses: StudyResponses) -> None:
    """Give labels without search words here those of the study. Raises DoesNotFit."""
    told = responses.record.dataset.search_words if responses.record.dataset else {}
    lacking = [label for label in dataset.labels.all() if not label.search_words and label.name in told]
    try:
        for label in lacking:
            label.search_words = search_words(told[label.name])
    except BadSearchWords as error:
        raise DoesNotFit(f"study.json has search words that no label can have. {error.message}") from error
    Label.objects.bulk_update(lacking, ["search_words"])


def withdraw_texts(dataset: Dataset, responses: StudyResponses) -> None:
    """Withdraw the texts that were withdrawn where the study comes from."""
    named = {record.instance for record in responses.comparisons if record.withdrawn}
    dataset.instances.filter(external_id__in=named, withdrawn_at=None).update(withdrawn_at=timezone.now())
