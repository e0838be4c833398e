from django.apps import AppConfig


class AnnotationsConfig(AppConfig):
    name = "annotations"
    verbose_name = "Collecting"

    def ready(self) -> None:
        from annotations.background.executors import executors

        executors.look_in("annotations.importing.jobs")
        executors.look_in("annotations.exporting.exports")
        executors.look_in("annotations.people.mailing")
        executors.look_in("annotations.people.telling")
        executors.look_in("annotations.erasing.executing")
