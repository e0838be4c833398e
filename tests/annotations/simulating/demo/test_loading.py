"""The demo is loaded once, whole, and marked; a person's own assignments wait in it."""

import io
import json
import stat
import time

import pytest
from django.core.management import call_command
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Concat

from annotations.models import Dataset, Membership, Role, Study, StudyState, System, User
from annotations.simulating.demo import loading
from annotations.simulating.demo import people as people_of_the_demo
from annotations.simulating.demo.loading import OWN_ASSIGNMENTS
from annotations.simulating.demo.people import logins

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def timed_demo(django_db_setup, django_db_blocker):
    """The demo, loaded once for all tests here, and how long that took; each test's changes are rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        started = time.process_time()  # of this process: a busy machine does not make the work longer
        loaded = loading.load_demo()
        yield loaded, time.process_time() - started
        transaction.set_rollback(True)


@pytest.fixture
def demo(timed_demo):
    return timed_demo[0]


def counts():
    return {model.__name__: model._default_manager.count() for model in [Dataset, System, Study, User, Membership]} | {
        "answers": Study.objects.get(slug="demo").assignments.completed().count()
    }


def test_the_demo_is_whole(demo):
    study = demo.study
    assert study.dataset.systems.count() == 26
    assert study.comparisons.count() == 26 * study.instances_per_system
    assert study.instances_per_system == 28
    assert study.experts_per_comparison == 4
    assert study.state == StudyState.OPEN
    assert not study.assignments.free().exists()
    by_simulated = study.assignments.filter(expert__is_simulated=True)
    assert not by_simulated.filter(completed_at=None).exists()
    assert demo.answers_added == by_simulated.count() == 26 * 28 * 4 - OWN_ASSIGNMENTS


def test_the_person_who_tries_it_has_assignments_that_nobody_touched(demo):
    mine = demo.study.assignments.filter(expert__user=demo.people[Role.EXPERT])
    assert mine.count() == OWN_ASSIGNMENTS
    assert not mine.filter(claimed_at__isnull=False).exists()
    assert not mine.filter(labelresponses__isnull=False).exists()


def test_nobody_sees_an_instance_twice(demo):
    pairs = list(demo.study.assignments.values_list("expert", "instance"))
    assert len(set(pairs)) == len(pairs)


def test_everything_says_that_it_is_simulated(demo):
    assert demo.study.is_simulated
    assert demo.study.dataset.is_simulated
    assert not System.objects.filter(is_simulated=False).exists()
    people = Membership.objects.filter(study=demo.study, is_simulated=False)
    assert set(people.values_list("user__email", flat=True)) == set(people_of_the_demo.EMAILS.values())


def test_there_is_one_person_per_role_and_only_who_needs_it_may_import(demo):
    assert set(demo.people) == set(Role)
    assert not demo.people[Role.EXPERT].can_import
    assert User.objects.get(email="researcher@example.org").can_import
    assert not User.objects.filter(is_superuser=True).exists()


def test_loading_it_again_reuses_what_is_there(demo):
    before = counts()
    again = loading.load_demo()
    assert again.answers_added == 0
    assert again.study == demo.study
    assert counts() == before


def test_a_study_of_3000_responses_is_loaded_and_simulated_within_half_a_minute(timed_demo):
    assert timed_demo[1] < 30


def test_a_demo_of_an_earlier_version_keeps_its_systems(demo):
    """It had AL and lacked SMF1; what its study showed stays what it was."""
    kept = demo.study.dataset.systems.filter(method="SMF1")
    kept.update(method="AL")
    before = counts()
    assert loading.load_demo().study == demo.study
    assert counts() == before
    assert not demo.study.dataset.systems.filter(method="SMF1").exists()


@pytest.mark.long
def test_an_interrupted_loading_ends_in_the_same_place(demo, monkeypatch):
    """The answers come last: without them, a second run adds them."""
    study = Study.objects.get(slug="demo")
    assert study.assignments.completed().exists()
    Study.objects.filter(slug="demo").update(slug="an-earlier-demo")
    User.objects.update(email=Concat("email", Value(".earlier")), address=Concat("address", Value(".earlier")))

    def interrupted(**_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(loading, "simulate_responses", interrupted)
        with pytest.raises(KeyboardInterrupt):
            loading.load_demo()
    assert counts()["answers"] == 0
    loading.load_demo()
    assert counts()["answers"] == 26 * 28 * 4 - OWN_ASSIGNMENTS


# -- logins


@pytest.fixture
def people(demo):
    return dict(demo.people)


def test_everybody_gets_a_working_random_password(people, tmp_path):
    found = logins(people, file=tmp_path / "kept.json")
    assert {login.email for login in found} == set(people_of_the_demo.EMAILS.values())
    assert len({login.password for login in found}) == 3
    for login in found:
        assert User.objects.get(email=login.email).check_password(login.password)


def test_the_second_time_the_passwords_are_the_same(people, tmp_path):
    assert logins(people, file=tmp_path / "kept.json") == logins(people, file=tmp_path / "kept.json")


def test_passwords_differ_from_one_machine_to_the_next(people, tmp_path):
    here, there = (logins(people, file=tmp_path / name) for name in ("here", "there"))
    assert not {login.password for login in here} & {login.password for login in there}


def test_a_damaged_file_of_passwords_is_replaced(people, tmp_path):
    file = tmp_path / "kept.json"
    file.write_text("{broken")
    found = logins(people, file=file)
    assert json.loads(file.read_text()) == {login.email: login.password for login in found}


def test_only_the_owner_may_read_the_passwords(people, tmp_path):
    file = tmp_path / "new" / "kept.json"
    logins(people, file=file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_passwords_are_deterministic_only_when_asked_for(people, tmp_path):
    assert {login.password for login in logins(people, file=tmp_path / "kept", password="for tests")} == {"for tests"}


def test_the_command_prints_the_logins_and_with_the_option_nothing_else(demo, settings, tmp_path):
    settings.STATE_DIR = tmp_path

    def printed(*options):
        out = io.StringIO()
        call_command("load_demo", *options, stdout=out)
        return out.getvalue()

    whole, brief = printed(), printed("--print-logins")
    assert whole.endswith(brief)
    assert "2,884 of 2,912 places answered" in whole
    assert "simulated" in whole
    for email in people_of_the_demo.EMAILS.values():
        password = next(line.split()[-1] for line in brief.splitlines() if email in line)
        assert User.objects.get(email=email).check_password(password)
