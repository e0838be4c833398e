"""What every view of the API is made from."""

from typing import Any, NoReturn

from django.utils.translation import gettext as _
from rest_framework import views
from rest_framework.authentication import SessionAuthentication, get_authorization_header
from rest_framework.request import Request

from annotations.api.parsing import WRITES, declared_body
from annotations.ground.errors import NotAllowed


class APIView(views.APIView):
    """Reads the body of a request that should have none: what it says would otherwise be ignored (parsing.py)."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in WRITES and hasattr(self, request.method.lower()) and declared_body(self) is None:
            parser = self.get_content_negotiator().select_parser(request, self.get_parsers())
            _ = request.data if parser else None


class NeedsLogin(NotAllowed):
    """A token was sent to a view that needs a login."""


class SignedInView(APIView):
    """For people signed in with a browser: making tokens, making links that let somebody in (even oneself, with a new
    password), and accepting such links. Any of these would turn a stolen token into a login."""

    authentication_classes = [SessionAuthentication]

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        if request.user.is_anonymous and get_authorization_header(request):
            raise NeedsLogin(_("You need to sign in with a browser to do this. An API token is not enough."))
        super().permission_denied(request, message, code)
