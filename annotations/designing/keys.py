"""Make the secret keys for a study's sides, publish their SHA-256, and reveal them when the study is closed."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotations.ground.sides import KEY_BYTES, StatedKey, commitment, new_key
from annotations.history import events
from annotations.models import EventKind, Phase, SideKey, Study, StudyState, User


@dataclass(frozen=True, slots=True)
class StatedHash:
    """What may be published of a key once its phase has begun. It has no field for the key itself."""

    phase: str
    sha256: str
    made_at: datetime


def phase_of(study: Study) -> Phase:
    """The phase in which comparisons are currently shown."""
    return Phase.PILOT if study.state == StudyState.PILOT else Phase.MAIN


def key_of(*, study: Study, phase: Phase, actor: User | None = None) -> SideKey:
    """The key of a phase; if there is none yet, one is made and its SHA-256 is logged."""
    return SideKey.objects.filter(study=study, phase=phase).first() or _make_key(study=study, phase=phase, actor=actor)


@transaction.atomic
def _make_key(*, study: Study, phase: Phase, actor: User | None) -> SideKey:
    # If two come first at the same time, one makes it and the other finds it.
    values = {"key": new_key(), "name": study.slug}
    key, is_new = SideKey.objects.get_or_create(study=study, phase=phase, defaults=values)
    if is_new:
        _state(key, actor)
    return key


@transaction.atomic
def give_key(*, study: Study, phase: Phase, key: bytes, actor: User | None = None) -> SideKey:
    """Give a study a known key, so that its sides can be reproduced: for simulations and tests only.

    Raises ValueError for a key of the wrong length, IntegrityError if the phase already has a key.
    """
    if len(key) != KEY_BYTES:
        raise ValueError(f"A key has {KEY_BYTES} bytes.")
    made = SideKey.objects.create(study=study, phase=phase, key=key, name=study.slug)
    _state(made, actor)
    return made


def told_keys(study: Study) -> list[StatedKey]:
    """What may currently be published of the study's keys, by phase: the keys themselves once it is closed.

    Nothing else reveals a key.
    """
    is_closed = study.state == StudyState.CLOSED
    return [
        StatedKey(
            phase=key.phase,
            name=key.name,
            sha256=commitment(bytes(key.key)),
            key=bytes(key.key).hex() if is_closed else None,
        )
        for key in SideKey.objects.filter(study=study).order_by("-phase")
    ]


def stated_hashes(study: Study) -> tuple[StatedHash, ...]:
    """The SHA-256 of the key of each phase that has begun, in order; none for a draft."""
    begun = SideKey.objects.filter(study=study).exclude(study__state=StudyState.DRAFT).order_by("-phase")
    return tuple(StatedHash(side_key.phase, commitment(bytes(side_key.key)), side_key.made_at) for side_key in begun)


def hashes_in_words(hashes: Iterable[StatedHash]) -> str:
    """The hashes as a sentence for the plan; empty if there are none."""
    words = " and ".join(f"{stated.sha256} ({Phase(stated.phase).label})" for stated in hashes)
    return _("A secret key decides which side is A. Its SHA-256 is {said}.").format(said=words) if words else ""


def _state(made: SideKey, actor: User | None) -> None:
    sha256 = commitment(bytes(made.key))
    events.record(EventKind.SIDES_COMMITTED, actor=actor, study=made.study, phase=str(made.phase), sha256=sha256)
