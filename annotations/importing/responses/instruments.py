"""What the experts in a restored study read, in the versions that its answers refer to."""

from __future__ import annotations

from typing import Any

from annotations.importing.responses.fitting import DoesNotFit
from annotations.importing.responses.study_records import LabelRevision, PreferenceRevision, StudyResponses
from annotations.models import InstrumentVersion, Study


def make_told_versions(study: Study, responses: StudyResponses) -> dict[int, InstrumentVersion]:
    """The versions by number. Raises DoesNotFit if one occurs twice, or an answer refers to one that is missing."""
    told = responses.record.instrument_versions
    if len({one.number for one in told}) < len(told) or len({one.sha256 for one in told}) < len(told):
        raise DoesNotFit("study.json lists a version of the instrument twice.")
    revisions = [
        revision for line in responses.history for revision in (*line.labelResponses, *line.preferenceResponses)
    ]
    named = {revision.instrument for revision in revisions if revision.instrument is not None}
    if lacking := sorted(named - {one.number for one in told}):
        raise DoesNotFit(f"An answer names version {lacking[0]} of the instrument, which study.json does not contain.")
    versions = InstrumentVersion.objects.bulk_create(
        InstrumentVersion(study=study, **one.model_dump()) for one in sorted(told, key=lambda one: one.number)
    )
    return {version.number: version for version in versions}


def told_reading(
    revision: LabelRevision | PreferenceRevision, versions: dict[int, InstrumentVersion]
) -> dict[str, Any]:
    """The fields of a response that record what its expert read."""
    version = None if revision.instrument is None else versions[revision.instrument]
    return {"instrument": version, "page_language": revision.pageLanguage}
