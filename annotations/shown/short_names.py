"""Short names (slugs) of datasets and studies, which are in use once on a server, whoever may see them."""

from typing import Any

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from annotations.models import User


def own_name(wanted: str, *, taken: "QuerySet[Any]", seen: "QuerySet[Any]", user: User) -> str:
    """The name itself, or with a suffix if somebody has it whose things this person may not see.

    A refusal would say that there is such a dataset or study, and a comparison of contents what is in it. The suffix is
    always the same for a person and a name, so that importing again finds what was imported before.
    """
    if seen.filter(slug=wanted).exists():
        return wanted
    source = f"{taken.model.__name__}:{user.pk}:{wanted}"
    suffixed = f"{wanted[:70]}-{salted_hmac('annotations.short_names', source, algorithm='sha256').hexdigest()[:8]}"
    if taken.filter(slug=wanted).exists() or seen.filter(slug=suffixed).exists():
        return suffixed
    return wanted
