"""Many tables in one step: Django renders every model that refers to another anew for each model that is added."""

from typing import Any

from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation


class CreateModels(Operation):
    """Create models, in an order in which none refers to a later one. They are rendered once, when all are known."""

    def __init__(self, operations: list[CreateModel]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: Any) -> None:
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for operation in reversed(self.operations):
            operation.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create the models {', '.join(operation.name for operation in self.operations)}"
