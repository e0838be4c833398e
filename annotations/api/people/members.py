"""Who takes part in a study, and in what role: visible to its researchers, changed by its admins."""

from collections.abc import Callable
from typing import Any

from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import PageByPage, filters_of, page_of, paged
from annotations.api.parsing import valid
from annotations.api.people.again import require_fresh
from annotations.api.views import (
    APIView,
    NeedsLogin,
    ResearchView,
    SignedInView,
    administered_study,
    person,
    unblinded_study,
)
from annotations.ground.errors import NotFound
from annotations.history.looks import after_looking
from annotations.models import ApiToken, Assigning, Assignment, Leaving, Membership, Role, Study, TokenScope, User
from annotations.models.comparisons import in_plan
from annotations.people.invitations.declarations import expert_asked
from annotations.people.membership.addresses import read_addresses
from annotations.people.membership.leaving import (
    accept_role,
    come_back,
    decline_role,
    former_studies,
    leave,
    leave_oneself,
)
from annotations.people.membership.members import add_accounts, change_role
from annotations.shown.instructions import as_html
from annotations.shown.people import ShownPeople
from annotations.shown.profiles import as_text

STATES = {
    "active": Q(is_active=True),
    "pending": Q(is_pending=True),
    "left": Q(is_active=False, is_pending=False),
}


class StudyMemberSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="The number that exports and results use for them.")
    name = serializers.CharField(help_text="Without a name: the address or, where it may not be seen, the number.")
    email = serializers.CharField(allow_blank=True, help_text="For admins and, of oneself, for everybody; else empty.")
    role = serializers.ChoiceField(choices=Role.choices)
    is_simulated = serializers.BooleanField()
    is_active = serializers.BooleanField(help_text="False: they have left, or have not accepted the role yet.")
    is_pending = serializers.BooleanField(help_text="Whether they have yet to accept the role.")
    answers_after_looking = serializers.IntegerField(
        help_text="How many of their answers they gave after they had seen distributions of these texts, as was "
        "possible before such people were kept from answering."
    )
    joined_at = serializers.DateTimeField()
    left_at = serializers.DateTimeField(allow_null=True)
    answers_left_out = serializers.BooleanField(help_text="Whether exports and analyses leave out their answers.")
    done = serializers.IntegerField(help_text="Texts they have answered, including the pilot's.")
    total = serializers.IntegerField(allow_null=True, help_text="Null: unknown until the first text is assigned.")
    last_answer_at = serializers.DateTimeField(allow_null=True)
    profile = serializers.DictField(
        child=serializers.CharField(allow_null=True), help_text="What they said about themselves; for admins only."
    )


class MemberFilters(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=Role.choices, required=False)
    state = serializers.ChoiceField(choices=list(STATES), required=False)
    search = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Part of a name, or a number; for admins also part of an address.",
    )


class AddMembersSerializer(serializers.Serializer[Any]):
    addresses = serializers.CharField(
        max_length=50_000, help_text="E-mail addresses of accounts, one per line or separated by commas or semicolons."
    )
    role = serializers.ChoiceField(choices=Role.choices, default=Role.EXPERT)


class ChangeMemberSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=Role.choices)


def told(members: list[Membership], study: Study, people: ShownPeople) -> list[dict[str, Any]]:
    """Members as a list shows them, with two queries for all their places."""
    knew = dict(after_looking(study).filter(expert__in=members).order_by().values_list("expert").annotate(Count("pk")))
    places = Assignment.objects.filter(in_plan(), expert__in=members).order_by().values("expert")
    counted = {
        row["expert"]: row
        for row in places.annotate(kept=Count("pk"), done=Count("completed_at"), last=Max("completed_at"))
    }
    nothing: dict[str, Any] = {"kept": 0, "done": 0, "last": None}
    rows = []
    for member in members:
        own = counted.get(member.pk, nothing)
        total = own["kept"]
        if study.assigning == Assigning.OPEN_POOL and member.is_active:
            total = max(own["kept"], member.promised or 0) or None
        rows.append(
            {
                "number": member.number,
                "name": people.name(member.user, number=member.number),
                "email": people.address(member.user),
                "role": member.role,
                "is_simulated": member.is_simulated,
                "is_active": member.is_active,
                "is_pending": member.is_pending,
                "answers_after_looking": knew.get(member.pk, 0),
                "joined_at": member.created_at,
                "left_at": member.left_at,
                "answers_left_out": member.answers_left_out,
                "done": own["done"],
                "total": total if member.role == Role.EXPERT else 0,
                "last_answer_at": own["last"],
                "profile": {name: as_text(answer) for name, answer in member.profile.items()}
                if people.with_addresses
                else {},
            }
        )
    return rows


