"""Who has looked at distributions answers on none of their texts, and who answers looks at none: the one gate.

Blinding is a property of a person and of texts: the same people's shares are a side of every study of these texts, and
whoever knows them can tell which side is whose. So both directions are asked here, whoever adds, invites, readmits or
promotes somebody, and again when the person accepts, gets a text, or is given anything unblinded.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict
from annotations.ground.fingerprints import texts_fingerprint
from annotations.models import Assignment, Dataset, Instance, Look, Membership, Role, Study, StudyState, TextSet, User
from annotations.models.looks import DIGESTS
from annotations.storing.mail_addresses import OF_DEMO


class KnowsTheSides(Conflict):
    """The person may have seen which side is which, so they cannot answer this study."""


class AnswersTheseTexts(Conflict):
    """The person answers in a study of these texts that is not closed, so they must not see their distributions."""


def look(*, user: User | None, datasets: Iterable[int], what: str) -> None:
    """Record that the person is about to be given unblinded distributions. Only the first time leaves a row.

    `datasets`: their keys. Without a user it is the operator at the machine's shell. The demo's people are all one
    visitor, who may see all.

    Raises:
        AnswersTheseTexts: they must not.
    """
    if user is None:
        return
    new = list(TextSet.objects.filter(datasets__in=datasets).exclude(looks__user=user).distinct().only("pk"))
    if not new or (settings.HLV_DEMO and user.email in OF_DEMO.values()):
        return
    with transaction.atomic():
        hold_person(user.pk)
        refuse_answering(user=user, text_sets=new)
        Look.objects.bulk_create(
            (Look(user=user, text_set=text_set, what=what[:100]) for text_set in new), ignore_conflicts=True
        )


def hold_person(key: int) -> None:
    """Lock the account, so that nobody looks and becomes an expert at the same moment."""
    User.objects.select_for_update(no_key=True).filter(pk=key).order_by().values_list("pk").first()


def admit(*, user: User, study: Study, role: Role) -> None:
    """The gate, for whoever is about to have this role in the study. It locks the person until the transaction ends.

    Raises:
        KnowsTheSides: an expert has seen, or can see, distributions of the study's texts.
        AnswersTheseTexts: a researcher or admin answers in a study of these texts.
    """
    hold_person(user.pk)
    if role != Role.EXPERT:
        refuse_answering(user=user, text_sets=TextSet.objects.filter(datasets=study.dataset_id), but=study)
    elif onlookers(study).filter(pk=user.pk).exists():
        raise KnowsTheSides(
            _(
                "{email} has seen, or can see, what people or systems say about texts of this study, so they cannot "
                "answer it as an expert."
            ).format(email=user.email)
        )


def refuse_answering(*, user: User, text_sets: Iterable[TextSet], but: Study | None = None) -> None:
    """Raises AnswersTheseTexts if the person answers on any of these texts in a study that is not closed.

    `but`: a study whose own rules decide.
    """
    mine = user.memberships.filter(study=but) if but else Membership.objects.none()
    answering = _answering(TextSet.objects.filter(overlaps__in=text_sets)).filter(user=user).exclude(pk__in=mine)
    if answering.exists():
        raise AnswersTheseTexts(
            _(
                "{email} answers in a study of the same texts. Until it is closed, or they leave it, they must not see "
                "what people or systems say about them."
            ).format(email=user.email)
        )


def onlookers(study: Study) -> QuerySet[User]:
    """Those who have seen distributions of the study's texts, or can: by a role, or because they imported them."""
    same = TextSet.objects.filter(overlaps__datasets=study.dataset_id).values("pk")
    datasets = Dataset.objects.filter(text_set__in=same)
    roles = Membership.objects.unblinded().exclude(study=study).filter(study__dataset__in=datasets)
    return User.objects.filter(
        Q(pk__in=Look.objects.filter(text_set__in=same).values("user"))
        | Q(pk__in=roles.values("user"))
        | Q(pk__in=datasets.filter(created_by__isnull=False).values("created_by"))
    )


def answering(study: Study) -> QuerySet[User]:
    """Those who answer on texts of this study in another one that is not closed."""
    others = _answering(TextSet.objects.filter(overlaps__datasets=study.dataset_id)).exclude(study=study)
    return User.objects.filter(pk__in=others.values("user"))


def after_looking(study: Study) -> QuerySet[Assignment]:
    """Places of the study that were answered by somebody who had looked before, as was possible before there was a
    gate."""
    looks = Look.objects.filter(
        user=OuterRef("expert__user"), text_set__overlaps__datasets=study.dataset_id, at__lte=OuterRef("completed_at")
    )
    return Assignment.objects.filter(Exists(looks), study=study)


