"""Guessing links locks a machine out just as guessing passwords does: by its address, in the database.

django-axes counts every unknown link as a failed login under one shared name, so its limit and its lockout time apply
here too, however many server processes there are. The link itself is not passed to it.
"""

from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth.signals import user_login_failed
from django.utils.translation import gettext as _
from rest_framework.request import Request

from annotations.errors import HLVError

WHO = {"email": "(a link)"}


class TooManyLinks(HLVError):
    """Too many unknown links from this address."""

    code = "locked_out"
    status = 429


def refuse_guessing(request: Request) -> None:
    """Raises TooManyLinks after too many wrong links."""
    if not AxesProxyHandler.is_allowed(request._request, WHO):
        raise TooManyLinks(_("Too many links that do not work. Please wait a quarter of an hour and try again."))


def note_wrong_link(request: Request) -> None:
    user_login_failed.send(sender=__name__, credentials=WHO, request=request._request)
