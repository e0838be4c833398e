"""Django's own admin pages, for admins of the installation, with the app's sign-in."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotations.models import User


class HouseAdminSite(AdminSite):
    """Uses the app's sign-in page: a second one would need its own protection against guessing."""

    site_header = site_title = "HLV Study"
    index_title = "What is stored"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        return isinstance(request.user, User) and request.user.is_active and request.user.is_superuser

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return redirect("/")
