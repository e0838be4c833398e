"""People. Everyone who can sign in is a User; a Membership says what they may do in a study."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.utils import timezone

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
        known: str = super().get_session_auth_hash()
        return f"{known}.{self.sessions_ended}" if self.sessions_ended else known

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        for known in super().get_session_auth_fallback_hash():
            yield f"{known}.{self.sessions_ended}" if self.sessions_ended else known
