"""A report is made as LaTeX and for Word too."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0041_search_words'),
        ('metaeval', '0012_addresses_of_results'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='studydocument',
            name='study_document_kind_known',
        ),
        migrations.AlterField(
            model_name='studydocument',
            name='kind',
            field=models.CharField(choices=[('report_html', 'report (HTML)'), ('report_pdf', 'report (PDF)'), ('report_latex', 'report (LaTeX)'), ('report_docx', 'report (Word)'), ('bundle', 'bundle (ZIP)')], max_length=12),
        ),
        migrations.AddConstraint(
            model_name='studydocument',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['report_html', 'report_pdf', 'report_latex', 'report_docx', 'bundle'])), name='study_document_kind_known'),
        ),
    ]
