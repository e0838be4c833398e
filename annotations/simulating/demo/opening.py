"""A demo's open study, with every place assigned."""

from __future__ import annotations

from django.db import transaction

from annotations import designing
from annotations.designing import lifecycle
from annotations.designing.keys import give_key
from annotations.designing.starting import settings_of_preset
from annotations.models import Dataset, Phase, Role, Study, StudyState, User
from annotations.simulating.responses import add_simulated_experts, give_places, needed_experts

SEED = 2026
OWN_ASSIGNMENTS = 28  # for the person who signs in as the expert


@transaction.atomic
def open_study(
    *, dataset: Dataset, people: dict[Role, User], slug: str, title: str, instructions: str, key: bytes | None = None
) -> Study:
    """The open study, created if missing: some places for whoever tries the expert's role, all others for simulated
    experts.

    Args:
        key: the key that draws the sides; by default a random one.
    """
    study: Study | None = Study.objects.select_for_update().filter(slug=slug).first()
    if study is not None:
        return study
    admin = people[Role.ADMIN]
    study = designing.create_study(
        dataset=dataset,
        slug=slug,
        actor=admin,
        title=title,
        instructions=instructions,
        **settings_of_preset("original", dataset=dataset) | {"asks_guess": True, "seed": SEED},
    )
    members = {
        role: lifecycle.add_member(study=study, user=people[role], role=role, actor=admin)
        for role in (Role.ADMIN, Role.RESEARCHER, Role.EXPERT)
    }
    designing.apply_plan(study=study, actor=admin)
    expert = members[Role.EXPERT]
    mine = designing.least_covered(study=study, expert=expert, count=OWN_ASSIGNMENTS)
    designing.assign_named(study=study, expert=expert, comparisons=mine, actor=admin)
    simulated = add_simulated_experts(study=study, count=needed_experts(study=study), actor=admin)
    give_places(study=study, experts=simulated, actor=admin)
    if key is not None:
        give_key(study=study, phase=Phase.MAIN, key=key, actor=admin)
    return lifecycle.change_state(study=study, to=StudyState.OPEN, actor=admin)
