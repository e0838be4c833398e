"""Erase a text. Its row stays without words, so that the others keep their places; it counts as withdrawn."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations.erasing.counting import Counts
from annotations.erasing.gate import open_gate
from annotations.erasing.people import delete_answers
from annotations.erasing.signals import texts_go
from annotations.erasing.stored_files import forget_files, forget_imports
from annotations.history.looks import forget_texts
from annotations.models import Assignment, Dataset, Event, Instance, Membership, Report, ReportDecision, Study, User


@transaction.atomic
def erase_text(*, instance: Instance, with_answers: bool = False, actor: User | None = None) -> Counts:
    """Erase a text's words and its id in the files; with `with_answers` also what experts answered about it.

    The distributions at its place stay: they are numbers that tell nothing of the words. Repeating it changes nothing.
    """
    counts = Counts()
    studies = Study.objects.filter(dataset=instance.dataset_id)
    # Whoever takes or answers a place of it has ended, or waits: their memberships are held before the places, as they
    # themselves hold them, because triggers empty their tallies.
    list(studies.order_by("pk").select_for_update(no_key=True).values_list("pk"))
    members = Membership.objects.filter(study__in=studies.values("pk"))
    list(members.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    # The dataset before its text, as who erases the dataset has them, perhaps without a study that both would wait at.
    dataset = Dataset.objects.select_for_update(no_key=True).filter(pk=instance.dataset_id).first()
    found = Instance.objects.select_for_update(no_key=True).filter(pk=instance.pk).first()
    if dataset is None or found is None:  # erased meanwhile
        return counts
    instance = found
    places = Assignment.objects.filter(instance=instance)
    list(places.order_by("pk").select_for_update().values_list("pk"))
    with open_gate():
        if instance.erased_at is None:
            texts_go.send(sender=Instance, instance=instance)
        code, known_as = f"erased-{instance.position}", instance.external_id
        if with_answers:
            delete_answers(places, counts)
        said = Report.objects.filter(assignment__instance=instance).exclude(text="")
        counts.add("annotations.Report", said.update(text=""))
        notes = ReportDecision.objects.filter(report__assignment__instance=instance).exclude(note="")
        counts.add("annotations.ReportDecision", notes.update(note=""))
        if instance.erased_at is None:
            _rename_in_events(instance, known_as, code, counts)
            now = timezone.now()
            Instance.objects.filter(pk=instance.pk).update(
                segments=[{**one, "text": ""} for one in instance.segments],
                external_id=code,
                withdrawn_at=instance.withdrawn_at or now,
                erased_at=now,
                text_digest=None,
            )
            forget_texts([instance.text_digest])
            counts.add("annotations.Instance", 1)
        forget_imports(dataset.slug, counts)
        forget_files(studies, counts)
    return counts


def _rename_in_events(instance: Instance, known_as: str, code: str, counts: Counts) -> None:
    of_it = Q(dataset=instance.dataset_id) | Q(study__dataset=instance.dataset_id)
    for event in Event.objects.filter(of_it, data__instance=known_as):
        counts.add("annotations.Event", Event.objects.filter(pk=event.pk).update(data={**event.data, "instance": code}))
