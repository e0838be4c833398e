from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class HLVStudyConfig(AppConfig):
    name = "hlvstudy"
    default = True

    def ready(self) -> None:
        from hlvstudy import connections

        connections.watch()


class HouseAdminConfig(admin_apps.AdminConfig):
    """Django's admin pages, with the app's own sign-in (admin_site.py)."""

    default = False
    default_site = "hlvstudy.admin_site.HouseAdminSite"
