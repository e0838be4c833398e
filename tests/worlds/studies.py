"""Small studies for tests, and the people in them."""

import hashlib
from typing import Any

from annotations import designing
from annotations.designing.lifecycle import add_member, change_state
from annotations.models import Dataset, Membership, Phase, Role, SideKey, Study, StudyState, User
from tests.worlds.datasets import make_dataset


def make_study(
    *, dataset: Dataset | None = None, experts: int = 0, slug: str = "study", key_name: str = "", **settings: Any
) -> Study:
    """A draft study with experts `expert0@example.org`, ... Studies of one `key_name` have the same sides."""
    defaults = {"title": "A study", "instances_per_system": 3, "experts_per_comparison": 2, "seed": 5}
    study = designing.create_study(dataset=dataset or make_dataset(), slug=slug, **defaults | settings)
    give_known_keys(study, key_name or slug)
    for number in range(experts):
        make_expert(study, f"expert{number}@example.org")
    return study


def give_known_keys(study: Study, name: str) -> None:
    """So that sides are the same in every run of the tests."""
    for phase in Phase:
        SideKey.objects.create(study=study, phase=phase, name=name, key=known_key(name, phase))


def known_key(name: str, phase: str) -> bytes:
    """What `give_known_keys` gives."""
    return hashlib.sha256(f"{name} {phase}".encode()).digest()


def make_open_study(**settings: Any) -> Study:
    """A planned study that takes answers."""
    return plan_and_open(make_study(**settings))


def plan_and_open(study: Study, actor: User | None = None) -> Study:
    designing.apply_plan(study=study, actor=actor)
    return change_state(study=study, to=StudyState.OPEN, actor=actor)


def make_member(study: Study, role: Role, email: str, password: str | None = None, **fields: Any) -> Membership:
    """Somebody with a role in the study; with that address, the person may be known already."""
    user = User.objects.filter(email=email).first() or User.objects.create_user(email, password, **fields)
    return add_member(study=study, user=user, role=role)


def make_expert(study: Study, email: str) -> Membership:
    return make_member(study, Role.EXPERT, email)
