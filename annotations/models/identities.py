"""Whom the sign-in provider (OpenID Connect) knows an account's person as."""

from django.db import models
from django.utils import timezone

from annotations.models.people import User


class Identity(models.Model):
    """A person of a provider, who may sign in to this account."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=500, help_text="The provider's address.")
    subject = models.CharField(max_length=255, help_text="The provider's name for the person, which never changes.")
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="identity_of_one_account"),
            models.UniqueConstraint(fields=["user", "issuer"], name="one_identity_of_a_provider"),
        ]

    def __str__(self) -> str:
        return f"identity {self.pk} of {self.user_id}"
