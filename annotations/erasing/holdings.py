"""What the models of `annotations`, and of the packages it stands on, store. `metaeval/holdings.py` has the others."""

from annotations.erasing.registry import holds

JOB = (
    "state progress_done progress_total cancel_requested lease_owner lease_until attempts rung_at created_at "
    "started_at finished_at"
)
"""What every background job has; its messages may quote what it worked on."""
MESSAGES = "progress_message error error_detail"
WITH_STUDY = "the study is erased"
WITH_DATASET = "the dataset is deleted or erased"
WITH_PERSON = "the person is erased"

# -- people
holds(
    "annotations.User",
    purpose="let people sign in and reach them",
    until=WITH_PERSON,
    personal="email address name language last_login date_joined",
    secret=("password",),
    neither="is_superuser is_staff is_active sessions_ended second_factor_due erased_at",
)
holds(
    "annotations.Membership",
    purpose="know who takes part in a study, under which number",
    until=WITH_STUDY,
    personal="profile",
    neither=(
        "role number is_simulated is_active practised_at promised reminded_at left_at answers_left_out is_pending "
        "owes_consent created_at"
    ),
    person="user",
    blank={"profile": {}},
)
holds(
    "annotations.Invitation",
    purpose="let people join by a link",
    until="the person or the study is erased",
    personal="email address name",
    secret=("digest",),
    neither="purpose role may_import may_create may_administer created_at expires_at used_at revoked_at reminded_at",
    person="user",
    address="address",
)
holds("annotations.FurtherLink", purpose="send an invitation again", until="its invitation ends", secret=("digest",))
holds(
    "annotations.IssuingRequest",
    purpose="answer a repeated request once",
    until="a day has passed",
    secret=("digest", "body"),
    neither="invitations expires_at",
)
holds(
    "annotations.Consent",
    purpose="prove consent; after an erasure under a number only",
    until=WITH_STUDY,
    neither="text version at",
)
holds(
    "annotations.ApiToken",
    purpose="let a person's scripts in",
    until="it is revoked or expires",
    personal="name last_used_at",
    secret=("token_key",),
    neither="digest created expiry number scope revoked_at",
    person="user",
)
holds(
    "annotations.Session",
    purpose="keep people signed in, and let them see where",
    until="it expires or is ended",
    personal="device created_at used_at expire_date",
    secret=("session_data",),
    person="user",
)
holds(
    "annotations.SecondFactor",
    purpose="ask for a code at sign-in; encrypted",
    until="it is turned off",
    personal="confirmed_at last_step",
    secret=("secret", "recovery"),
    person="user",
)
holds(
    "annotations.Identity",
    purpose="let people sign in through the server's sign-in provider",
    until="it is disconnected",
    personal="issuer subject created_at last_used_at",
    person="user",
)
holds(
    "annotations.Passkey",
    purpose="ask for a passkey at sign-in",
    until="it is removed",
    personal="name created_at last_used_at",
    secret=("credential_id", "public_key"),
    neither="sign_count",
    person="user",
)
holds(
    "annotations.AttemptCount",
    purpose="stop guessing of passwords; by a keyed hash, without addresses",
    until="some minutes have passed",
    neither="key failures since",
)
holds(
    "annotations.Letter",
    purpose="send mails; neither their text nor their link is kept",
    until="the invitation or the member is erased",
    personal=MESSAGES,
    neither=f"{JOB} is_reminder",
    person="member__user",
)
holds(
    "annotations.Notice",
    purpose="tell people how a study stands",
    until=WITH_STUDY,
    personal=MESSAGES,
    neither=f"{JOB} news key kind tab counts tries",
    person="member__user",
)

# -- what is judged
holds(
    "annotations.Dataset",
    purpose="hold what is judged",
    until=WITH_DATASET,
    answer="gold",
    neither="slug title description source licence task fingerprint renamed_labels is_simulated created_at",
)
holds(
    "annotations.Label",
    purpose="name what can be chosen",
    until=WITH_DATASET,
    neither="position name exclusive value display_name search_words",
)
holds(
    "annotations.Instance",
    purpose="show the texts to experts",
    until="the text or the dataset is erased",
    text="segments external_id text_digest",
    neither="position language direction parts split withdrawn_at erased_at",
)
holds(
    "annotations.TextSet",
    purpose="know the same texts again in another dataset, so that nobody answers on what they have looked at",
    until="never; the digest of a text goes when it is erased",
    text="digests",
    neither="fingerprint",
)
holds(
    "annotations.Look",
    purpose="know who has seen distributions of these texts and so cannot answer on them",
    until=WITH_PERSON,
    personal="at",
    neither="what",
    person="user",
)
holds(
    "annotations.HumanAnnotation",
    purpose="know what people said of a text, under a code",
    until="the text or the dataset is erased",
    personal="annotator",
    answer="labels count",
    neither="position",
)
holds(
    "annotations.Annotator",
    purpose="know what files say about annotators, under a code",
    until=WITH_DATASET,
    personal="code about",
)
holds(
    "annotations.System",
    purpose="compare predictions",
    until=WITH_DATASET,
    neither="model method run predictions fingerprint options is_simulated created_at",
)
holds(
    "annotations.PredictedAnnotations",
    purpose="compare predictions of single annotations",
    until=WITH_DATASET,
    neither="model method run answers fingerprint options is_simulated created_at",
)
holds("annotations.Judge", purpose="tell judges apart", until=WITH_DATASET, personal="code", neither="is_machine")
holds(
    "annotations.PairwiseVote",
    purpose="hold imported votes",
    until="the text or the dataset is erased",
    answer="outcome certainty",
    neither="position first second",
)
holds(
    "annotations.ImportJob",
    purpose="read uploaded files",
    until="the dataset or one of its texts is erased",
    text=f"{MESSAGES} report options",
    neither=f"{JOB} kind format dataset_slug title dry_run replace language undone_at",
)
holds(
    "annotations.ImportFile",
    purpose="read uploaded files; the file itself goes when the import has ended",
    until="the import's row goes",
    text="content",
    neither="name",
)

