"""The event log: every act that matters is one row that nobody can change (a trigger enforces it)."""

from django.core.exceptions import ObjectDoesNotExist
from django.db import models

from annotations.models.datasets import Dataset
from annotations.models.people import User
from annotations.models.studies import Study


class EventKind(models.TextChoices):
    """The acts that matter. Callers write one line: `events.record(EventKind.OPENED, ...)`."""

    IMPORTED = "imported", "imported"
    REPLACED = "replaced", "imported again in place of what nothing used"
    STUDY_CREATED = "study_created", "study begun"
    SETTINGS_CHANGED = "settings_changed", "settings changed"
    DATASET_CHANGED = "dataset_changed", "title or label of a dataset renamed"
    PLANNED = "planned", "planned"
    PLACES_ADDED = "places_added", "more places for experts"
    SYSTEM_PAUSED = "system_paused", "system paused: its free places are not handed out"
    SYSTEM_RESUMED = "system_resumed", "paused system resumed"
    ARCHIVED = "archived", "archived"
    UNARCHIVED = "unarchived", "taken back from the archive"
    SIDES_COMMITTED = "sides_committed", "key of the sides made; its SHA-256 is stated"
    MEMBER_ADDED = "member_added", "member added"
    ROLE_CHANGED = "role_changed", "role in the study changed"
    MEMBER_LEFT = "member_left", "left the study"
    MEMBER_RETURNED = "member_returned", "back in the study"
    PROFILE_CHANGED = "profile_changed", "said something about themselves"
    INVITED = "invited", "invited"
    REMINDED = "reminded", "reminded"
    TOLD = "told", "people told that all answers are there, or that something failed"
    MAIL_FAILED = "mail_failed", "a mail could not be sent"
    INVITATION_REVOKED = "invitation_revoked", "invitation revoked"
    INVITATION_ACCEPTED = "invitation_accepted", "invitation accepted"
    CONSENTED = "consented", "consented"
    ROLES_CHANGED = "roles_changed", "what a person may do on this installation changed"
    PASSWORD_CHANGED = "password_changed", "password changed"
    ACCOUNT_CLOSED = "account_closed", "account closed: it cannot sign in"
    ACCOUNT_REOPENED = "account_reopened", "closed account opened again"
    BREAK_IN = "break_in", "somebody else was in an account: sessions, tokens and links ended"
    ACCESS_RENEWED = "access_renewed", "new password chosen by a new access link"
    SIGNED_IN = "signed_in", "signed in"
    SIGNED_OUT = "signed_out", "signed out"
    SESSIONS_ENDED = "sessions_ended", "browsers signed out, by the person elsewhere or by an admin"
    SIGN_IN_FAILED = "sign_in_failed", "wrong address or password"
    LOCKED_OUT = "locked_out", "sign-in paused after too many failed attempts"
    SECOND_FACTOR_ON = "second_factor_on", "second factor turned on"
    SECOND_FACTOR_OFF = "second_factor_off", "second factor turned off"
    SECOND_STEP_FAILED = "second_step_failed", "wrong code or passkey"
    PASSKEY_ADDED = "passkey_added", "passkey added"
    PASSKEY_REMOVED = "passkey_removed", "passkey removed"
    RECOVERY_CODES_MADE = "recovery_codes_made", "new recovery codes made"
    RECOVERY_CODE_USED = "recovery_code_used", "signed in with a recovery code"
    PROVIDER_CONNECTED = "provider_connected", "account connected to the sign-in provider"
    PROVIDER_DISCONNECTED = "provider_disconnected", "account disconnected from the sign-in provider"
    STEPPED_IN = "stepped_in", "stepped into a role of the demo"
    TOKEN_MADE = "token_made", "API token made"
    TOKEN_REVOKED = "token_revoked", "API token revoked"
    STATE_CHANGED = "state_changed", "state changed"
    ASSIGNED = "assigned", "assigned"
    REPORTED = "reported", "problem reported"
    REPORT_DISMISSED = "report_dismissed", "report dismissed"
    TEXT_WITHDRAWN = "text_withdrawn", "text withdrawn: it identifies a person"
    TEXT_SHOWN_AGAIN = "text_shown_again", "withdrawn text shown again"
    SIMULATED = "simulated", "responses simulated"
    RESPONSES_IMPORTED = "responses_imported", "responses imported"
    UNBLINDED_VIEW = "unblinded_view", "unblinded data looked at before the study closed"
    EXPORTED = "exported", "exported"
    ANALYSED = "analysed", "analysis started"
    TRAINED = "trained", "training of systems prepared, started, stopped or resumed"
    ANALYSES_PLANNED = "analyses_planned", "analysis plan changed"
    PLAN_STAMPED = "plan_stamped", "analysis plan fixed"
    DELETED = "deleted", "deleted"
    ERASED = "erased", "erased"
    IDENTITIES_DUE = "identities_due", "experts' names will be erased soon"


class EventQuerySet(models.QuerySet["Event"]):
    def visible_to(self, user: User) -> "EventQuerySet":
        """The events of studies that the user may see unblinded and, for superusers, those without a study."""
        mine = models.Q(study__in=Study.objects.unblinded_for(user))
        return self.filter(mine | models.Q(study=None)) if user.is_superuser else self.filter(mine)


class Event(models.Model):
    """Who did what, when. `data` holds counts, names of files and parameters: never a text or an answer.

    People appear by id only (`actor`; in `data` an invitation's or a person's id), and their names and addresses are
    looked up when the log is read: what is erased from their rows is gone from the log (annotations/erasing).
    """

    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=30, choices=EventKind.choices)
    # Without database constraints on what may be deleted later: the log outlives its subjects.
    actor = models.ForeignKey(
        "annotations.User",
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    study = models.ForeignKey(
        Study, null=True, blank=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="events"
    )
    dataset = models.ForeignKey(
        Dataset,
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="events",
    )
    subject = models.CharField(max_length=200, blank=True, help_text="The study's or dataset's slug at the time.")
    data = models.JSONField(default=dict)

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["study", "-at"], name="event_of_study")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"

    @property
    def actor_email(self) -> str:
        """The address of who did it; empty if nobody was signed in or the account no longer exists."""
        actor = self.known_actor
        return actor.email if actor else ""

    @property
    def known_actor(self) -> User | None:
        """Who did it, if the account still exists."""
        try:
            return self.actor
        except ObjectDoesNotExist:
            return None
