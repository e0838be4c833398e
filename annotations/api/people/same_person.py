"""A page says who it is acting for, and is told when somebody else is signed in by now.

The settings refer to this module, so it imports no views.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import translation
from django.utils.translation import gettext_noop

from annotations.ground.errors import Conflict
from annotations.models import User

HEADER = "X-HLV-User"
SENTENCE = gettext_noop("Somebody else has since signed in with this browser. Nothing was sent in their name.")


class OtherUser(Conflict):
    """The page belongs to a different person than the session or the token."""

    code = "other_user"


def is_another(request: HttpRequest, user: User) -> bool:
    """Whether the page that sent this was made for somebody else."""
    asked_for = request.headers.get(HEADER, "")
    return bool(asked_for) and asked_for != str(user.pk)


class SamePersonMiddleware:
    """A page says who it is acting for (`X-HLV-User`), because somebody else may since have signed in in another tab.

    Without this, an answer waiting in the browser of a shared computer could be stored as somebody else's. It stands
    before all views of the API, so that none can forget it. Sessions are compared here; who a token belongs to is
    known where tokens are read (token_authentication.py), which compares it there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if HEADER in request.headers and request.path_info.startswith("/api/"):
            user = request.user  # the views ask for it, too: it is looked up once
            if isinstance(user, User) and is_another(request, user):
                from annotations.api.errors import body_of  # it loads views, whose settings name this module

                return JsonResponse(body_of(OtherUser.code, translation.gettext(SENTENCE)), status=OtherUser.status)
        return self.get_response(request)