IS_ELSEWHERE = Exists(
    Membership.objects.experts().filter(user=OuterRef("user")).exclude(study=OuterRef("study")).order_by()
)
"""Of a membership: whether its person is, or was, an expert in another study, and may know texts from there."""

HAS_LOOKED = Exists(
    Look.objects.filter(user=OuterRef("user"), text_set__overlaps__datasets=OuterRef("study__dataset")).order_by()
)
"""Of a membership: whether its person has seen distributions of texts of the study."""


def had_elsewhere(expert: Membership) -> QuerySet[Instance]:
    """The texts of the study's dataset that the expert had in another study, whatever dataset it had them from.

    What people said about a text is a side there and here: who sees it again knows which. A closed study counts no more
    if the researcher has said why (`Study.known_texts`).
    """
    digests = _earlier(expert.study).filter(expert__user=expert.user_id).values("instance__text_digest")
    return Instance.objects.filter(dataset=expert.study.dataset_id, text_digest__in=digests).order_by()


def known_texts(study: Study, experts: Sequence[Membership]) -> dict[int, set[int]]:
    """The same for several experts of a study: the keys of the texts, by the expert's key. Two queries."""
    people = {expert.user_id: expert.pk for expert in experts}
    had = _earlier(study).filter(expert__user__in=people)
    same = Instance.objects.filter(dataset=study.dataset_id, text_digest__in=had.values("instance__text_digest"))
    here: dict[int | None, set[int]] = {}
    for pk, digest in same.order_by().values_list("pk", "text_digest"):
        here.setdefault(digest, set()).add(pk)
    seen: dict[int, set[int]] = {expert.pk: set() for expert in experts}
    for user, digest in had.values_list("expert__user", "instance__text_digest"):
        seen[people[user]] |= here.get(digest, set())
    return seen


def _earlier(study: Study) -> QuerySet[Assignment]:
    """Places of other studies with texts that their experts were handed or given, as far as they count here."""
    earlier = Assignment.objects.filter(position__gte=0, instance__text_digest__isnull=False).exclude(study=study)
    return earlier.exclude(study__state=StudyState.CLOSED).order_by() if study.known_texts else earlier.order_by()


def _answering(text_sets: QuerySet[TextSet]) -> QuerySet[Membership]:
    """Experts of unclosed studies of these texts. Who has looked at them answers no more."""
    looked = Look.objects.filter(user=OuterRef("user"), text_set__overlaps=OuterRef("study__dataset__text_set"))
    experts = Membership.objects.experts().filter(is_active=True, study__dataset__text_set__in=text_sets.values("pk"))
    return experts.exclude(study__state=StudyState.CLOSED).exclude(Exists(looked))


@transaction.atomic
def text_set_of(digests: Iterable[int | None], *, fingerprint: str) -> TextSet:
    """The set of these texts, made if it is new, with what it overlaps.

    `fingerprint`: the dataset's, by which it is the same as itself even where its instances have no words.
    """
    own = int.from_bytes(bytes.fromhex(fingerprint)[:8], "big", signed=True)
    numbers = np.unique(np.array([own, *(digest for digest in digests if digest is not None)], dtype=DIGESTS))
    name = texts_fingerprint(numbers)
    if connection.vendor == "postgresql":  # two new sets at once would not see each other; SQLite has one writer
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {TextSet._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")
    text_set = TextSet.objects.filter(fingerprint=name).first()
    if text_set is not None:
        return text_set
    made = TextSet(fingerprint=name, digests=numbers.tobytes())
    alike = [other for other in TextSet.objects.iterator(chunk_size=20) if np.isin(numbers, other.numbers).any()]
    made.save(force_insert=True)
    made.overlaps.add(made, *alike)
    return made


def forget_texts(digests: Iterable[int | None]) -> None:
    """Take the digests of erased texts out of all sets, unless another dataset still has the text: nobody can find out
    any more whether they were among them. What the sets overlap stays known, and so does who has looked.
    """
    erased = {digest for digest in digests if digest is not None}
    remaining = Instance.objects.filter(text_digest__in=erased).order_by().values_list("text_digest", flat=True)
    gone = np.array(sorted(erased - set(remaining)), dtype=DIGESTS)
    for text_set in TextSet.objects.order_by("pk").select_for_update():
        if (numbers := text_set.numbers[~np.isin(text_set.numbers, gone)]).size < text_set.numbers.size:
            TextSet.objects.filter(pk=text_set.pk).update(digests=numbers.tobytes())
