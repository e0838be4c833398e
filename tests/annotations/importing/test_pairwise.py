"""Pairwise votes: every vote is kept as recorded, people and machines apart, or all are refused."""

import csv
import io
import json
from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from annotations.importing.datasets import RefusedWithReport, import_dataset, import_predictions
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, Instance, Judge, Outcome, PairwiseVote
from tests.annotations.importing.test_properties import NAMES, quick

pytestmark = pytest.mark.django_db


def vote(**changes):
    row = {"question_id": 81, "turn": 1, "model_a": "x", "model_b": "y", "judge": "ann", "winner": "model_a"}
    return {key: value for key, value in (row | changes).items() if value is not None}


@pytest.fixture
def write_votes(write):
    return lambda *rows, name="votes.jsonl": write(name, "".join(json.dumps(row) + "\n" for row in rows))


def test_votes_are_kept_as_recorded_in_the_files_order(bring, write_votes):
    again = vote(winner="tie", model_a="y", model_b="x")
    inconsistent = vote(judge="gpt4_pair", winner="tie (inconsistent)", turn=2)
    dataset = bring(write_votes(vote(), again, inconsistent, vote(winner="model_b", question_id="b")))
    assert list(
        dataset.votes.values_list("instance__external_id", "judge__code", "first", "second", "outcome", "certainty")
    ) == [
        ("81/1", "ann", "x", "y", "first", None),
        ("81/1", "ann", "y", "x", "tie", None),
        ("81/2", "gpt4_pair", "x", "y", "tie_inconsistent", None),
        ("b/1", "ann", "x", "y", "second", None),
    ]
    assert list(dataset.judges.values_list("code", "is_machine")) == [("ann", False), ("gpt4_pair", True)]
    assert (dataset.gold.shape, dataset.labels.count()) == ((3, 0), 0)


def test_votes_come_with_certainties_kinds_of_judges_and_texts(bring, write):
    votes = write(
        "votes.csv",
        "instance,first,second,judge,judge_kind,outcome,certainty\n"
        "q2,x,'=y,ann,person,first,0.25\nq1,x,z,bot,machine,second,\n",
    )
    texts = write("texts.jsonl", '{"instance": "q1", "text": "One?"}\n{"instance": "q2", "text": "Two?"}\n')
    dataset = bring(votes, texts)
    assert [row.segments[0]["text"] for row in dataset.instances.order_by("position")] == ["One?", "Two?"]
    assert list(dataset.votes.values_list("instance__external_id", "second", "certainty")) == [
        ("q2", "=y", 0.25),
        ("q1", "z", None),
    ]
    assert list(dataset.judges.values_list("code", "is_machine")) == [("ann", False), ("bot", True)]


def test_machines_are_named_by_an_option(bring, write_votes):
    bring(write_votes(vote(), vote(judge="gpt4_pair"), vote(judge="claude")), machines="claude;gpt4_pair")
    assert set(Judge.objects.filter(is_machine=True).values_list("code", flat=True)) == {"claude", "gpt4_pair"}


def test_the_published_machine_need_not_have_voted(bring, write_votes):
    bring(write_votes(vote()), machines=["gpt4_pair"])  # as the page sends it
    assert list(Judge.objects.values_list("code", "is_machine")) == [("ann", False)]


def test_the_report_counts_votes_of_people_and_machines(db, write_votes):
    file = write_votes(vote(), vote(), vote(judge="gpt4_pair", conversation_a="Hello."))
    report = import_dataset(files=[file], slug="votes", dry_run=True)
    assert (report.format, report.task, report.votes, report.judges) == ("pairwise", "", 3, 2)
    assert (report.systems, report.instances) == (["x", "y"], 1)
    assert report.notes[:3] == [
        "Votes of people: 2 by 1 judges; of machines: 1 by 'gpt4_pair'.",
        "Votes on two systems and an instance on which the judge had voted before: 1; all are kept.",
        "Left out, because votes have no texts: conversation_a.",
    ]
    assert not Dataset.objects.exists()


def test_the_same_votes_again_change_nothing_and_others_are_refused(db, write_votes):
    file = write_votes(vote(), vote(judge="bob"))
    assert import_dataset(files=[file], slug="votes").changed
    assert not import_dataset(files=[file], slug="votes").changed
    other = import_dataset(files=[write_votes(vote(), name="b.jsonl")], slug="votes", dry_run=True)
    assert other.problem_count == 1


