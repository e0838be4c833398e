"""What experts declare before they begin: that they agree (to annotations/shown/consent.py), and who they are."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError, NotFound
from annotations.history import events
from annotations.models import Consent, EventKind, Membership, Study, User
from annotations.shown import profiles
from annotations.shown.consent import consent_text, must_agree, version_of


class ConsentMissing(HLVError):
    """Nobody can become an expert without consenting."""


class ConsentChanged(Conflict):
    """The person agreed to a different text than the study's current one."""


def last_consent(*, study: Study, user: User) -> Consent | None:
    """What the person agreed to last; None: they never did."""
    return Consent.objects.filter(study=study, user=user).order_by("at", "pk").last()


@transaction.atomic
def store_consent(*, study: Study, user: User, version: str | None) -> Consent:
    """Store that the person agreed to the current text. Agreeing to the same text again changes nothing.

    Raises:
        ConsentMissing: no version was given.
        ConsentChanged: it is not the current version; nothing was stored.
    """
    text = consent_text(study)
    if not version:
        raise ConsentMissing(_("Please read what you agree to, and tick the box, before you continue."))
    if version != version_of(text):
        raise ConsentChanged(_("The text you agree to has changed in the meantime. Please read it again."))
    before = last_consent(study=study, user=user)
    if before is not None and before.version == version:
        return before
    consent = Consent.objects.create(study=study, user=user, text=text, version=version, at=timezone.now())
    events.record(EventKind.CONSENTED, actor=user, study=study, version=version)
    return consent


class InvalidProfile(HLVError):
    """An answer is missing or invalid; the data name the questions. Nothing was stored."""


def expert_asked(*, user: User, slug: str) -> Membership:
    """The active membership of an expert, with the study. Raises NotFound."""
    mine = Membership.objects.experts().filter(user=user, study__slug=slug, is_active=True)
    expert = mine.select_related("study__dataset").defer("study__dataset__gold").first()
    if expert is None:
        raise NotFound
    return expert


@transaction.atomic
def answer_questions(
    *, user: User, slug: str, answers: Mapping[str, str | None], consent: str | None = None
) -> Membership:
    """Store what the expert said about themselves, and that they agreed; sending it again replaces the answers.

    Args:
        consent: the version of the text that they agreed to; needed if they have not agreed yet, or to another text.

    Raises:
        NotFound, InvalidProfile, and what `store_consent` raises.
    """
    expert = expert_asked(user=user, slug=slug)
    study = expert.study
    Membership.objects.select_for_update().get(pk=expert.pk)
    expert.refresh_from_db(fields=["owes_consent", "profile"])
    profile, flaws = profiles.checked(study, answers)
    if flaws:
        raise InvalidProfile(_("Some answers are missing or cannot be saved."), fields=flaws)
    last = last_consent(study=study, user=user)
    if must_agree(expert, agreed=last.version if last else None, text=consent_text(study)):
        store_consent(study=study, user=user, version=consent)
        expert.owes_consent = False
    if profile != expert.profile:
        expert.profile = profile
        events.record(
            EventKind.PROFILE_CHANGED, actor=user, study=study, number=expert.number, questions=sorted(profile)
        )
    expert.save(update_fields=["owes_consent", "profile"])
    return expert