def found_by(study: Study, wanted: dict[str, Any], people: ShownPeople) -> QuerySet[Membership]:
    rows: QuerySet[Membership] = study.memberships.select_related("user").order_by("number")
    if "role" in wanted:
        rows = rows.filter(role=wanted["role"])
    if "state" in wanted:
        rows = rows.filter(STATES[wanted["state"]])
    if search := wanted.get("search", "").strip():
        named = Q(user__name__icontains=search)
        named |= Q(user__email__icontains=search) if people.with_addresses else Q()
        if search.isascii() and search.isdigit() and len(search) < 10:
            named |= Q(number=int(search))
        rows = rows.filter(named)
    return rows


def member_of(study: Study, number: int) -> Membership:
    member = study.memberships.filter(number=number).first() if number < 2**31 else None
    if member is None:
        raise NotFound
    return member


def one_told(study: Study, member: Membership, *, to: User) -> dict[str, Any]:
    """A member as the admin sees them, read again from the database."""
    people = ShownPeople(to=to, study=study, with_addresses=True)
    return told([study.memberships.select_related("user").get(pk=member.pk)], study, people)[0]


def refuse_token(request: Request) -> None:
    """Roles decide who sees which side is which, and would outlive a stolen token: changing them needs a login."""
    if isinstance(request.auth, ApiToken):
        raise NeedsLogin(
            _("You need to sign in with a browser to do this. An API token can only add and remove experts.")
        )


