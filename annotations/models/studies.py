"""A study, the states of its lifecycle, who takes part in it, and the versions of what experts read."""

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotations.ground.display_rule import DISPLAY_RULE
from annotations.models.datasets import Dataset
from annotations.models.looks import TextSet
from annotations.models.people import User
from annotations.storing.constraints import always, once, one_of


class StudyState(models.TextChoices):
    """`draft -> pilot -> open <-> paused -> closed` (annotations/designing/lifecycle.py moves it)."""

    DRAFT = "draft", "draft"
    PILOT = "pilot", "pilot"
    OPEN = "open", "open"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"


def are_names(value: object) -> None:
    """Refuse anything but a list of distinct names."""
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise ValidationError(_("This is not a list of names."))
    if len(set(value)) < len(value):
        raise ValidationError(_("A name is listed twice."))


class Compares(models.TextChoices):
    HUMAN_VS_SYSTEM = "human_vs_system", "what people said against what a system predicted"
    SYSTEM_VS_SYSTEM = "system_vs_system", "what two systems predicted"


class Assigning(models.TextChoices):
    NAMED = "named", "the admin gives comparisons to experts"
    OPEN_POOL = "open_pool", "every expert takes the next comparison that fewest have answered"


class GiveAways(models.TextChoices):
    """What a plan does with texts on which a system's side can only be a system's."""

    KEEP = "keep", "kept, counted and shown in the results"
    REDRAW = "redraw", "another text is drawn for this system, where there is one"


class Layout(models.TextChoices):
    """How step 2 draws its two sides."""

    ALIGNED = "aligned", "one chart: a row for each label, side A to the left of it and side B to the right"
    SEPARATE = "separate", "two lists, each in the order of its own values, as in the original study"


class Runs(models.TextChoices):
    """What a study compares if there are several runs of one model and method."""

    AVERAGED = "averaged", "the mean of the predictions of all runs of one model and method"
    SINGLE = "single", "each run as a system of its own"


class Leaving(models.TextChoices):
    """What happens to the answers of an expert who leaves; experts agree to it before they begin."""

    KEPT = "kept", "their answers stay"
    LEFT_OUT = "left_out", "their answers are left out of every export and analysis from then on"


class Role(models.TextChoices):
    EXPERT = "expert", "expert"
    RESEARCHER = "researcher", "researcher"
    ADMIN = "admin", "admin"


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: User) -> "StudyQuerySet":
        """The studies of which the user is a member, in any role."""
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user, memberships__is_active=True)

    def unblinded_for(self, user: User) -> "StudyQuerySet":
        """The studies whose sources the user may see: as a researcher or admin, never as an expert in it or in another
        study of the same texts that is not closed.
        """
        elsewhere = self.exclude(dataset__text_set__in=TextSet.objects.answered_by(user))
        if user.is_superuser:
            # A study's experts must not see its sources, whatever else they may do.
            return elsewhere.exclude(memberships__in=Membership.objects.filter(user=user, is_active=True).experts())
        return elsewhere.filter(memberships__in=Membership.objects.filter(user=user).unblinded())

    def administered_by(self, user: User) -> "StudyQuerySet":
        if user.is_superuser:
            return self.unblinded_for(user)
        return self.filter(memberships__user=user, memberships__is_active=True, memberships__role=Role.ADMIN)


