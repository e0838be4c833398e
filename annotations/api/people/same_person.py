"""A page says who it is acting for, and is told when somebody else is signed in by now.

The project's default permissions refer to this module, so it imports no views.
"""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotations.errors import Conflict

if TYPE_CHECKING:
    from rest_framework.views import APIView


class OtherUser(Conflict):
    """The page belongs to a different person than the session."""

    code = "other_user"


class SamePerson(BasePermission):
    """A page says who it is acting for (`X-HLV-User`), because somebody else may since have signed in in another tab.

    Without this, an answer waiting in the browser of a shared computer could be stored as somebody else's.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        asked_for = request.headers.get("X-HLV-User", "")
        if asked_for and asked_for != str(request.user.pk):
            raise OtherUser(_("Somebody else has since signed in with this browser. Nothing was sent in their name."))
        return True
