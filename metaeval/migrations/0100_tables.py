"""The tables, with the triggers on them: what 15 migrations of before the first release came to.

- Lines of a run's log and stamped plans are never changed.
- Nothing can be planned, or changed in the plan, once the study's plan is stamped.

The texts of the triggers are frozen: a change of one is a migration of its own.
"""

import uuid

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import annotations.storing.fields
from annotations.migrations._tables import CreateModels
from annotations.migrations._triggers import MakeTriggers, Trigger

TRIGGERS = {
    "append_only_run_lines": Trigger(
        table="metaeval_analysisrunline",
        sqlite="""
            CREATE TRIGGER append_only_run_lines BEFORE UPDATE ON metaeval_analysisrunline
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_run_lines() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
            END $$;
            CREATE TRIGGER append_only_run_lines BEFORE UPDATE ON metaeval_analysisrunline FOR EACH ROW
                EXECUTE FUNCTION append_only_run_lines()
        """,
    ),
    "plan_fixed_for_changes": Trigger(
        table="metaeval_plannedanalysis",
        sqlite="""
            CREATE TRIGGER plan_fixed_for_changes BEFORE UPDATE ON metaeval_plannedanalysis
            WHEN EXISTS (SELECT 1 FROM metaeval_stampedplan s WHERE s.study_id = NEW.study_id)
            BEGIN
                SELECT RAISE(ABORT, 'the analysis plan is stamped');
            END
        """,
        postgresql="""
            CREATE FUNCTION plan_fixed_for_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM metaeval_stampedplan s WHERE s.study_id = NEW.study_id)
                THEN
                    RAISE EXCEPTION 'the analysis plan is stamped' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER plan_fixed_for_changes BEFORE UPDATE ON metaeval_plannedanalysis FOR EACH ROW
                EXECUTE FUNCTION plan_fixed_for_changes()
        """,
    ),
    "plan_fixed_for_new": Trigger(
        table="metaeval_plannedanalysis",
        sqlite="""
            CREATE TRIGGER plan_fixed_for_new BEFORE INSERT ON metaeval_plannedanalysis
            WHEN EXISTS (SELECT 1 FROM metaeval_stampedplan s WHERE s.study_id = NEW.study_id)
            BEGIN
                SELECT RAISE(ABORT, 'the analysis plan is stamped');
            END
        """,
        postgresql="""
            CREATE FUNCTION plan_fixed_for_new() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM metaeval_stampedplan s WHERE s.study_id = NEW.study_id)
                THEN
                    RAISE EXCEPTION 'the analysis plan is stamped' USING ERRCODE = '23514';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER plan_fixed_for_new BEFORE INSERT ON metaeval_plannedanalysis FOR EACH ROW
                EXECUTE FUNCTION plan_fixed_for_new()
        """,
    ),
    "append_only_stamped_plans": Trigger(
        table="metaeval_stampedplan",
        sqlite="""
            CREATE TRIGGER append_only_stamped_plans BEFORE UPDATE ON metaeval_stampedplan
            BEGIN
                SELECT RAISE(ABORT, 'rows of this table are never changed');
            END
        """,
        postgresql="""
            CREATE FUNCTION append_only_stamped_plans() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'rows of this table are never changed' USING ERRCODE = '23514';
            END $$;
            CREATE TRIGGER append_only_stamped_plans BEFORE UPDATE ON metaeval_stampedplan FOR EACH ROW
                EXECUTE FUNCTION append_only_stamped_plans()
        """,
    ),
}


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ("metaeval", "0001_initial"),
        ("metaeval", "0002_subjects"),
        ("metaeval", "0003_results_of_schema_2"),
        ("metaeval", "0004_shards"),
        ("metaeval", "0005_logs_and_plans"),
        ("metaeval", "0006_triggers_of_logs_and_plans"),
        ("metaeval", "0007_documents"),
        ("metaeval", "0008_answered_by"),
        ("metaeval", "0009_words_for_runs"),
        ("metaeval", "0010_answers"),
        ("metaeval", "0011_longer_answers"),
        ("metaeval", "0012_addresses_of_results"),
        ("metaeval", "0020_documents_as_latex_and_word"),
        ("metaeval", "0021_answers_erased"),
        ("metaeval", "0022_trainings"),
    ]
    dependencies = [
        ("annotations", "0101_triggers"),
    ]

    operations = [
        CreateModels([
        migrations.CreateModel(
            name='AnalysisRun',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('succeeded', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=10)),
                ('progress_done', models.BigIntegerField(default=0)),
                ('progress_total', models.BigIntegerField(default=0)),
                ('progress_message', models.CharField(blank=True, max_length=300)),
                ('error', models.TextField(blank=True, help_text='Why it failed, in a sentence for its owner.')),
                ('error_detail', models.TextField(blank=True, help_text='The traceback, for admins only.')),
                ('cancel_requested', models.BooleanField(default=False)),
                ('lease_owner', models.UUIDField(blank=True, editable=False, null=True)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('rung_at', models.DateTimeField(blank=True, editable=False, help_text='When a worker was last called.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('analysis', models.CharField(help_text="The analysis's name in the registry.", max_length=80)),
                ('parameters', models.JSONField(default=dict, help_text='All of them, with defaults filled in.')),
                ('seed', models.BigIntegerField(validators=[django.core.validators.MinValueValidator(0)])),
                ('result', models.JSONField(blank=True, null=True)),
                ('figures', models.JSONField(blank=True, default=list, help_text='Names of the figures that the result has.')),
                ('fingerprint', models.CharField(blank=True, help_text='SHA-256 of the inputs that were used.', max_length=64)),
                ('is_simulated', models.BooleanField(default=False)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='analysis_runs', to='annotations.study')),
                ('dataset', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='analysis_runs', to='annotations.dataset')),
                ('datasets', models.ManyToManyField(blank=True, help_text='Of a run on several; in the order of their slugs.', related_name='+', to='annotations.dataset')),
                ('subject', models.CharField(choices=[('study', 'a study'), ('dataset', 'a dataset'), ('votes', 'the pairwise votes of a dataset'), ('datasets', 'several datasets'), ('nothing', 'nothing: a simulation')], default='study', max_length=10)),
                ('made_with', models.CharField(blank=True, help_text='Versions of the analysis and of the libraries that computed the result.', max_length=200)),
                ('rerun', models.BooleanField(default=False, help_text='Computed although a result of the same question is stored.')),
                ('answered_by', models.ForeignKey(blank=True, help_text="The run that had answered the same question before; its result is this one's.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='metaeval.analysisrun')),
                ('answer', models.CharField(blank=True, help_text='The result in plain sentences; empty where it was stored before there were any.', max_length=1000)),
                ('number', models.PositiveIntegerField(blank=True, editable=False, help_text='Among the runs of this analysis in its study, from 1: a part of the address that people share.', null=True)),
                ('is_planned', models.BooleanField(blank=True, help_text='Whether the result was planned before the study opened; empty where there is no study or no result.', null=True)),
                ('answers_erased_at', models.DateTimeField(blank=True, editable=False, help_text='When answers or a text that the result counted were erased; it cannot be computed again.', null=True)),
            ],
            options={
                'ordering': ['-created_at'],
                'abstract': False,
                'indexes': [models.Index(fields=['state', 'lease_until'], name='analysisrun_to_sweep'), models.Index(fields=['study', '-created_at'], name='analysis_run_of_study'), models.Index(fields=['dataset', '-created_at'], name='analysis_run_of_dataset'), models.Index(fields=['fingerprint', 'analysis'], name='analysis_run_of_inputs')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'succeeded', 'failed', 'cancelled'])), name='analysisrun_state_known'), models.CheckConstraint(condition=models.Q(('seed__gte', 0)), name='analysis_run_seed_not_negative'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'succeeded'), _negated=True), ('result__isnull', False), _connector='OR'), name='analysis_run_success_has_result'), models.CheckConstraint(condition=models.Q(models.Q(('dataset', None), ('study__isnull', False), ('subject', 'study')), models.Q(('dataset__isnull', False), ('study', None), ('subject__in', ['dataset', 'votes'])), models.Q(('dataset', None), ('study', None), ('subject__in', ['datasets', 'nothing'])), _connector='OR'), name='analysis_run_of_its_subject'), models.CheckConstraint(condition=models.Q(models.Q(('number', None), ('study', None)), models.Q(('number__gte', 1), ('study__isnull', False)), _connector='OR'), name='analysis_run_number_of_studies'), models.UniqueConstraint(fields=('study', 'analysis', 'number'), name='analysis_run_number_once')],
                'verbose_name': 'analysis',
                'verbose_name_plural': 'analyses',
            },
        ),
        migrations.CreateModel(
            name='AnalysisRunLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('text', models.CharField(max_length=300)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='metaeval.analysisrun')),
            ],
            options={
                'ordering': ['run_id', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='AnalysisShard',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('succeeded', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=10)),
                ('progress_done', models.BigIntegerField(default=0)),
                ('progress_total', models.BigIntegerField(default=0)),
                ('progress_message', models.CharField(blank=True, max_length=300)),
                ('error', models.TextField(blank=True, help_text='Why it failed, in a sentence for its owner.')),
                ('error_detail', models.TextField(blank=True, help_text='The traceback, for admins only.')),
                ('cancel_requested', models.BooleanField(default=False)),
                ('lease_owner', models.UUIDField(blank=True, editable=False, null=True)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('rung_at', models.DateTimeField(blank=True, editable=False, help_text='When a worker was last called.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('plan', models.CharField(max_length=80)),
                ('first', models.PositiveIntegerField()),
                ('stop', models.PositiveIntegerField()),
                ('values', models.BinaryField(help_text="The arrays of the blocks, one after the other (NumPy's format).", null=True)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shards', to='metaeval.analysisrun')),
            ],
            options={
                'ordering': ['run_id', 'plan', 'first'],
                'abstract': False,
                'indexes': [models.Index(fields=['state', 'lease_until'], name='analysisshard_to_sweep')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'succeeded', 'failed', 'cancelled'])), name='analysisshard_state_known'), models.UniqueConstraint(fields=('run', 'plan', 'first'), name='analysis_shard_once'), models.CheckConstraint(condition=models.Q(('first__lt', models.F('stop'))), name='analysis_shard_has_blocks'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'succeeded'), _negated=True), ('values__isnull', False), _connector='OR'), name='analysis_shard_success_has_values')],
            },
        ),
        migrations.CreateModel(
            name='PlannedAnalysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('analysis', models.CharField(help_text="The analysis's name in the registry.", max_length=80)),
                ('parameters', models.JSONField(default=dict, help_text='All of them, with defaults filled in.')),
                ('seed', models.BigIntegerField(validators=[django.core.validators.MinValueValidator(0)])),
                ('note', models.CharField(blank=True, help_text='What is expected, and why.', max_length=500)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='planned_analyses', to='annotations.study')),
            ],
            options={
                'ordering': ['study_id', 'position'],
                'constraints': [models.UniqueConstraint(fields=('study', 'position'), name='planned_analysis_position_once'), models.CheckConstraint(condition=models.Q(('seed__gte', 0)), name='planned_analysis_seed_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='StampedPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('content', models.JSONField(help_text='The planned analyses in order, as they were hashed.')),
                ('sha256', models.CharField(help_text='Of the content as canonical JSON.', max_length=64)),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='stamped_plan', to='annotations.study')),
            ],
        ),
        migrations.CreateModel(
            name='StoredSplit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=10)),
                ('folds', models.PositiveIntegerField()),
                ('seed', models.BigIntegerField(validators=[django.core.validators.MinValueValidator(0)])),
                ('is_stratified', models.BooleanField(default=False)),
                ('twins', models.PositiveIntegerField(default=0, help_text='Texts left out as copies of texts in another part.')),
                ('parts', annotations.storing.fields.MatrixField(help_text='Folds x instances, ordered by position (metaeval/training/splits).')),
                ('fingerprint', models.CharField(editable=False, help_text='SHA-256 of the ids and parts.', max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='splits', to='annotations.dataset')),
            ],
            options={
                'ordering': ['dataset_id', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('dataset', 'kind', 'fingerprint'), name='split_once'), models.CheckConstraint(condition=models.Q(('seed__gte', 0)), name='split_seed_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='StudyDocument',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('succeeded', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=10)),
                ('progress_done', models.BigIntegerField(default=0)),
                ('progress_total', models.BigIntegerField(default=0)),
                ('progress_message', models.CharField(blank=True, max_length=300)),
                ('error', models.TextField(blank=True, help_text='Why it failed, in a sentence for its owner.')),
                ('error_detail', models.TextField(blank=True, help_text='The traceback, for admins only.')),
                ('cancel_requested', models.BooleanField(default=False)),
                ('lease_owner', models.UUIDField(blank=True, editable=False, null=True)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('rung_at', models.DateTimeField(blank=True, editable=False, help_text='When a worker was last called.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('kind', models.CharField(choices=[('report_html', 'report (HTML)'), ('report_pdf', 'report (PDF)'), ('report_latex', 'report (LaTeX)'), ('report_docx', 'report (Word)'), ('bundle', 'bundle (ZIP)')], max_length=12)),
                ('with_texts', models.BooleanField(default=False, help_text="Of a bundle: whether it holds the instances' texts.")),
                ('content', models.FileField(blank=True, upload_to='documents')),
                ('name', models.CharField(blank=True, help_text='What the file is called when it is downloaded.', max_length=200)),
                ('size', models.BigIntegerField(default=0, help_text='Bytes.')),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='annotations.study')),
            ],
            options={
                'ordering': ['-created_at'],
                'abstract': False,
                'indexes': [models.Index(fields=['state', 'lease_until'], name='studydocument_to_sweep')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'succeeded', 'failed', 'cancelled'])), name='studydocument_state_known'), models.CheckConstraint(condition=models.Q(('with_texts', False), ('kind', 'bundle'), _connector='OR'), name='study_document_texts_in_bundles'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'succeeded'), _negated=True), models.Q(('sha256', ''), _negated=True), _connector='OR'), name='study_document_success_has_file'), models.CheckConstraint(condition=models.Q(('kind__in', ['report_html', 'report_pdf', 'report_latex', 'report_docx', 'bundle'])), name='study_document_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='Training',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('model', models.CharField(help_text='The model of the systems that it makes.', max_length=100)),
                ('methods', models.JSONField(help_text='Names in the registry, in its order.')),
                ('parameters', models.JSONField(help_text='All of them, with defaults filled in.')),
                ('seed', models.BigIntegerField(validators=[django.core.validators.MinValueValidator(0)])),
                ('state', models.CharField(choices=[('checking', 'being checked and measured'), ('ready', 'ready to start'), ('training', 'training'), ('finished', 'finished'), ('stopped', 'stopped'), ('failed', 'failed')], default='checking', max_length=10)),
                ('starts_itself', models.BooleanField(default=False, help_text='Whether it starts as soon as it has been checked.')),
                ('notes', models.JSONField(blank=True, default=list, help_text='What is worth knowing before it starts, in sentences.')),
                ('forecast', models.JSONField(blank=True, help_text='Time and memory, measured before the start.', null=True)),
                ('error', models.TextField(blank=True, help_text='Why it failed, in a sentence for its owner.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trainings', to='annotations.dataset')),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('split', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trainings', to='metaeval.storedsplit')),
            ],
            options={
                'ordering': ['-created_at'],
                'indexes': [models.Index(fields=['state'], name='training_under_way')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['checking', 'ready', 'training', 'finished', 'stopped', 'failed'])), name='training_state_known'), models.CheckConstraint(condition=models.Q(('seed__gte', 0)), name='training_seed_not_negative'), models.CheckConstraint(condition=models.Q(('model', ''), _negated=True), name='training_has_model')],
            },
        ),
        migrations.CreateModel(
            name='TrainingJob',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('succeeded', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=10)),
                ('progress_done', models.BigIntegerField(default=0)),
                ('progress_total', models.BigIntegerField(default=0)),
                ('progress_message', models.CharField(blank=True, max_length=300)),
                ('error', models.TextField(blank=True, help_text='Why it failed, in a sentence for its owner.')),
                ('error_detail', models.TextField(blank=True, help_text='The traceback, for admins only.')),
                ('cancel_requested', models.BooleanField(default=False)),
                ('lease_owner', models.UUIDField(blank=True, editable=False, null=True)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('rung_at', models.DateTimeField(blank=True, editable=False, help_text='When a worker was last called.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('kind', models.CharField(choices=[('check', 'check and forecast'), ('search', 'search for settings'), ('fit', 'training')], max_length=6)),
                ('method', models.CharField(blank=True, help_text='Empty for the check.', max_length=100)),
                ('run', models.PositiveIntegerField(default=0, help_text='From 1; 0 for what all runs share.')),
                ('fold', models.PositiveIntegerField(default=0)),
                ('result', models.JSONField(blank=True, help_text='Loss curve, settings, search, time and memory.', null=True)),
                ('outputs', annotations.storing.fields.MatrixField(help_text='Of a fit: the logits of the texts to be predicted x (heads x labels).', null=True)),
                ('checkpoint', models.CharField(blank=True, editable=False, help_text='The file from which an interrupted job goes on.', max_length=200)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('training', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='metaeval.training')),
            ],
            options={
                'verbose_name': 'training job',
                'ordering': ['training_id', 'kind', 'fold', 'run', 'method'],
                'abstract': False,
                'indexes': [models.Index(fields=['state', 'lease_until'], name='trainingjob_to_sweep')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'succeeded', 'failed', 'cancelled'])), name='trainingjob_state_known'), models.UniqueConstraint(fields=('training', 'kind', 'method', 'run', 'fold'), name='training_job_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['check', 'search', 'fit'])), name='training_job_kind_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'succeeded'), _negated=True), models.Q(('kind', 'fit'), _negated=True), ('outputs__isnull', False), _connector='OR'), name='training_job_fit_has_outputs')],
            },
        ),
        ]),
        MakeTriggers(TRIGGERS),
    ]
