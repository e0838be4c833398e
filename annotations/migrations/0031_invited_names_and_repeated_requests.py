"""An invitation knows the person's name, and a request that makes links can be repeated."""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0030_export_fingerprints'),
    ]

    operations = [
        WithTriggersAside([
        migrations.CreateModel(
            name='IssuingRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(help_text='SHA-256 of the person, the address and the key.', max_length=64, unique=True)),
                ('body', models.CharField(help_text="SHA-256 of the request's body.", max_length=64)),
                ('invitations', models.JSONField(default=list, help_text="The invitations created, in order.")),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.AddField(
            model_name='invitation',
            name='name',
            field=models.CharField(blank=True, help_text="The person's name, for their account.", max_length=200),
        ),
        ]),
    ]
