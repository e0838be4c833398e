"""What experts agree to before they begin: the study's own text, or the app's, in the study's language."""

import hashlib

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotations import events
from annotations.errors import Conflict, HLVError
from annotations.languages import of_study
from annotations.models import Consent, EventKind, Leaving, Study, User


class ConsentMissing(HLVError):
    """Nobody can become an expert without consenting."""

    code = "consent_missing"


class ConsentChanged(Conflict):
    """The person agreed to a different text than the study's current one."""

    code = "consent_changed"


def consent_text(study: Study) -> str:
    """The Markdown that an expert of this study agrees to."""
    if study.consent.strip():
        return study.consent
    with override(of_study(study)[0]):
        again = _(
            "**Some texts come twice.** Towards the end you get a few texts again, so that we can see how "
            "consistent answers are. Answer each time as you read the text then."
        )
        return "\n\n".join(
            (
                _(
                    "**What you will do.** You read short texts, choose the labels that fit each of them, and then "
                    "say which of two sides, A or B, describes it more accurately."
                ),
                *([again] if study.repeats_per_expert else []),
                _(
                    "**What is saved.** Your answers, when you gave them, how long each took, and your e-mail "
                    "address. Results and published data identify you only by number, never by your name or address."
                ),
                _("**Taking part is voluntary.** You can stop at any time, without giving a reason."),
                _leaving_in_words(study),
                _("**The texts.** Please treat them as confidential: do not copy them and do not pass them on."),
                _("**Questions.** Please reply to the message that invited you."),
            )
        )


def _leaving_in_words(study: Study) -> str:
    if study.leaving == Leaving.LEFT_OUT:
        return _(
            "**If you leave.** You can leave the study on its page. Your answers are then left out of all results "
            "and published data from that day on."
        )
    return _(
        "**If you leave.** You can leave the study on its page. The answers that you have given by then stay in it."
    )


def version_of(text: str) -> str:
    """SHA-256 of a consent text: any change to the text makes a new version.

    >>> version_of("I agree.")[:12]
    '826ff0dab649'
    """
    return hashlib.sha256(text.encode()).hexdigest()


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
    before = Consent.objects.filter(study=study, user=user).last()
    if before is not None and before.version == version:
        return before
    consent = Consent.objects.create(study=study, user=user, text=text, version=version, at=timezone.now())
    events.record(EventKind.CONSENTED, actor=user, study=study, version=version)
    return consent
