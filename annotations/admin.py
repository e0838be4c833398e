"""Django's admin pages: stored rows, to look things up. Almost nothing can be changed there.

Every write in this app belongs to a use case that locks, checks and records it (docs/architecture.md), and much is
append-only. So these pages only read, and the few changes to a person go through `roles.change_person`.

They never show a side, key or prediction, whatever the study: once it is closed, its exports contain them.
"""

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from annotations import models
from annotations.models import Study, User
from annotations.people.access import roles

if TYPE_CHECKING:  # only Django's stubs are generic
    Base = admin.ModelAdmin[Any]
else:
    Base = admin.ModelAdmin


class ReadOnly(Base):
    """Read-only. Rows that belong to a study are shown only if the person may see the study unblinded."""

    of_study: ClassVar[str] = ""
    """The lookup path from a row to its study."""
    actions = None
    list_per_page = 50
    show_full_result_count = False
    list_select_related = True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if not self.of_study:
            return rows
        if not isinstance(request.user, User):
            return rows.none()
        # An expert in a study sees nothing of it here, whatever else they administer.
        return rows.filter(**{f"{self.of_study}__in": Study.objects.unblinded_for(request.user)})


@admin.register(models.User)
class UserAdmin(ReadOnly):
    """The only things that can be changed here: a person's name, and whether they can sign in."""

    list_display = ("email", "name", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    search_fields = ("email", "name")
    fields = ("email", "name", "is_active", "is_superuser", "date_joined", "last_login")
    readonly_fields = ("email", "is_superuser", "date_joined", "last_login")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # Nobody should close their own account by mistake.
        return obj is None or obj.pk != request.user.pk

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        actor = request.user if isinstance(request.user, User) else None
        stored = User.objects.get(pk=obj.pk)
        is_active = None if stored.is_active == obj.is_active else obj.is_active
        roles.change_person(user=stored, actor=actor, name=obj.name, is_active=is_active)


@admin.register(models.Study)
class StudyAdmin(ReadOnly):
    of_study = "pk"
    list_display = ("slug", "title", "state", "dataset", "is_simulated", "created_at")
    list_filter = ("state", "is_simulated")
    search_fields = ("slug", "title")
    exclude = ("seed",)


@admin.register(models.Membership)
class MembershipAdmin(ReadOnly):
    of_study = "study"
    list_display = ("study", "number", "user", "role", "is_active", "is_simulated", "created_at")
    list_filter = ("role", "is_active", "is_simulated")
    search_fields = ("user__email", "study__slug")


@admin.register(models.Invitation)
class InvitationAdmin(ReadOnly):
    list_display = ("email", "study", "role", "purpose", "created_at", "expires_at", "used_at", "revoked_at")
    list_filter = ("purpose", "role")
    search_fields = ("email", "study__slug")
    exclude = ("digest",)


@admin.register(models.Consent)
class ConsentAdmin(ReadOnly):
    of_study = "study"
    list_display = ("study", "user", "at")
    search_fields = ("user__email", "study__slug")


@admin.register(models.Dataset)
class DatasetAdmin(ReadOnly):
    list_display = ("slug", "title", "task", "is_simulated", "created_at")
    list_filter = ("task", "is_simulated")
    search_fields = ("slug", "title")
    exclude = ("gold",)


@admin.register(models.System)
class SystemAdmin(ReadOnly):
    """Which systems a dataset has. Never what they predicted."""

    list_display = ("model", "method", "run", "dataset", "is_simulated", "created_at")
    list_filter = ("is_simulated",)
    search_fields = ("model", "method", "dataset__slug")
    fields = ("dataset", "model", "method", "run", "options", "is_simulated", "created_at")


@admin.register(models.Assignment)
class AssignmentAdmin(ReadOnly):
    """Who has which place, without its side, its system, or how its sides were drawn."""

    of_study = "study"
    list_display = ("study", "expert", "place", "is_pilot", "completed_at", "released_at")
    list_filter = ("is_pilot",)
    search_fields = ("study__slug",)
    fields = ("study", "expert", "place", "places", "position", "is_pilot", "completed_at", "released_at")
    raw_id_fields = ("expert",)


class ResponseAdmin(ReadOnly):
    """That something was answered, and when. The answers themselves are in the exports, which record who looked."""

    of_study = "assignment__study"
    list_display = ("assignment", "revision", "created_at")
    fields = ("assignment", "revision", "active_ms", "created_at")


admin.site.register([models.LabelResponse, models.PreferenceResponse], ResponseAdmin)


@admin.register(models.Report)
class ReportAdmin(ReadOnly):
    of_study = "assignment__study"
    list_display = ("assignment", "reason", "skipped", "created_at")
    list_filter = ("reason", "skipped")
    fields = ("assignment", "reason", "skipped", "created_at")


@admin.register(models.Event)
class EventAdmin(ReadOnly):
    """The event log. Nobody can change it, here or anywhere."""

    list_display = ("at", "kind", "subject", "actor_email")
    list_filter = ("kind",)
    search_fields = ("subject", "actor__email")
    date_hierarchy = "at"
    fields = ("at", "kind", "subject", "actor_email", "data")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).select_related("actor")
        if not isinstance(request.user, User):
            return rows.none()
        return rows.filter(pk__in=models.Event.objects.visible_to(request.user))


@admin.register(models.ApiToken)
class ApiTokenAdmin(ReadOnly):
    list_display = ("name", "user", "created", "expiry", "last_used_at", "revoked_at")
    search_fields = ("name", "user__email")
    fields = ("number", "name", "user", "created", "expiry", "last_used_at", "revoked_at")


class JobAdmin(ReadOnly):
    """A job's progress and, since this page is for admins of the installation, why it failed, with the traceback."""

    list_display: tuple[str, ...] = ("id", "owner", "state", "created_at", "finished_at")
    list_filter: ClassVar[tuple[str, ...]] = ("state",)
    fields: ClassVar[tuple[str, ...]] = (
        "id",
        "owner",
        "state",
        "progress_done",
        "progress_total",
        "progress_message",
        "error",
        "error_detail",
        "attempts",
        "created_at",
        "started_at",
        "finished_at",
    )


admin.site.register([models.ImportJob, models.ExportJob], JobAdmin)


@admin.register(models.WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnly):
    list_display = ("name", "queues", "seen_at")
