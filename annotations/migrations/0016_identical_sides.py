"""Comparisons whose two sides look the same are known, and take both or neither only, whatever code runs.

What is stored already stays empty: its experts were offered all four answers. A draft that was planned before gets it when
it opens.
"""

from django.db import migrations, models

from annotations.migrations._triggers import refusing

IDENTICAL = (
    "EXISTS (SELECT 1 FROM annotations_assignment a JOIN annotations_comparison c ON c.id = a.comparison_id"
    " WHERE a.id = NEW.assignment_id AND c.identical)"
)

# name -> (table, event, condition under which the row is refused, message)
REFUSALS = {
    "identical_takes_both_or_neither": (
        "annotations_preferenceresponse",
        "INSERT",
        f"NEW.a_chosen <> NEW.b_chosen AND {IDENTICAL}",
        "both sides are the same: the answer is both or neither",
    ),
    "identical_has_no_guess": (
        "annotations_guess",
        "INSERT",
        IDENTICAL,
        "both sides are the same: there is nothing to guess",
    ),
    "identical_before_it_is_shown": (
        "annotations_comparison",
        "UPDATE",
        "COALESCE(NEW.identical, FALSE) <> COALESCE(OLD.identical, FALSE) AND EXISTS"
        " (SELECT 1 FROM annotations_assignment a WHERE a.comparison_id = NEW.id AND a.comparison_shown_at IS NOT NULL)",
        "whether both sides are the same is settled before an expert sees them",
    ),
}


class Migration(migrations.Migration):
    dependencies = [("annotations", "0015_give_aways")]
    operations = [
        migrations.AddField(
            "comparison",
            "identical",
            models.BooleanField(
                null=True,
                blank=True,
                help_text="Both sides look the same, so they are shown as one chart, and the answer is both or neither.  Empty: the study began before this was recorded, and its experts had all four answers.",
            ),
        ),
        refusing(REFUSALS),
    ]
