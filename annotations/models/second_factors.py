"""The second factor of a person: an app that makes codes (TOTP, RFC 6238), passkeys (WebAuthn), or both; and codes for
when they are lost.
"""

from django.db import models
from django.utils import timezone

from annotations.models.people import User


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
            models.UniqueConstraint(fields=["credential_id"], name="passkey_registered_once"),
            models.CheckConstraint(condition=models.Q(sign_count__gte=0), name="passkey_count_not_negative"),
        ]

    def __str__(self) -> str:
        return f"passkey {self.pk} of {self.user_id}"


def with_second_factor() -> models.Q:
    """The people whom signing in asks for more than the password; a condition on users."""
    app = SecondFactor.objects.filter(user=models.OuterRef("pk"), confirmed_at__isnull=False)
    return models.Q(models.Exists(app) | models.Exists(Passkey.objects.filter(user=models.OuterRef("pk"))))
