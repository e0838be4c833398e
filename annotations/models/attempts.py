"""How often somebody failed to get in, counted in the database so that all processes share it."""

from django.db import models


class AttemptCount(models.Model):
    """Failures of one account, network, device, or of all, since the first (annotations/people/access/limits.py)."""

    key = models.CharField(
        max_length=64, unique=True, help_text="HMAC of what is counted: no address is stored in clear."
    )
    failures = models.PositiveIntegerField()
    since = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.failures} attempts"
