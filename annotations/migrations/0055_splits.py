"""Files that divide their texts into parts for training and testing are taken at their word."""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ("annotations", "0054_what_grows_with_a_study"),
    ]

    operations = [WithTriggersAside([
        migrations.AddField(
            model_name="instance",
            name="split",
            field=models.CharField(blank=True, db_default="", default="", help_text="The part of the data to which its file says it belongs, such as train, dev or test.", max_length=20),
        ),
    ])]
