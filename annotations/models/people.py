"""People and how they get in: users, sign-in providers, second factors, sessions, API tokens, failed attempts.

Everyone who can sign in is a User; a Membership says what they may do in a study.
"""

import hashlib
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from knox.models import AbstractAuthToken, AuthTokenManager

from annotations.storing.constraints import always, once, one_of
from annotations.storing.mail_addresses import normalised


class AddressField(models.CharField):  # type: ignore[type-arg]  # not subscriptable when it runs
    """The normalised spelling of `email`, set whenever a row is stored, so that the two cannot part."""

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        address = normalised(model_instance.email)  # type: ignore[attr-defined]  # models with this field have one
        setattr(model_instance, self.attname, address)
        return address


class UserManager(BaseUserManager["User"]):
    def at(self, email: str) -> "User | None":
        """The account with this address, however it is spelled."""
        return self.filter(address=normalised(email)).first()

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a person. Without a password nobody can sign in as them (simulated experts)."""
        user = self.model(email=email.strip(), **fields)
        user.set_password(password)
        user.save()
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(address=normalised(username or ""))


class User(AbstractBaseUser, PermissionsMixin):
    """A person, identified by e-mail address. There is no sign-up: people are invited, or created by an admin."""

    email = models.EmailField(unique=True, help_text="As the person spells it: mails go there.")
    address = AddressField(
        max_length=254, unique=True, editable=False, help_text="Its normalised spelling, by which people are found."
    )
    name = models.CharField(max_length=200, blank=True)
    language = models.CharField(
        max_length=10, blank=True, help_text="The language of their pages. Empty: the browser's."
    )
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)
    sessions_ended = models.PositiveIntegerField(
        default=0,
        help_text="How often all of the person's sessions were ended at once; part of what identifies a session.",
    )
    second_factor_due = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Theirs ended because somebody was in the account: the next sign-in asks for a new one.",
    )

    erased_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When everything that names the person was erased."
    )

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.email

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the normalised spelling with every new address."""
        fields = kwargs.get("update_fields")
        if fields is not None and "email" in fields:
            kwargs["update_fields"] = {*fields, "address"}
        super().save(*args, **kwargs)

    @property
    def can_import(self) -> bool:
        """Whether they may import datasets and predictions."""
        return self.has_perm("annotations.add_dataset")

    @property
    def can_create_studies(self) -> bool:
        """Whether they may create studies on datasets they can see."""
        return self.has_perm("annotations.add_study")

    def get_session_auth_hash(self) -> str:
        """Changes when all sessions are ended, so that earlier ones are no longer recognised."""
        own_hash: str = super().get_session_auth_hash()
        return f"{own_hash}.{self.sessions_ended}" if self.sessions_ended else own_hash

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        for own_hash in super().get_session_auth_fallback_hash():
            yield f"{own_hash}.{self.sessions_ended}" if self.sessions_ended else own_hash


class Identity(models.Model):
    """A person of a provider, who may sign in to this account."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=500, help_text="The provider's address.")
    subject = models.CharField(max_length=255, help_text="The provider's name for the person, which never changes.")
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            once("identity_of_one_account", "issuer", "subject"),
            once("one_identity_of_a_provider", "user", "issuer"),
        ]

    def __str__(self) -> str:
        return f"identity {self.pk} of {self.user_id}"


class SecondFactor(models.Model):
    """What a person's codes are checked against; the app's are asked for at sign-in once `confirmed_at` is set.

    Whoever has passkeys has this row as well, for the recovery codes and as what every change and check locks.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="second_factor")
    secret = models.TextField(blank=True, help_text="Encrypted with a key derived from SECRET_KEY; empty: no app.")
    confirmed_at = models.DateTimeField(null=True, help_text="When the person first typed a right code of the app.")
    last_step = models.BigIntegerField(default=0, help_text="The half minute of the last code used: none works twice.")
    recovery = models.JSONField(default=list, help_text="HMACs of the recovery codes that are left.")

    def __str__(self) -> str:
        return f"second factor of {self.user_id}"


