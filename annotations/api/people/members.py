"""Who takes part in a study, and in what role: visible to its researchers, changed by its admins."""

from typing import Any

from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import filters_of, page_of, paged
from annotations.api.people.again import require_fresh
from annotations.api.people.signed_in import NeedsLogin, SignedInView
from annotations.api.permissions import NotOnlyExpert, administered_study, person, unblinded_study
from annotations.api.views import APIView
from annotations.ground.errors import NotFound
from annotations.history.looks import after_looking
from annotations.models import ApiToken, Assigning, Assignment, Membership, Role, Study, TokenScope, User
from annotations.models.comparisons import in_plan
from annotations.people.membership.addresses import read_addresses
from annotations.people.membership.members import add_accounts, change_role
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
    for one in members:
        own = counted.get(one.pk, nothing)
        total = own["kept"]
        if study.assigning == Assigning.OPEN_POOL and one.is_active:
            total = max(own["kept"], one.promised or 0) or None
        rows.append(
            {
                "number": one.number,
                "name": people.name(one.user, number=one.number),
                "email": people.address(one.user),
                "role": one.role,
                "is_simulated": one.is_simulated,
                "is_active": one.is_active,
                "is_pending": one.is_pending,
                "answers_after_looking": knew.get(one.pk, 0),
                "joined_at": one.created_at,
                "left_at": one.left_at,
                "answers_left_out": one.answers_left_out,
                "done": own["done"],
                "total": total if one.role == Role.EXPERT else 0,
                "last_answer_at": own["last"],
                "profile": {name: as_text(said) for name, said in one.profile.items()} if people.with_addresses else {},
            }
        )
    return rows


class _CountedMembers:
    """Members whose places are counted one page at a time, in two queries however many there are."""

    def __init__(self, rows: QuerySet[Membership], study: Study, people: ShownPeople) -> None:
        self._rows, self._study, self._people = rows, study, people

    def __len__(self) -> int:
        return self._rows.count()

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        return told(list(self._rows[part]), self._study, self._people)


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


class MembersView(APIView):
    """Who takes part in the study; and adding people who already have an account, several at once."""

    token_scope = TokenScope.MEMBERS
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="members_list", parameters=[MemberFilters], responses=page_of(StudyMemberSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        people = ShownPeople(to=person(request), study=study)
        rows: Any = _CountedMembers(found_by(study, filters_of(request, MemberFilters), people), study, people)
        return paged(request, rows, StudyMemberSerializer)

    @extend_schema(
        operation_id="members_add", request=AddMembersSerializer, responses={201: StudyMemberSerializer(many=True)}
    )
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = AddMembersSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        role = Role(wanted.validated_data["role"])
        if role != Role.EXPERT:
            refuse_token(request)
            require_fresh(request)
        added = add_accounts(
            study=study,
            addresses=read_addresses(wanted.validated_data["addresses"]),
            role=role,
            actor=person(request),
        )
        members = list(study.memberships.filter(pk__in=[one.pk for one in added]).select_related("user"))
        rows = told(members, study, ShownPeople(to=person(request), study=study, with_addresses=True))
        return Response(StudyMemberSerializer(rows, many=True).data, status=status.HTTP_201_CREATED)


class MemberView(SignedInView):
    """One member: changing their role."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="members_change", request=ChangeMemberSerializer, responses=StudyMemberSerializer)
    def patch(self, request: Request, slug: str, number: int) -> Response:
        study = administered_study(request, slug)
        wanted = ChangeMemberSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        member, role = member_of(study, number), Role(wanted.validated_data["role"])
        if role != Role.EXPERT:
            require_fresh(request)
        member = change_role(member=member, role=role, actor=person(request))
        return Response(StudyMemberSerializer(one_told(study, member, to=person(request))).data)
