"""A page says for whom it asks, and is told when that is no longer who is signed in.

The project's default permissions name this, so it imports no views.
"""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotations.errors import Conflict

if TYPE_CHECKING:
    from rest_framework.views import APIView


class OtherUser(Conflict):
    """The page belongs to another person than the session."""

    code = "other_user"


class SamePerson(BasePermission):
    """A page says for whom it asks (`X-HLV-User`), for in another tab somebody else may have signed in since.

    Without this an answer that waited in a shared computer's browser could be stored as somebody else's.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        asked_for = request.headers.get("X-HLV-User", "")
        if asked_for and asked_for != str(request.user.pk):
            raise OtherUser(_("Somebody else has since signed in with this browser. Nothing was sent in their name."))
        return True