class Passkey(models.Model):
    """A key of somebody's device or security key, whose private half never leaves it."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passkeys")
    name = models.CharField(max_length=100, help_text="What the person calls it.")
    credential_id = models.CharField(max_length=1400, help_text="As the device calls it, in base64url.")
    public_key = models.TextField(help_text="In COSE's form and base64url.")
    sign_count = models.BigIntegerField(default=0, help_text="How often it says it was used; 0: it does not count.")
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            once("passkey_registered_once", "credential_id"),
            always("passkey_count_not_negative", models.Q(sign_count__gte=0)),
        ]

    def __str__(self) -> str:
        return f"passkey {self.pk} of {self.user_id}"


def with_second_factor() -> models.Q:
    """The people whom signing in asks for more than the password; a condition on users."""
    app = SecondFactor.objects.filter(user=models.OuterRef("pk"), confirmed_at__isnull=False)
    return models.Q(models.Exists(app) | models.Exists(Passkey.objects.filter(user=models.OuterRef("pk"))))


def hash_of(key: str) -> str:
    """What is stored of a session's key, so that a copy of the database signs nobody in.

    A key has 165 random bits, so a plain hash cannot be searched for.
    """
    return hashlib.sha256(key.encode()).hexdigest()


def lifetime_of(user: User) -> timedelta:
    """How long a person stays signed in, counted from when they signed in."""
    return timedelta(hours=settings.ADMIN_SESSION_HOURS) if user.is_superuser else timedelta(days=settings.SESSION_DAYS)


class SessionQuerySet(models.QuerySet["Session"]):
    def of(self, user: User) -> "SessionQuerySet":
        """The sessions in which the person is signed in, the newest first."""
        since = timezone.now() - lifetime_of(user)
        return self.filter(user=user, expire_date__gt=timezone.now(), created_at__gt=since).order_by("-created_at")

    def expired(self) -> "SessionQuerySet":
        return self.filter(expire_date__lt=timezone.now())


class Session(AbstractBaseSession):
    """One browser's session; `session_key` is the hash of the key that only the browser has."""

    session_key = models.CharField(max_length=64, primary_key=True, help_text="The SHA-256 of the browser's key.")
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="sessions")
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(default=timezone.now, help_text="When it was last used, to about five minutes.")
    device = models.CharField(
        max_length=60, blank=True, help_text="Browser and system in words, such as: Firefox, Linux."
    )

    objects = SessionQuerySet.as_manager()  # type: ignore[misc,assignment]  # the library's manager is not ours

    class Meta:
        indexes = [models.Index(fields=["user", "-created_at"], name="session_of_user")]

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
        return store

    @property
    def is_too_old(self) -> bool:
        """Whether its person has been signed in for longer than they may be, whatever the row says."""
        return self.user is not None and self.created_at + lifetime_of(self.user) < timezone.now()

    def save(self, *args: Any, **options: Any) -> None:
        """A stored session keeps when it began."""
        if options.get("force_update"):
            fields: Iterable[str] = ("session_data", "expire_date", "user", "device")
            options["update_fields"] = list(fields)
        super().save(*args, **options)


class TokenState(models.TextChoices):
    """A token's state at a given moment. It follows from two times and is not stored."""

    WORKS = "works", "works"
    EXPIRED = "expired", "expired"
    REVOKED = "revoked", "revoked"


class TokenScope(models.TextChoices):
    """What a token may write; it may read whatever its owner may. No scope covers what needs a login."""

    ALL = "all", "whatever its person may"
    READ = "read", "nothing: it only reads"
    MEMBERS = "members", "who takes part in studies"
    ASSIGNMENTS = "assignments", "who answers what"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def visible_to(self, user: User) -> "ApiTokenQuerySet":
        """The user's own tokens only: not even operators need to know others'."""
        return self.filter(user=user)

    def working(self, now: datetime) -> "ApiTokenQuerySet":
        return self.filter(revoked_at=None, expiry__gt=now)


class ApiTokenManager(AuthTokenManager.from_queryset(ApiTokenQuerySet)):  # type: ignore[misc]  # untyped library
    """Makes tokens as the library does."""


class ApiToken(AbstractAuthToken):  # type: ignore[misc]  # untyped library
    """A person's named token. Only its SHA-512 is stored: the token itself is shown once.

    It has 256 random bits, so it needs no salt or slow hash. It gives access to whatever the person's login does,
    writes no more than its scope allows, and expires. `digest`, `token_key`, `created` and `expiry` are the library's.
    """

    user = models.ForeignKey("annotations.User", on_delete=models.CASCADE, related_name="+")
    number = models.UUIDField(unique=True, default=uuid.uuid4, editable=False, help_text="What pages and logs call it.")
    name = models.CharField(max_length=100, help_text="What it is for, in the person's words.")
    scope = models.CharField(
        max_length=11,
        choices=TokenScope.choices,
        default=TokenScope.ALL,
        db_default=TokenScope.ALL,
        help_text="What it may write.",
    )
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="Accurate to the minute.")
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenManager()

    class Meta:
        ordering = ["-created", "number"]
        constraints = [
            always("api_token_has_name", ~Q(name="")),
            one_of("api_token_scope_known", "scope", TokenScope),
            always("api_token_ends", Q(expiry__isnull=False, expiry__gt=F("created"))),
        ]

    def __str__(self) -> str:
        # The library's version would print the digest.
        return f"API token {self.number}"

    def state(self) -> TokenState:
        if self.revoked_at is not None:
            return TokenState.REVOKED
        return TokenState.EXPIRED if self.expiry <= timezone.now() else TokenState.WORKS


class AttemptCount(models.Model):
    """Failures of one account, network, device, or of all, since the first (annotations/people/access/limits.py)."""

    key = models.CharField(
        max_length=64, unique=True, help_text="HMAC of what is counted: no address is stored in clear."
    )
    failures = models.PositiveIntegerField()
    since = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.failures} attempts"
