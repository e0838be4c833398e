"""What a study asks an expert about themselves, once, before the first text."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.views import APIView, person
from annotations.models import Membership
from annotations.people.invitations.declarations import answer_questions, expert_asked, last_consent
from annotations.shown.consent import consent_text, must_agree, version_of
from annotations.shown.instructions import as_html
from annotations.shown.profiles import LONGEST_ANSWER, LONGEST_LABEL, QuestionKind, as_text


class ProfileQuestionSerializer(serializers.Serializer[Any]):
    name = serializers.RegexField(r"^[a-z][a-z0-9_]{0,39}$", help_text="The name of its column in exports.")
    label = serializers.CharField(  # type: ignore[assignment]  # the field's name, not the serializer's label
        max_length=LONGEST_LABEL, help_text="What experts read, in the language of their pages."
    )
    kind = serializers.ChoiceField(choices=[str(kind) for kind in QuestionKind])
    options = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_ANSWER),
        max_length=50,
        default=list,
        help_text="The options of a choice.",
    )
    required = serializers.BooleanField(default=True)  # type: ignore[assignment]  # as above


class ConsentAskedSerializer(serializers.Serializer[Any]):
    html = serializers.CharField(help_text="What the expert agrees to, as sanitised HTML.")
    version = serializers.CharField()
    agreed_at = serializers.DateTimeField(
        allow_null=True, help_text="When the expert agreed to another text, which has changed since. Null: never."
    )


class OwnProfileSerializer(serializers.Serializer[Any]):
    consent = ConsentAskedSerializer(allow_null=True, help_text="Null: the expert has already agreed to it as it is.")
    questions = ProfileQuestionSerializer(many=True)
    answers = serializers.DictField(
        child=serializers.CharField(allow_null=True), help_text="By the questions' names; null: skipped."
    )


class ProfileAnswersSerializer(serializers.Serializer[Any]):
    answers = serializers.DictField(
        child=serializers.CharField(allow_null=True, allow_blank=True, max_length=1000), default=dict
    )
    consent = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=64,
        help_text="The version of the consent text that the person agreed to.",
    )


def own_profile(expert: Membership) -> dict[str, Any]:
    study = expert.study
    text = consent_text(study)
    last = last_consent(study=study, user=expert.user)
    is_asked = must_agree(expert, agreed=last.version if last else None, text=text)
    agreed_at = last.at if last else None
    return {
        "consent": {"html": as_html(text), "version": version_of(text), "agreed_at": agreed_at} if is_asked else None,
        "questions": study.profile_questions,
        "answers": {name: as_text(answer) for name, answer in expert.profile.items()},
    }


class ProfileView(APIView):
    """What this study asks you about yourself, and your answers."""

    @extend_schema(operation_id="expert_profile", responses=OwnProfileSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(OwnProfileSerializer(own_profile(expert_asked(user=person(request), slug=slug))).data)

    @extend_schema(
        operation_id="expert_profile_answer", request=ProfileAnswersSerializer, responses=OwnProfileSerializer
    )
    def put(self, request: Request, slug: str) -> Response:
        expert_asked(user=person(request), slug=slug)
        said = valid(ProfileAnswersSerializer(data=request.data))
        expert = answer_questions(user=person(request), slug=slug, **said)
        return Response(OwnProfileSerializer(own_profile(expert)).data)
