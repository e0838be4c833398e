"""The shell of the single-page app, and the answer for an API address that does not exist."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import TemplateDoesNotExist
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie

from annotations.api.errors import body_of


@ensure_csrf_cookie
def app(request: HttpRequest) -> HttpResponse:
    """The page that Vite built; React Router takes it from there."""
    try:
        return render(request, "index.html")
    except TemplateDoesNotExist:
        return HttpResponse("The pages are not built yet: run `make frontend`.", status=503, content_type="text/plain")


def no_such_address(_request: HttpRequest) -> JsonResponse:
    return JsonResponse(body_of("not_found", _("There is nothing at this address.")), status=404)