class MembersView(ResearchView):
    """Who takes part in the study; and adding people who already have an account, several at once."""

    token_scope = TokenScope.MEMBERS

    @extend_schema(operation_id="members_list", parameters=[MemberFilters], responses=page_of(StudyMemberSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        people = ShownPeople(to=person(request), study=study)
        members = found_by(study, filters_of(request, MemberFilters), people)
        rows = PageByPage(members, lambda page: told(page, study, people))
        return paged(request, rows, StudyMemberSerializer)

    @extend_schema(
        operation_id="members_add", request=AddMembersSerializer, responses={201: StudyMemberSerializer(many=True)}
    )
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        body = valid(AddMembersSerializer(data=request.data))
        role = Role(body["role"])
        if role != Role.EXPERT:
            refuse_token(request)
            require_fresh(request)
        added = add_accounts(
            study=study,
            addresses=read_addresses(body["addresses"]),
            role=role,
            actor=person(request),
        )
        members = list(study.memberships.filter(pk__in=[member.pk for member in added]).select_related("user"))
        rows = told(members, study, ShownPeople(to=person(request), study=study, with_addresses=True))
        return Response(StudyMemberSerializer(rows, many=True).data, status=status.HTTP_201_CREATED)


class MemberView(SignedInView):
    """One member: changing their role."""

    @extend_schema(operation_id="members_change", request=ChangeMemberSerializer, responses=StudyMemberSerializer)
    def patch(self, request: Request, slug: str, number: int) -> Response:
        study = administered_study(request, slug)
        role = Role(valid(ChangeMemberSerializer(data=request.data))["role"])
        member = member_of(study, number)
        if role != Role.EXPERT:
            require_fresh(request)
        member = change_role(member=member, role=role, actor=person(request))
        return Response(StudyMemberSerializer(one_told(study, member, to=person(request))).data)


class LeavingConfirmedSerializer(serializers.Serializer[Any]):
    confirm = serializers.BooleanField(help_text="True: the person has been told what happens to their answers.")

    def validate_confirm(self, value: bool) -> bool:
        if not value:
            raise serializers.ValidationError(_("Please confirm that you want to leave."))
        return value


class LeftSerializer(serializers.Serializer[Any]):
    left_at = serializers.DateTimeField()
    leaving = serializers.ChoiceField(choices=Leaving.choices, help_text="What happens to their answers.")


class OwnLeavingView(APIView):
    """Leave a study in which you are an expert. Your answers are treated as you agreed."""

    @extend_schema(operation_id="expert_leave", request=LeavingConfirmedSerializer, responses=LeftSerializer)
    def post(self, request: Request, slug: str) -> Response:
        expert_asked(user=person(request), slug=slug)  # for anyone else this address does not exist
        valid(LeavingConfirmedSerializer(data=request.data))
        member = leave_oneself(user=person(request), slug=slug)
        leaving = Leaving.LEFT_OUT if member.answers_left_out else Leaving.KEPT
        return Response(LeftSerializer({"left_at": member.left_at, "leaving": leaving}).data)


class ContactSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True)
    email = serializers.EmailField()


class AgreedSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    html = serializers.CharField(help_text="The text of then, as sanitised HTML.")


class FormerStudySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(source="study.slug")
    title = serializers.CharField(source="study.title")
    role = serializers.ChoiceField(choices=Role.choices, help_text="The role that you had.")
    ended_at = serializers.DateTimeField(source="left_at")
    by_themselves = serializers.BooleanField(help_text="True: you left. False: you were removed.")
    answers = serializers.IntegerField(help_text="How many of your answers are stored.")
    answers_left_out = serializers.BooleanField(help_text="Whether results and exports leave your answers out.")
    consent = serializers.SerializerMethodField(help_text="What you agreed to last. Null: you were never asked.")
    contact = ContactSerializer(
        allow_null=True, help_text="Who invited you, or else another admin of the study. Null: it has none any more."
    )

    def get_consent(self, former: Any) -> AgreedSerializer(allow_null=True):  # type: ignore[valid-type]  # for the schema
        if former.agreed_at is None:
            return None
        return AgreedSerializer({"at": former.agreed_at, "html": as_html(former.agreed_to)}).data


class FormerStudiesView(APIView):
    """The studies that you have left or were removed from, the latest first."""

    @extend_schema(operation_id="former_studies", responses=page_of(FormerStudySerializer))
    def get(self, request: Request) -> Response:
        return paged(request, former_studies(person(request)), FormerStudySerializer)


class _OneMemberView(ResearchView):
    token_scope = TokenScope.MEMBERS

    def changed(self, request: Request, slug: str, number: int, change: Callable[..., Membership]) -> Response:
        study = administered_study(request, slug)
        member = member_of(study, number)
        if member.role != Role.EXPERT:
            refuse_token(request)
        member = change(member=member, actor=person(request))
        return Response(StudyMemberSerializer(one_told(study, member, to=person(request))).data)


class LeaveView(_OneMemberView):
    """Remove somebody from the study: the places they have not answered become free. Nothing is deleted."""

    @extend_schema(operation_id="members_leave", request=None, responses=StudyMemberSerializer)
    def post(self, request: Request, slug: str, number: int) -> Response:
        return self.changed(request, slug, number, leave)


class ReturnView(_OneMemberView):
    """Ask somebody who has left to come back. Once they accept, answers that were left out count again."""

    @extend_schema(operation_id="members_return", request=None, responses=StudyMemberSerializer)
    def post(self, request: Request, slug: str, number: int) -> Response:
        return self.changed(request, slug, number, come_back)


class OfferedRoleSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(source="study.slug")
    title = serializers.CharField(source="study.title")
    role = serializers.ChoiceField(choices=Role.choices)
    is_return = serializers.SerializerMethodField(help_text="Whether the person had left the study and is asked back.")

    def get_is_return(self, member: Membership) -> bool:
        return member.left_at is not None


class OfferedRolesView(SignedInView):
    """The roles that others gave the person, and that wait for their yes."""

    @extend_schema(operation_id="offered_roles_list", responses=page_of(OfferedRoleSerializer))
    def get(self, request: Request) -> Response:
        offered = Membership.objects.filter(user=person(request), is_pending=True).select_related("study")
        return paged(request, offered.order_by("-created_at"), OfferedRoleSerializer)


class AcceptRoleView(SignedInView):
    """Take the role that somebody gave you. Experts then read what they agree to before their first text."""

    @extend_schema(operation_id="offered_roles_accept", request=None, responses=OfferedRoleSerializer)
    def post(self, request: Request, slug: str) -> Response:
        return Response(OfferedRoleSerializer(accept_role(user=person(request), slug=slug)).data)


class DeclineRoleView(SignedInView):
    """Do not take the role that somebody gave you: nothing changes for you."""

    @extend_schema(operation_id="offered_roles_decline", request=None, responses=OfferedRoleSerializer)
    def post(self, request: Request, slug: str) -> Response:
        return Response(OfferedRoleSerializer(decline_role(user=person(request), slug=slug)).data)
