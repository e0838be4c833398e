"""People who must have a second factor turn it on before anything else works.

The settings refer to this module, so it imports no views.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import translation
from django.utils.translation import gettext_noop

from annotations.ground.errors import NotAllowed
from annotations.models import User
from annotations.people.sign_in.second_factor import VERIFIED, must_have_one

SENTENCE = gettext_noop(
    "This server asks you for a second factor. Please turn it on first: Your account, second factor."
)
OPEN = ("/api/v1/session/", "/api/v1/account/second-factor/", "/api/v1/account/sign-out/", "/api/v1/account/sessions/")
CLOSED = ("/api/", "/django-admin/")


class NeedsSecondFactor(NotAllowed):
    """Turn on a second factor first."""

    code = "second_factor_required"


def must_turn_on(request: HttpRequest, user: object) -> bool:
    """Whether the person of this session has to turn it on. Who has one, has passed it: no query for them."""
    return isinstance(user, User) and not request.session.get(VERIFIED) and must_have_one(user)


class SecondFactorMiddleware:
    """Stands before all views of the API and of Django's admin pages, so that none can forget it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if path.startswith(CLOSED) and not path.startswith(OPEN) and must_turn_on(request, request.user):
            from annotations.api.errors import body_of  # it loads views, whose settings name this module

            body = body_of(NeedsSecondFactor.code, translation.gettext(SENTENCE))
            return JsonResponse(body, status=NeedsSecondFactor.status)
        return self.get_response(request)
