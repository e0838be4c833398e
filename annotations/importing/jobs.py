"""What an import job does: read the uploaded files, and write or only report."""

from typing import TYPE_CHECKING, Any

from annotations.errors import HLVError

if TYPE_CHECKING:
    from annotations.jobs import Progress
    from annotations.models import ImportJob


def execute_import(*, job: "ImportJob", progress: "Progress") -> dict[str, Any]:
    """Read the job's files with the named or detected reader; return the fields to store on the job."""
    raise HLVError(f"There is no reader for {job.format!r} yet.")