# -- studies and answers
holds(
    "annotations.Study",
    purpose="run the study",
    until=WITH_STUDY,
    neither=(
        "slug title instructions consent question_labels question_preference language direction compares runs "
        "systems assigning asks_guess display_threshold display_step display_rule layout share_meaning "
        "question_certainty give_aways instances_per_system experts_per_comparison repeats_per_expert leaving "
        "known_texts profile_questions identities_kept_months seed state is_simulated version planned "
        "paused_systems archived_at created_at opens_at opened_at closed_at"
    ),
)
holds("annotations.PlanFigures", purpose="show the plan", until=WITH_STUDY, neither="basis figures")
holds("annotations.SideKey", purpose="draw sides", until=WITH_STUDY, secret=("key",), neither="phase name made_at")
holds(
    "annotations.Comparison",
    purpose="plan the study",
    until=WITH_STUDY,
    answer="first_row",
    neither="position identical is_paused second_row",
)
holds(
    "annotations.Assignment",
    purpose="know who is asked what, under a number",
    until="the study is erased, or the person with their answers",
    answer="completed_at comparison_shown_at claimed_at released_at",
    secret=("side_order",),
    neither="token place places position turn phase side_rule seen_before is_pilot",
)
holds(
    "annotations.InstrumentVersion",
    purpose="know what experts read",
    until=WITH_STUDY,
    neither="number app sha256 content created_at",
)
ANSWERED = "the study is erased, or the person with their answers"
holds(
    "annotations.LabelResponse",
    purpose="the study's aim",
    until=ANSWERED,
    answer="labels active_ms created_at",
    neither="revision key page_language",
)
holds(
    "annotations.PreferenceResponse",
    purpose="the study's aim",
    until=ANSWERED,
    answer="a_chosen b_chosen certainty active_ms created_at",
    neither="revision key page_language",
)
holds(
    "annotations.Guess",
    purpose="know how well sides were hidden",
    until=ANSWERED,
    answer="side created_at",
    neither="key",
)
holds(
    "annotations.Report",
    purpose="hear of problems with texts",
    until=ANSWERED,
    personal="text",
    answer="reason skipped created_at",
    neither="key",
    person="assignment__expert__user",
    blank={"text": ""},
)
holds(
    "annotations.ReportDecision",
    purpose="know what admins decided",
    until=ANSWERED,
    personal="note",
    neither="revision verdict decided_at",
    person="decided_by",
    blank={"note": ""},
)
holds(
    "annotations.ExportJob",
    purpose="hand out answers; the file goes after HLV_FILES_KEPT_DAYS",
    until=WITH_STUDY,
    answer="content",
    text=MESSAGES,
    neither=f"{JOB} format filters name size responses sha256",
)

# -- what the server notes
holds(
    "annotations.Event",
    purpose="show who did what, by ids; names are looked up when it is read",
    until="the study or dataset is erased",
    neither="at kind subject data",
)
holds(
    "annotations.Erasure",
    purpose="prove an erasure, and repeat it after a restore",
    until="always",
    neither=f"{JOB} {MESSAGES} what target with_answers reason mark counts files erased_at",
)
holds(
    "annotations.QueueTurn",
    purpose="let people take turns in a queue",
    until=WITH_PERSON,
    personal="taken_at",
    neither="queue",
    person="person",
)
holds("annotations.WorkerHeartbeat", purpose="see workers", until="a day has passed", neither="seen_at queues")

# -- packages
holds(
    "sessions.Session",
    purpose="(not used: sessions have a table of our own)",
    until="it expires",
    secret=("session_data",),
    neither="expire_date",
)
holds(
    "admin.LogEntry",
    purpose="show what was changed in Django's admin",
    until=WITH_PERSON,
    personal="object_repr change_message object_id action_time",
    neither="action_flag",
)
holds("auth.Group", purpose="grant permissions", until="deleted", neither="name")
holds("auth.Permission", purpose="grant permissions", until="always", neither="name codename")
holds("contenttypes.ContentType", purpose="name models", until="always", neither="app_label model")
