"""What experts agreed to before they began: the text (annotations/shown/consent.py) and its version, word for word."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import Consent, EventKind, Study, User
from annotations.shown.consent import consent_text, version_of


class ConsentMissing(HLVError):
    """Nobody can become an expert without consenting."""

    code = "consent_missing"


class ConsentChanged(Conflict):
    """The person agreed to a different text than the study's current one."""

    code = "consent_changed"


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