def test_which_file_names_a_system_first_does_not_change_the_fingerprint(db, write_votes):
    rows = [vote(model_a="z", model_b="y"), vote(model_a="x", model_b="a")]
    one = import_dataset(files=[write_votes(*rows)], slug="a", dry_run=True).fingerprint
    parts = [write_votes(row, name=f"{place}.jsonl") for place, row in enumerate(rows)]
    assert import_dataset(files=parts, slug="a", dry_run=True).fingerprint == one


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"winner": "x"}, "winner", "the outcome is unknown"),
        ({"winner": ""}, "winner", "the outcome is unknown"),
        ({"model_b": "x"}, "model_b", "a system is compared with itself"),
        ({"model_a": ""}, "model_a", "the system's name is missing"),
        ({"judge": ""}, "judge", "the judge's code is missing"),
        ({"judge": "a" * 201}, "judge", "the judge's code is longer than 200 characters"),
        ({"question_id": ""}, "question_id", "the instance id is missing"),
        ({"turn": ""}, "turn", "the turn is missing"),
        ({"certainty": 1.5}, "certainty", "the certainty is not in [0, 1]"),
        ({"certainty": "sure"}, "certainty", "this is not a number"),
        ({"judge_kind": "robot"}, "judge_kind", "the kind of judge is unknown"),
    ],
)
def test_a_bad_vote_is_refused_with_its_line(refused, write_votes, changes, field, reason):
    good = vote(**{key: {"certainty": 0.5, "judge_kind": "person"}.get(key) for key in changes if key not in vote()})
    problems = refused(write_votes(good, vote(**changes)))
    assert [(p["file"], p["line"], p["field"], p["reason"]) for p in problems] == [("votes.jsonl", 2, field, reason)]


@pytest.mark.parametrize(
    ("rows", "field", "reason"),
    [
        ([vote(judge=None)], "", "there is no column 'judge'"),
        ([vote(score=1)], "score", "the column is unknown"),
        ([vote(first="x")], "model_a", "the column contains the same as 'first'"),
        (
            [vote(judge_kind="person"), vote(judge_kind="machine")],
            "judge_kind",
            "the judge is a person in one place and a machine in another",
        ),
    ],
)
def test_columns_that_do_not_fit_are_refused(refused, write_votes, rows, field, reason):
    assert (field, reason) in [(p["field"], p["reason"]) for p in refused(write_votes(*rows))]


def test_the_same_file_twice_is_refused(refused, write_votes):
    problems = refused(write_votes(vote()), write_votes(vote(), name="copy.jsonl"))
    assert (problems[0]["file"], "votes.jsonl" in problems[0]["reason"]) == ("copy.jsonl", True)


def test_machines_that_did_not_vote_are_refused(refused, write_votes):
    assert refused(write_votes(vote()), machines="bot")[0]["value"] == "'bot'"
    problems = refused(write_votes(vote(judge_kind="person")), machines="ann")
    assert (problems[0]["field"], problems[0]["value"]) == ("machines", "'ann'")


def test_votes_on_instances_outside_the_table_are_refused(refused, write_votes, write):
    texts = write("texts.csv", "instance,text\n81/2,Two?\n")
    problems = refused(write_votes(vote(), vote(turn=2)), texts)
    assert [(p["line"], p["value"]) for p in problems] == [(1, "81/1")]


def test_there_is_nothing_to_predict_for_votes(bring, write_votes, write):
    dataset = bring(write_votes(vote()))
    with pytest.raises(RefusedWithReport, match="no labels to predict"):
        import_predictions(files=[write("p.csv", "instance,x\n81/1,1\n")], dataset=dataset)


OUTCOMES = [("model_a", "first"), ("model_b", "second"), ("tie", "tie"), ("tie (inconsistent)", "tie_inconsistent")]
VOTES = st.lists(
    st.tuples(NAMES, st.integers(1, 2), NAMES, NAMES, NAMES, st.sampled_from(OUTCOMES)).filter(lambda v: v[2] != v[3]),
    min_size=1,
    max_size=8,
)


