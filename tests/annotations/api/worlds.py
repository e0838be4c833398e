"""Two worlds that differ only in what experts must not see: who said what, and every name."""

import uuid
from dataclasses import dataclass

import numpy as np

from annotations import designing
from annotations.designing.lifecycle import change_state
from annotations.models import Assignment, Dataset, Instance, Label, Study, StudyState, System, User
from tests.annotations.studies import make_expert

INSTANCES, LABELS = 6, 5


@dataclass(frozen=True)
class World:
    """What experts must not see."""

    name: str
    is_swapped: bool
    compares: str
    sides_turned: bool = True

    @property
    def secrets(self) -> list[str]:
        return [f"{self.name}-{what}" for what in ("dataset", "title", "model", "method", "run", "external", "source")]


def build(world: World) -> Study:
    rng = np.random.default_rng(3)
    one, other = (np.round(rng.random((INSTANCES, LABELS)), 2) for _ in range(2))
    one[0], other[1] = 0.0, 0.05  # a side without any bar, on either side
    if world.is_swapped:
        one, other = other, one
    dataset = Dataset.objects.create(
        slug=f"{world.name}-dataset",
        title=f"{world.name}-title",
        source=f"{world.name}-source",
        task="multilabel",
        gold=one,
        fingerprint=uuid.uuid4().hex,
    )
    Label.objects.bulk_create(Label(dataset=dataset, position=k, name=f"Area {k}") for k in range(LABELS))
    Instance.objects.bulk_create(
        Instance(
            dataset=dataset,
            position=i,
            external_id=f"{world.name}-external-{i}",
            segments=[{"name": "", "text": f"Text {i}"}],
            parts=3 + i,
        )
        for i in range(INSTANCES)
    )
    predictions = {"a": other} if world.compares == "human_vs_system" else {"a": one, "b": other}
    for letter, matrix in predictions.items():
        System.objects.create(
            dataset=dataset,
            model=f"{world.name}-model-{letter}",
            method=f"{world.name}-method",
            run=f"{world.name}-run",
            predictions=matrix,
            fingerprint="0",
        )
    study = designing.create_study(
        dataset=dataset,
        slug="the-study",
        title="The study",
        compares=world.compares,
        instances_per_system=INSTANCES,
        experts_per_comparison=2,
        asks_guess=world.compares == "human_vs_system",
        seed=11,
    )
    for number in range(3):
        # The session tells a person's own id, and PostgreSQL would count on from one world to the other.
        User.objects.create_user(f"expert{number}@example.org", id=9_000_001 + number)
        make_expert(study, f"expert{number}@example.org")
    designing.apply_plan(study=study)
    for place in study.assignments.select_related("comparison"):
        token = uuid.uuid5(uuid.NAMESPACE_OID, f"{place.comparison.position} {place.place}")
        Assignment.objects.filter(pk=place.pk).update(token=token)
    return change_state(study=study, to=StudyState.OPEN)
