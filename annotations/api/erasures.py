"""Erase a person, a text, a study or a dataset: what would go, asking for it, and how far it is."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import page_of, paged
from annotations.api.parsing import valid
from annotations.api.people.users import AdminView
from annotations.api.views import person
from annotations.erasing.asking import ask, in_backups, sentences_of_kept, sentences_of_removed
from annotations.erasing.executing import find, find_named, name_of, preview
from annotations.ground.errors import NotFound
from annotations.models import Erased, Erasure, JobState


class TargetSerializer(serializers.Serializer[Any]):
    what = serializers.ChoiceField(choices=Erased.choices)
    person = serializers.IntegerField(required=False, help_text="Of a person: the account's id.")
    study = serializers.SlugField(required=False, help_text="Of a study, or of an expert given by number.")
    number = serializers.IntegerField(required=False, help_text="Of a person: their number in the study.")
    dataset = serializers.SlugField(required=False, help_text="Of a dataset or a text.")
    position = serializers.IntegerField(required=False, help_text="Of a text: its place in the dataset.")
    with_answers = serializers.BooleanField(default=False, help_text="Of a person or a text: their answers too.")


class AskSerializer(TargetSerializer):
    typed = serializers.CharField(max_length=254, help_text="The name of what is erased, as the preview gives it.")
    reason = serializers.CharField(
        max_length=300, required=False, allow_blank=True, default="", help_text="Why, without names. It is kept."
    )


class ErasurePreviewSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="To be typed to confirm.")
    goes = serializers.ListField(child=serializers.CharField(), help_text="What would be erased, in sentences.")
    stays = serializers.ListField(child=serializers.CharField(), help_text="What stays, in sentences.")
    backups = serializers.CharField(help_text="What backups still hold.")
    rows = serializers.DictField(child=serializers.IntegerField(), help_text="Rows that would go, by model.")
    files = serializers.IntegerField(help_text="Stored files that would go.")


class ErasureSerializer(serializers.ModelSerializer[Erasure]):
    state = serializers.ChoiceField(choices=JobState.choices)
    rows = serializers.DictField(child=serializers.IntegerField(), source="counts")
    sentences = serializers.SerializerMethodField(help_text="What went.")
    backups = serializers.SerializerMethodField(help_text="What backups still hold.")

    class Meta:
        model = Erasure
        fields = [
            "id", "what", "state", "with_answers", "reason", "created_at", "erased_at", "finished_at", "error", "rows",
            "sentences", "backups",
        ]  # fmt: skip

    def get_sentences(self, erasure: Erasure) -> list[str]:
        return sentences_of_removed(erasure.counts) if erasure.erased_at else []

    def get_backups(self, erasure: Erasure) -> str:
        return in_backups(erasure.erased_at) if erasure.erased_at else ""


class ErasuresView(AdminView):
    """All erasures, and asking for one. A worker does it; it cannot be undone."""

    @extend_schema(operation_id="erasures_list", responses=page_of(ErasureSerializer))
    def get(self, request: Request) -> Response:
        return paged(request, Erasure.objects.order_by("-created_at"), ErasureSerializer)

    @extend_schema(operation_id="erasures_ask", request=AskSerializer, responses={201: ErasureSerializer})
    def post(self, request: Request) -> Response:
        body = valid(AskSerializer(data=request.data))
        typed, reason, answers = body.pop("typed"), body.pop("reason"), body.pop("with_answers")
        what, target = find_named(**body)
        erasure = ask(what=what, target=target, typed=typed, with_answers=answers, reason=reason, actor=person(request))
        return Response(ErasureSerializer(erasure).data, status=status.HTTP_201_CREATED)


class ErasurePreviewView(AdminView):
    """What an erasure would take away. Nothing is changed."""

    @extend_schema(operation_id="erasures_preview", request=TargetSerializer, responses=ErasurePreviewSerializer)
    def post(self, request: Request) -> Response:
        body = valid(TargetSerializer(data=request.data))
        answers = body.pop("with_answers")
        what, target = find_named(**body)
        row = find(what, target)
        if row is None:
            raise NotFound
        counts = preview(row, with_answers=answers, actor=person(request))
        data = {
            "name": name_of(row),
            "goes": sentences_of_removed(counts.rows, len(counts.files)),
            "stays": sentences_of_kept(what, with_answers=answers),
            "backups": in_backups(),
            "rows": counts.rows,
            "files": len(counts.files),
        }
        return Response(ErasurePreviewSerializer(data).data)


class ErasureView(AdminView):
    """How far an erasure is, and what went."""

    @extend_schema(operation_id="erasures_read", responses=ErasureSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(ErasureSerializer(get_object_or_404(Erasure, pk=pk)).data)