@quick
@given(VOTES, st.booleans())
def test_whatever_the_names_every_vote_is_read_as_it_was_written(tmp_path, rows, as_csv):
    dicts = [
        vote(question_id=q, turn=turn, model_a=a, model_b=b, judge=judge, winner=winner)
        for q, turn, a, b, judge, (winner, _) in rows
    ]
    if as_csv:
        out = io.StringIO()
        writer = csv.DictWriter(out, list(dicts[0]))
        writer.writeheader()
        # As spreadsheets do: one apostrophe before what would run.
        writer.writerows(
            {k: f"'{v}" if str(v).lstrip("'")[:1] in set("=+-@\t\r\n") and v else v for k, v in d.items()}
            for d in dicts
        )
        content, name = out.getvalue(), "v.csv"
    else:
        content, name = "".join(json.dumps(row) + "\n" for row in dicts), "v.jsonl"
    (tmp_path / name).write_text(content, encoding="utf-8", newline="")
    with transaction.atomic():
        import_dataset(files=[SourceFile.at(tmp_path / name)], slug="votes", format_name="pairwise")
        stored = PairwiseVote.objects.values_list(
            "instance__external_id", "first", "second", "judge__code", "outcome"
        ).order_by("position")
        assert list(stored) == [(f"{q}/{t}", a, b, judge, outcome) for q, t, a, b, judge, (_, outcome) in rows]
        transaction.set_rollback(True)


def test_the_database_refuses_votes_that_cannot_be(bring, write_votes):
    dataset = bring(write_votes(vote()))
    stored = dataset.votes.get()
    other = Dataset.objects.create(
        slug="other", title="O", task="multiclass", gold=dataset.gold, fingerprint="0", text_set=dataset.text_set
    )
    strange_instance = Instance.objects.create(dataset=other, position=0, external_id="i", segments=[])
    strange_judge = Judge.objects.create(dataset=other, code="ann")

    def refuses(**changes):
        fields = {"dataset": dataset, "position": 1, "instance": stored.instance, "judge": stored.judge}
        fields |= {"first": "x", "second": "y", "outcome": Outcome.TIE}
        with pytest.raises(IntegrityError), transaction.atomic():
            PairwiseVote.objects.create(**fields | changes)

    refuses(position=0)
    refuses(outcome="odd")
    refuses(first="y")
    refuses(first="")
    refuses(certainty=1.5)
    refuses(instance=strange_instance)
    refuses(judge=strange_judge)
    with pytest.raises(IntegrityError), transaction.atomic():
        dataset.votes.update(outcome=Outcome.TIE)
    with pytest.raises(IntegrityError), transaction.atomic():
        Judge.objects.create(dataset=dataset, code="ann")


def test_votes_are_visible_to_who_sees_the_dataset(bring, write_votes, make_user):
    bring(write_votes(vote()))
    owner, stranger = make_user("owner@example.org"), make_user("stranger@example.org")
    Dataset.objects.update(created_by=owner)
    assert PairwiseVote.objects.visible_to(owner).count() == 1
    assert not PairwiseVote.objects.visible_to(stranger).exists()


@pytest.mark.shared_data
def test_mt_bench_is_imported_whole(shared_data, golden):
    files = [SourceFile.at(shared_data / "mtbench" / name) for name in ("human.jsonl", "gpt4_pair.jsonl")]
    report = import_dataset(files=files, slug="mtbench")
    assert (report.format, report.votes, report.judges, report.instances) == ("pairwise", 5755, 66, 160)
    assert [note for note in report.notes if ": 3,355 by 65 " in note and ": 2,400 by 'gpt4_pair'" in note]
    expected = json.loads((golden / "agreement.json").read_text())["datasets"]["MT-Bench.human.all_items"]
    people = PairwiseVote.objects.filter(judge__is_machine=False).values_list("instance", "first", "second", "outcome")
    assert len({(instance, *sorted((first, second))) for instance, first, second, _ in people}) == expected["n_items"]
    # The golden counts take the alphabetically smaller system for model_a.
    turned = {"first": "model_a", "second": "model_b", "tie": "tie"}
    swapped = {"first": "model_b", "second": "model_a", "tie": "tie"}
    counts = Counter((turned if first < second else swapped)[outcome] for _, first, second, outcome in people)
    assert counts == expected["label_counts"]
    # One person voted twice on one item, once in each order.
    twice = PairwiseVote.objects.filter(judge__code="author_0", instance__external_id="128/1")
    twice = twice.filter(first__in=["claude-v1", "gpt-3.5-turbo"], second__in=["claude-v1", "gpt-3.5-turbo"])
    assert twice.count() == 2
