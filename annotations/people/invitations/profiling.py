"""An expert consents, if they have not yet, and answers the study's questions about themselves."""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError, NotFound
from annotations.history import events
from annotations.models import EventKind, Membership, User
from annotations.people.invitations.consents import last_consent, store_consent
from annotations.shown import profiles
from annotations.shown.consent import consent_text, must_agree


class InvalidProfile(HLVError):
    """An answer is missing or invalid; the data name the questions. Nothing was stored."""

    code = "invalid_profile"


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
    said, flaws = profiles.checked(study, answers)
    if flaws:
        raise InvalidProfile(_("Some answers are missing or cannot be saved."), fields=flaws)
    last = last_consent(study=study, user=user)
    if must_agree(expert, agreed=last.version if last else None, text=consent_text(study)):
        store_consent(study=study, user=user, version=consent)
        expert.owes_consent = False
    if said != expert.profile:
        expert.profile = said
        events.record(EventKind.PROFILE_CHANGED, actor=user, study=study, number=expert.number, questions=sorted(said))
    expert.save(update_fields=["owes_consent", "profile"])
    return expert
