"""Views that API tokens cannot use, because what they do would outlive the token."""

from typing import NoReturn

from django.utils.translation import gettext as _
from rest_framework.authentication import SessionAuthentication, get_authorization_header
from rest_framework.request import Request

from annotations.api.views import APIView
from annotations.ground.errors import NotAllowed


class NeedsLogin(NotAllowed):
    """A token was sent to a view that needs a login."""

    code = "needs_login"


class SignedInView(APIView):
    """For people signed in with a browser: making tokens, making links that let somebody in (even oneself, with a new
    password), and accepting such links. Any of these would turn a stolen token into a login."""

    authentication_classes = [SessionAuthentication]

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        if request.user.is_anonymous and get_authorization_header(request):
            raise NeedsLogin(_("You need to sign in with a browser to do this. An API token is not enough."))
        super().permission_denied(request, message, code)
