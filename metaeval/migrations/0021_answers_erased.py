"""Results that counted answers or a text that was erased since."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('metaeval', '0020_documents_as_latex_and_word'),
    ]

    operations = [
        migrations.AddField(
            model_name='analysisrun',
            name='answers_erased_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When answers or a text that the result counted were erased; it cannot be computed again.', null=True),
        ),
    ]
