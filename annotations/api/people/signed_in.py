"""Views that no API token opens: what they do would outlive the token."""

from typing import NoReturn

from django.utils.translation import gettext as _
from rest_framework.authentication import SessionAuthentication, get_authorization_header
from rest_framework.request import Request
from rest_framework.views import APIView

from annotations.errors import NotAllowed


class NeedsLogin(NotAllowed):
    """A token was sent to where only a login goes."""

    code = "needs_login"


class SignedInView(APIView):
    """For who is signed in with a browser. Making tokens, making links that let somebody in (also oneself, under a new
    password), and accepting such a link: with any of these a stolen token would become a login."""

    authentication_classes = [SessionAuthentication]

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        if request.user.is_anonymous and get_authorization_header(request):
            raise NeedsLogin(_("You need to sign in with a browser to do this. An API token is not enough."))
        super().permission_denied(request, message, code)