class Study(models.Model):
    """One meta-evaluation on one dataset: questions, comparisons, people, lifecycle."""

    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="studies")
    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    instructions = models.TextField(blank=True, help_text="Markdown; sanitised before anyone sees it.")
    consent = models.TextField(
        blank=True,
        help_text="What experts agree to before they begin, as Markdown. Empty: the app's own text.",
    )
    question_labels = models.CharField(
        max_length=300,
        default="Which labels, if any, apply to this text?",
        help_text="Asked in step 1.",
    )
    question_preference = models.CharField(
        max_length=300,
        default="Which of these describes what people would say about this text more accurately?",
        help_text="Asked in step 2.",
    )
    language = models.CharField(
        max_length=20,
        blank=True,
        validators=[
            RegexValidator(
                r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$", gettext_lazy("This is not a language tag such as 'de' or 'ar-EG'.")
            )
        ],
        help_text="Language of the experts' pages, as a tag such as 'de'. Empty: the texts' language.",
    )
    direction = models.CharField(
        max_length=3,
        blank=True,
        choices=[("ltr", "left to right"), ("rtl", "right to left")],
        help_text="Direction of the experts' pages. Empty: the language's.",
    )
    compares = models.CharField(max_length=20, choices=Compares.choices, default=Compares.HUMAN_VS_SYSTEM)
    runs = models.CharField(
        max_length=10,
        choices=Runs.choices,
        default=Runs.AVERAGED,
        help_text="Whether runs of one model and method are averaged or are separate systems.",
    )
    systems = models.JSONField(
        default=list,
        blank=True,
        validators=[are_names],
        help_text="The names of the systems to compare, as they are called in the study. Empty: all.",
    )
    assigning = models.CharField(max_length=10, choices=Assigning.choices, default=Assigning.OPEN_POOL)
    asks_guess = models.BooleanField(
        default=False, help_text="At the end, experts guess which side was the human one (guessing.py)."
    )
    display_threshold = models.FloatField(default=0.1, help_text="Only labels above it are drawn.")
    display_step = models.FloatField(
        null=True,
        blank=True,
        help_text="Shown values are multiples of it; empty: multiples of one person's share in each instance.",
    )
    display_rule = models.PositiveSmallIntegerField(
        default=DISPLAY_RULE, help_text="The version of the rule by which a label is drawn (displaying.py)."
    )
    layout = models.CharField(
        max_length=8,
        choices=Layout.choices,
        default=Layout.ALIGNED,
        db_default=Layout.SEPARATE,  # for studies from before there was a choice
        help_text="How step 2 draws its two sides.",
    )
    share_meaning = models.CharField(
        max_length=120,
        blank=True,
        default="",
        db_default="",
        help_text="What a bar on either side means, such as 'share of lawyers who would choose it'. Empty: the app's.",
    )
    question_certainty = models.CharField(
        max_length=160,
        blank=True,
        default="",
        db_default="",
        help_text="Asked beside the slider of step 2, such as 'How certain are you?'. Empty: the app's own words.",
    )
    give_aways = models.CharField(
        max_length=10,
        choices=GiveAways.choices,
        default=GiveAways.KEEP,
        help_text="What happens to texts on which a system's side can only be a system's.",
    )
    instances_per_system = models.PositiveIntegerField(default=28)
    experts_per_comparison = models.PositiveIntegerField(default=4)
    repeats_per_expert = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="How many texts each expert answers a second time at the end, to see how consistent answers are.",
    )
    leaving = models.CharField(
        max_length=8,
        choices=Leaving.choices,
        default=Leaving.KEPT,
        help_text="What happens to the answers of an expert who leaves.",
    )
    profile_questions = models.JSONField(
        default=list,
        blank=True,
        help_text="What experts are asked about themselves before they begin, such as years of experience.",
    )
    known_texts = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="Why experts may get texts that they had in another study, once that one is closed; reports quote "
        "it. Empty: they never do.",
    )
    identities_kept_months = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="How many months after closing experts' names and addresses are erased. Empty: the server's setting.",
    )
    seed = models.BigIntegerField(default=0, help_text="The source of every random choice in this study.")
    state = models.CharField(max_length=10, choices=StudyState.choices, default=StudyState.DRAFT)
    is_simulated = models.BooleanField(default=False, help_text="Contains simulated data or simulated experts.")
    version = models.PositiveIntegerField(
        default=1, db_default=1, help_text="Grows with every saved change of the settings."
    )
    paused_systems = models.JSONField(
        default=list,
        blank=True,
        validators=[are_names],
        help_text="Systems whose free places are currently not assigned.",
    )
    planned = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="How many comparisons it has. Triggers write it."
    )
    archived_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was archived; lists have omitted it since."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opens_at = models.DateTimeField(
        null=True, blank=True, help_text="When it is due to open; announced to experts who arrive earlier."
    )
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "slug"]
        verbose_name_plural = "studies"
        constraints = [
            one_of("study_state_known", "state", StudyState),
            one_of("study_compares_known", "compares", Compares),
            one_of("study_assigning_known", "assigning", Assigning),
            one_of("study_give_aways_known", "give_aways", GiveAways),
            one_of("study_runs_known", "runs", Runs),
            one_of("study_layout_known", "layout", Layout),
            one_of("study_leaving_known", "leaving", Leaving),
            always("study_threshold_in_range", Q(display_threshold__gte=0, display_threshold__lt=1)),
            always("study_step_in_range", Q(display_step__gt=0, display_step__lte=0.5)),
            always("study_display_rule_known", Q(display_rule__gte=1, display_rule__lte=DISPLAY_RULE)),
            always("study_guesses_at_people", Q(asks_guess=False) | Q(compares=Compares.HUMAN_VS_SYSTEM)),
            always("study_direction_known", Q(direction__in=["", "ltr", "rtl"])),
            always("study_has_instances", Q(instances_per_system__gte=1)),
            always("study_has_experts", Q(experts_per_comparison__gte=1)),
            always("study_seed_not_negative", Q(seed__gte=0)),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def accepts_responses(self) -> bool:
        return self.state in {StudyState.PILOT, StudyState.OPEN} and self.archived_at is None


class PlanFigures(models.Model):
    """What was measured on a study's stored plan, and what that depends on (annotations/designing/displays.py)."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="plan_figures")
    basis = models.JSONField(help_text="The settings and comparisons; the figures are void if these change.")
    figures = models.JSONField()

    def __str__(self) -> str:
        return f"figures of the plan of study {self.study_id}"


class MembershipQuerySet(models.QuerySet["Membership"]):
    def experts(self) -> "MembershipQuerySet":
        return self.filter(role=Role.EXPERT)

    def answering(self) -> "MembershipQuerySet":
        """Experts, and former experts who answered: their answers remain theirs, whatever their role is now."""
        return self.filter(Q(role=Role.EXPERT) | Q(pk__in=self.filter(assignments__isnull=False).values("pk")))

    def ended(self) -> "MembershipQuerySet":
        """People who have left or were removed."""
        return self.filter(is_active=False, left_at__isnull=False)

    def unblinded(self) -> "MembershipQuerySet":
        """Members who may see which side is which."""
        return self.filter(role__in=[Role.RESEARCHER, Role.ADMIN], is_active=True)


class Membership(models.Model):
    """A person's one role in a study. Results and exports identify them by `number`, never by name."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey("annotations.User", on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    number = models.PositiveIntegerField()
    is_simulated = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    practised_at = models.DateTimeField(
        null=True, blank=True, help_text="When the expert finished or skipped the practice before the first text."
    )
    promised = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="How many texts from the pool the expert was told to expect. Raised only if they ask for more.",
    )
    reminded_at = models.DateTimeField(null=True, blank=True)
    left_at = models.DateTimeField(null=True, blank=True, help_text="When the person left the study.")
    is_pending = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Somebody else gave them the role, or gave it back, and they have not accepted it yet.",
    )
    answers_left_out = models.BooleanField(
        default=False, help_text="The expert has left, and exports and analyses leave out their answers."
    )
    profile = models.JSONField(
        default=dict, blank=True, help_text="Their answers to the study's questions about themselves, by name."
    )
    owes_consent = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Added without an invitation: must consent before getting the first text.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ["study_id", "number"]
        constraints = [
            once("membership_one_role", "study", "user"),
            once("membership_number_once", "study", "number"),
            one_of("membership_role_known", "role", Role),
            always("membership_left_out_has_left", Q(answers_left_out=False) | Q(left_at__isnull=False)),
            always("membership_pending_is_not_active", Q(is_pending=False) | Q(is_active=False)),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.number}"


class InstrumentVersion(models.Model):
    """One version. A study's first is 1; a new one is made only if something differs from all earlier ones."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="instrument_versions")
    number = models.PositiveIntegerField()
    app = models.PositiveIntegerField(help_text="The version of the pages' words (designing/instrument.py).")
    sha256 = models.CharField(max_length=64, help_text="Checksum of the content and the version of the pages' words.")
    content = models.JSONField(help_text="Questions, instructions, labels, layout and language, as experts read them.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["study_id", "number"]
        constraints = [
            once("instrument_version_once", "study", "number"),
            once("instrument_content_once", "study", "sha256"),
            always("instrument_version_from_1", Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of what experts of study {self.study_id} read"
