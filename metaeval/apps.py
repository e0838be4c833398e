from typing import Any

from django.apps import AppConfig


class MetaevalConfig(AppConfig):
    name = "metaeval"
    verbose_name = "Judging"

    def ready(self) -> None:
        from annotations.background.executors import executors
        from annotations.designing.lifecycle import study_opens

        executors.look_in("metaeval.jobs.executing", "metaeval.jobs.shards", "metaeval.documents.making")
        study_opens.connect(stamp_the_plan, dispatch_uid="stamp the analysis plan")


def stamp_the_plan(*, study: Any, actor: Any, **_: Any) -> None:
    """A study that opens has its analysis plan fixed in the same transaction."""
    from metaeval.jobs.planning import stamp_plan  # apps are loaded before models

    stamp_plan(study=study, actor=actor)
