"""A side is there from the moment at which step 2 is shown, and is never changed: in both databases.

- Constraints: step 2 shown, side and turn go together; no expert has a turn twice.
- Triggers: a side and its turn stay as they were drawn, and so does a key. Only where both sides look the same no turn
  is used up.
"""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside, refusing

# name -> (table, event, condition under which the row is refused, message)
REFUSALS = {
    "side_never_changes": (
        "annotations_assignment",
        "UPDATE",
        "OLD.side_order <> '' AND (NEW.side_order <> OLD.side_order OR NEW.phase <> OLD.phase"
        " OR COALESCE(NEW.turn, -1) <> COALESCE(OLD.turn, -1)"
        " OR COALESCE(NEW.side_rule, -1) <> COALESCE(OLD.side_rule, -1))",
        "a side and its turn are never changed once step 2 was shown",
    ),
    "turn_where_sides_differ": (
        "annotations_assignment",
        "UPDATE",
        "NEW.comparison_shown_at IS NOT NULL AND (NEW.turn IS NULL) <> EXISTS"
        " (SELECT 1 FROM annotations_comparison c WHERE c.id = NEW.comparison_id AND c.identical)",
        "what is shown uses up a turn, unless both sides look the same",
    ),
    "side_key_never_changes": ("annotations_sidekey", "UPDATE", None, "a key of sides is never changed"),
}


class Migration(migrations.Migration):
    dependencies = [("annotations", "0018_turns_so_far")]
    operations = [
        WithTriggersAside([
            migrations.AddConstraint(
                model_name='assignment',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('comparison_shown_at', None), ('expert', None), ('position', None)), models.Q(('expert__isnull', False), ('position__isnull', False)), _connector='OR'), name='assignment_taken_whole'),
            ),
            migrations.AddConstraint(
                model_name='assignment',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('comparison_shown_at', None), ('side_order', '')), models.Q(('comparison_shown_at__isnull', False), ('side_order__in', ['first_is_a', 'second_is_a'])), _connector='OR'), name='assignment_side_when_shown'),
            ),
            migrations.AddConstraint(
                model_name='assignment',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('phase', ''), ('side_rule', None), ('turn', None)), models.Q(('comparison_shown_at__isnull', False), ('phase__in', ['pilot', 'main']), ('side_rule__in', [1, 2]), ('turn__isnull', False)), _connector='OR'), name='assignment_turn_whole'),
            ),
            migrations.AddConstraint(
                model_name='assignment',
                constraint=models.UniqueConstraint(fields=('expert', 'phase', 'turn'), name='assignment_turn_once'),
            ),
        ]),
        refusing(REFUSALS),
    ]
