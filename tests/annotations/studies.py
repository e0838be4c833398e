"""Small studies for tests, with matrices that are easy to recognise."""

import uuid
from typing import Any

import numpy as np

from annotations import designing
from annotations.arrays import Matrix
from annotations.designing.lifecycle import add_member, change_state
from annotations.models import Dataset, Instance, Label, Membership, Role, Study, StudyState, System, User


def make_dataset(
    *, instances: int = 6, labels: int = 4, systems: int = 2, task: str = "multilabel", slug: str = "some-dataset"
) -> Dataset:
    """A dataset with random matrices; the last label is exclusive when the task is multilabel."""
    rng = np.random.default_rng(7)

    def matrix() -> Matrix:
        if task == "multilabel":
            return rng.random((instances, labels))
        return rng.dirichlet(np.ones(labels), instances)

    dataset: Dataset = Dataset.objects.create(
        slug=slug, title="The Dataset's Title", task=task, gold=matrix(), fingerprint=uuid.uuid4().hex * 2
    )
    Label.objects.bulk_create(
        Label(
            dataset=dataset,
            position=k,
            name=f"Label {'zyxwvutsrqponmlkjihgfedcba'[k]}",
            exclusive=task == "multilabel" and k == labels - 1,
        )
        for k in range(labels)
    )
    Instance.objects.bulk_create(
        Instance(
            dataset=dataset,
            position=i,
            external_id=f"external-{i}",
            segments=[{"name": "", "text": f"This is text number {i}."}],
        )
        for i in range(instances)
    )
    System.objects.bulk_create(
        System(dataset=dataset, model="ModelName", method=f"Method{s}", run="0", predictions=matrix(), fingerprint="0")
        for s in range(systems)
    )
    return dataset


def make_study(*, dataset: Dataset | None = None, experts: int = 0, slug: str = "study", **settings: Any) -> Study:
    """A draft study with experts `expert0@example.org`, ..."""
    settings = {"instances_per_system": 3, "experts_per_comparison": 2, "seed": 5, **settings}
    study = designing.create_study(dataset=dataset or make_dataset(), slug=slug, title="A study", **settings)
    for number in range(experts):
        make_expert(study, f"expert{number}@example.org")
    return study


def make_expert(study: Study, email: str) -> Membership:
    user = User.objects.filter(email=email).first() or User.objects.create_user(email)
    return add_member(study=study, user=user, role=Role.EXPERT)


def make_open_study(**settings: Any) -> Study:
    """A planned study that takes answers."""
    study = make_study(**settings)
    designing.apply_plan(study=study)
    return change_state(study=study, to=StudyState.OPEN)
