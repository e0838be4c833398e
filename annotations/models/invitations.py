"""How people join: invitations, each a link that works once, what they consented to, and the mails to them."""

import uuid

from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotations.models.jobs import BackgroundJob
from annotations.models.people import AddressField, User
from annotations.models.studies import Membership, Role, Study
from annotations.storing.constraints import always, once, one_of


class LinkPurpose(models.TextChoices):
    """What a link is for."""

    JOIN = "join", "take part in a study"
    ACCESS = "access", "a new password for somebody who takes part already"
    ARRIVE = "arrive", "an account on this installation, without a study"


class InvitationState(models.TextChoices):
    """An invitation's state at a given moment. It follows from three times and is not stored."""

    WAITING = "waiting", "waiting"
    USED = "used", "used"
    EXPIRED = "expired", "expired"
    REVOKED = "revoked", "revoked"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def visible_to(self, user: User) -> "InvitationQuerySet":
        """The invitations to studies that the user administers; they contain addresses, so nobody else sees them.

        Invitations to the installation are for its admins.
        """
        mine = Q(study__in=Study.objects.administered_by(user))
        return self.filter(mine | Q(study=None)) if user.is_superuser else self.filter(mine)

    def with_mail(self) -> "InvitationQuerySet":
        """Annotated with the state of the newest mail to each: `mail`, `mailed_at` and `mail_error`."""
        newest = Letter.objects.filter(invitation=OuterRef("pk")).order_by("-created_at")
        fields = {"mail": "state", "mailed_at": "finished_at", "mail_error": "error"}
        return self.annotate(**{name: Subquery(newest.values(field)[:1]) for name, field in fields.items()})

    def unsettled(self) -> "InvitationQuerySet":
        """Invitations neither used nor revoked; they may have expired."""
        return self.filter(used_at=None, revoked_at=None)


class Invitation(models.Model):
    """A link for one person, identified by address. Only its token's SHA-256 is stored: the link is shown once.

    The token has 256 random bits, so it needs no salt or slow hash: nobody can try enough of them.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    study = models.ForeignKey(
        Study,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="invitations",
        help_text="Empty: the invitation is to the installation.",
    )
    purpose = models.CharField(max_length=6, choices=LinkPurpose.choices, default=LinkPurpose.JOIN)
    email = models.EmailField(help_text="As the inviter spelled it: mails go there.")
    address = AddressField(max_length=254, editable=False, help_text="Its normalised spelling.")
    name = models.CharField(max_length=200, blank=True, help_text="The person's name, for their account.")
    role = models.CharField(max_length=10, choices=Role.choices, blank=True, help_text="Their role in the study.")
    may_import = models.BooleanField(default=False, help_text="People who accept may import datasets.")
    may_create = models.BooleanField(default=False, help_text="People who accept may create studies.")
    may_administer = models.BooleanField(default=False, help_text="People who accept administer the installation.")
    user = models.ForeignKey(
        "annotations.User",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="invitations",
        help_text="Who used it; for a new password, whose it is from the start.",
    )
    digest = models.CharField(max_length=64, unique=True, editable=False, help_text="SHA-256 of the token.")
    created_by = models.ForeignKey(
        "annotations.User",
        null=True,
        blank=True,
        # Deleting a person deletes their links, which without a name would count as the operator's.
        on_delete=models.CASCADE,
        related_name="+",
        help_text="Empty: the operator, at the machine's shell.",
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "email"]
        constraints = [
            # "Not expired" is not a property of a row, so an expired one is revoked when another replaces it.
            once("invitation_one_for_an_address", "study", "address", where=Q(used_at=None, revoked_at=None)),
            once("invitation_one_to_arrive", "address", where=Q(study=None, used_at=None, revoked_at=None)),
            always("invitation_role_known", Q(study__isnull=False, role__in=Role.values) | Q(study=None, role="")),
            always(
                "invitation_experts_stay_blind",
                ~Q(role=Role.EXPERT) | Q(may_import=False, may_create=False, may_administer=False),
            ),
            one_of("invitation_purpose_known", "purpose", LinkPurpose),
            always("invitation_lives", Q(expires_at__gt=F("created_at"))),
            always("invitation_one_end", Q(used_at=None) | Q(revoked_at=None)),
            always(
                "invitation_has_its_user",
                Q(purpose__in=[LinkPurpose.JOIN, LinkPurpose.ARRIVE], used_at=None) | Q(user__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk}"

    def state(self) -> InvitationState:
        if self.used_at is not None:
            return InvitationState.USED
        if self.revoked_at is not None:
            return InvitationState.REVOKED
        return InvitationState.EXPIRED if self.expires_at <= timezone.now() else InvitationState.WAITING


class FurtherLink(models.Model):
    """Another link of an invitation: links are not stored, so each mail has its own. All work until the invitation
    ends.
    """

    invitation = models.ForeignKey(Invitation, on_delete=models.CASCADE, related_name="further_links")
    digest = models.CharField(max_length=64, unique=True, editable=False, help_text="SHA-256 of the token.")

    def __str__(self) -> str:
        return f"further link of invitation {self.invitation_id}"


class IssuingRequest(models.Model):
    """A request that created links, kept while it may be repeated (annotations/people/invitations/links.py)."""

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the person, the address and the key.")
    body = models.CharField(max_length=64, help_text="SHA-256 of the request's body.")
    invitations = models.JSONField(default=list, help_text="The invitations created, in order.")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"request {self.pk}"


class Consent(models.Model):
    """A person's consent to the exact text of a study, and when they gave it. Append-only (a trigger enforces it)."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="consents")
    user = models.ForeignKey("annotations.User", on_delete=models.CASCADE, related_name="consents")
    text = models.TextField(help_text="What they agreed to, as Markdown, as shown.")
    version = models.CharField(max_length=64, help_text="SHA-256 of the text.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["study_id", "at", "pk"]

    def __str__(self) -> str:
        return f"consent of user {self.user_id} to study {self.study_id}"


class LetterQuerySet(models.QuerySet["Letter"]):
    def visible_to(self, user: User) -> "LetterQuerySet":
        """The mails of studies that the user administers; and, for the installation's admins, its own."""
        return self.filter(invitation__in=Invitation.objects.visible_to(user)) | self.filter(
            member__isnull=False, study__in=Study.objects.administered_by(user)
        )


class Letter(BackgroundJob):
    """A mail to an invited person or an expert. It is written when it is sent, with its own link."""

    tab = "people"
    counted = gettext_noop("{count, plural, one {# e-mail} other {# e-mails}}")

    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.CASCADE, related_name="letters")
    invitation = models.ForeignKey(Invitation, null=True, blank=True, on_delete=models.CASCADE, related_name="letters")
    member = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.CASCADE, related_name="letters")
    is_reminder = models.BooleanField(default=False)

    objects = LetterQuerySet.as_manager()

    class Meta(BackgroundJob.Meta):
        constraints = [
            *BackgroundJob.Meta.constraints,
            always(
                "letter_has_one_reader",
                Q(invitation__isnull=False, member=None) | Q(invitation=None, member__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"letter {self.pk}"
