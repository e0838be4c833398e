"""What somebody is told of other people: the one place that decides who may see an address.

A study's admins and the server's see addresses, and everybody their own. Others who see people at all see their names
and, of somebody without a name, the number in the study.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from annotations.models import Study, User

ADDRESSES = frozenset({"email", "address"})
"""What an event's data calls them."""


class ShownPeople:
    """People as one person sees them: those of a study or, without one, of the server."""

    def __init__(self, *, to: User | None, study: Study | None = None, with_addresses: bool | None = None) -> None:
        """To nobody who is signed in: to whoever runs a command on the server.

        `with_addresses`: if it is known already whether the person administers the study.
        """
        self._to, self._study, self._known = to, study, with_addresses

    @cached_property
    def with_addresses(self) -> bool:
        """Whether everybody's address may be seen."""
        if self._known is not None:
            return self._known
        if self._to is None or self._study is None:
            return self._to is None or self._to.is_superuser
        return Study.objects.administered_by(self._to).filter(pk=self._study.pk).exists()

    @cached_property
    def _numbers(self) -> Mapping[int | None, int]:
        return dict(self._study.memberships.values_list("user_id", "number")) if self._study else {}

    def address(self, user: User | None) -> str:
        """Their address; empty if it may not be seen."""
        return user.email if user is not None and (self.with_addresses or user == self._to) else ""

    def name(self, user: User | None, *, number: int | None = None) -> str:
        """Their name, or what may be said in its place. `number`: theirs in the study, if it is known already."""
        if user is None:
            return ""
        if name := user.name or self.address(user):
            return name
        number = self._numbers.get(user.pk) if number is None else number
        return _("Somebody") if number is None else _("Person {number}").format(number=number)

    def handle(self, user: User | None) -> str:
        """What the person can be looked up by: their address or, if it may not be seen, their number in the study."""
        if user is None:
            return ""
        number = None if self.with_addresses else self._numbers.get(user.pk)
        return self.address(user) if number is None else str(number)

    def by_handle(self, handle: str, *, path: str) -> Q:
        """The rows whose person (at `path`) has this handle; of an address, a part is enough."""
        if self.with_addresses:
            return Q(**{f"{path}__email__icontains": handle})
        numbered = [user for user, number in self._numbers.items() if str(number) == handle]
        return Q(**{f"{path}__in": numbered})

    def data(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """What an event says, without addresses that may not be seen."""
        return {name: value for name, value in said.items() if self.with_addresses or name not in ADDRESSES}
