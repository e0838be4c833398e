"""The tool itself: it finds what tests notice, and says so where they notice nothing."""

import subprocess
import sys
from textwrap import dedent

import pytest
from cosmic_ray.mutating import mutate_code

from tests.mutation.choosing import Reach, in_order
from tests.mutation.mutants import mutants_of, sample
from tests.mutation.operators import OPERATORS
from tests.mutation.places import Place, Source
from tests.mutation.remembering import still_killed, with_named
from tests.mutation.surveying import survey
from tests.mutation.targets import ROOT, TARGETS, Target

pytestmark = pytest.mark.long
SAMPLE = Target(files=("tests/mutation/sample.py",), tests=("tests/mutation/asked.py",))


def surveyed(kept, earlier):
    said = []
    return survey(SAMPLE, size=1000, seed=1, jobs=2, kept=kept, say=said.append, earlier=earlier), said


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Every mutant of the sample, tried, and where that is kept."""
    kept = tmp_path_factory.mktemp("reach")
    return surveyed(kept, {})[0], kept


@pytest.fixture
def results(found):
    return found[0]["mutants"]


def test_a_second_run_tries_only_what_survived_and_finds_the_same(found):
    earlier, kept = found
    again, said = surveyed(kept, earlier)
    killed = len([one for one in earlier["mutants"] if "by" in one])
    assert f"{killed} of them killed before, by tests that have not changed since" in said
    assert [outcome(one) for one in again["mutants"]] == [outcome(one) for one in earlier["mutants"]]


def outcome(result):
    return {name: value for name, value in result.items() if name != "seconds"}


def test_a_file_of_tests_changes_with_those_that_it_takes_from(tmp_path):
    texts = {"test_a": "from tests.test_b import ask", "test_b": "import test_c", "test_c": "", "test_d": "test_a"}
    files = {name: tmp_path / f"{name}.py" for name in texts}
    for name, text in texts.items():
        files[name].write_text(text)
    assert with_named(files["test_a"], files) == {files["test_a"], files["test_b"], files["test_c"]}
    assert with_named(files["test_c"], files) == {files["test_c"]}


def test_what_changed_since_is_asked_again(found):
    earlier, _ = found
    changed_code, changed_test = {**earlier, "code": "other"}, {**earlier, "tests": {}}
    assert still_killed(changed_code, SAMPLE, earlier["mutants"]) == {}
    by_a_test = [{**one, "by": "tests/test_a.py::test"} for one in earlier["mutants"] if "by" in one]
    assert still_killed({**changed_test, "mutants": by_a_test}, SAMPLE, by_a_test) == {}
    assert len(still_killed(earlier, SAMPLE, earlier["mutants"])) > 20
    without = [{name: value for name, value in one.items() if name != "by"} for one in earlier["mutants"]]
    assert still_killed({**earlier, "mutants": without}, SAMPLE, without) == {}, "what no test killed is tried again"


def test_only_faults_that_no_test_can_see_or_reach_survive(results):
    survivors = {(changed(one), one["why"]) for one in results if one["outcome"] == "survived"}
    assert survivors == {
        ("return a if a >= b else b", "its tests pass"),
        ("return  is_new", "no test reaches it"),
    }


def test_faults_are_killed_by_the_test_that_sees_them_and_loops_without_end_by_time(results):
    killers = {changed(one): (one["by"].split("::")[1], one["why"], one["at_import"]) for one in results if "by" in one}
    assert killers["while not n:"][0] == "test_steps"
    assert killers["n -= 0"] == ("test_steps", "took too long", False)
    assert killers["SMALLEST = 4"][::2] == ("test_is_large", True)
    assert len(results) == len({one["diff"] for one in results}) > 20


def changed(result):
    """The line that a mutant puts in another's place."""
    return next(line[1:].strip() for line in result["diff"].splitlines()[3:] if line.startswith("+"))


def mutated(code):
    """The first changed line of each mutant of a text."""
    found = set()
    for mutant in mutants_of(ROOT, Source(dedent(code))):
        before, after = dedent(code).splitlines(), (mutant.mutated(dedent(code)) or dedent(code)).splitlines()
        found |= {new.strip() for old, new in zip(before, after, strict=False) if old != new}
    return found


@pytest.mark.parametrize(
    "code",
    [
        "def f(a: int | None, *, b: 'str | None' = None) -> int | None:\n    return a\n",
        "Vector = NDArray[float64]\nNumber = int | float\n",
        "if TYPE_CHECKING:\n    x = 1 + 2\n",
        "logger.info('%d of %d', done + 1, n, extra={'a': 1})\n",
        "@compiled\ndef f(a):\n    return a\n",
        "@dataclass(frozen=True, slots=True)\nclass A:\n    x: int | None\n",
        "pairs = list(zip(one, two, strict=True))\n",
        "x = cast('int | None', y)\n",
        'def f():\n    """Of 1 + 1."""\n',
    ],
)
def test_types_logs_and_guards_are_left_out(code):
    assert mutated(code) == set()


def test_what_decides_is_not_left_out():
    code = """
        @transaction.atomic
        def f(a: int = 1) -> bool:
            events.record(kind=2)
            return Study.objects.filter(user=a).exists() and a < 3
    """
    assert {
        "def f(a: int = 2) -> bool:",
        "pass",
        "events.record()",
        "return Study.objects.exists() and a < 3",
        "return Study.objects.filter().exists() and a < 3",
        "return Study.objects.filter(user=a).exists() or a < 3",
        "return Study.objects.filter(user=a).exists() and a <= 3",
    } < mutated(code)


@pytest.mark.parametrize("operator", OPERATORS.values())
def test_operators_do_what_their_examples_show(operator):
    for example in operator.examples():
        assert mutate_code(example.pre_mutation_code, operator(), example.occurrence) == example.post_mutation_code


def test_a_fault_leaves_every_other_line_where_it_was():
    code = "f(\n    a=1,\n    b=2,\n)\nx = (\n    y.filter(\n        a=1\n    )\n)\n"
    source = Source(code)
    assert {(mutant.mutated(code) or "").count("\n") for mutant in mutants_of(ROOT, source)} == {code.count("\n")}


def test_a_larger_sample_begins_with_the_smaller_one_and_takes_every_place_before_one_twice():
    sources = {path: Source((ROOT / path).read_text()) for path in SAMPLE.paths()}
    small, large = (sample(sources, size, seed=3) for size in (5, 1000))
    assert large[:5] == small
    places = [(mutant.line, mutant.column, mutant.family) for mutant, _ in large]
    different = len(set(places))
    assert len(set(places[:different])) == different < len(places)
    assert sample(sources, 1000, seed=4) != large


def test_a_line_inside_a_function_waits_for_its_call_and_defaults_and_decorators_do_not():
    source = Source("@a(1)\ndef f(x=2):\n    if x:\n        y = [\n            3,\n        ]\n    return 4\nz = 5\n")
    assert source.place((1, 3)) == Place(range(1, 3), in_function=False)
    assert source.place((2, 8)).in_function is False
    assert source.place((3, 7)) == Place(range(3, 4), in_function=True)
    assert source.place((5, 12)) == Place(range(4, 7), in_function=True)
    assert source.place((8, 4)) == Place(range(8, 9), in_function=False)


def test_only_methods_of_the_classes_asked_for_are_mutated():
    code = """
        x = 1
        class AQuerySet:
            n = 2
            def f(self):
                return 3
        class B:
            def g(self):
                return 4
    """
    assert {mutant.line for mutant in mutants_of(ROOT, Source(dedent(code), "*QuerySet"))} == {6}


def test_one_test_of_each_file_is_asked_before_another_of_one_and_slow_ones_not_at_all():
    took = {"a::1": 1.0, "a::2": 2.0, "b::1": 3.0, "b::2": 1000.0, "a::3": 0.5}
    tests = [
        {"test": name, "seconds": seconds, "outcome": "passed", "empties": name == "a::3"}
        for name, seconds in took.items()
    ]
    assert in_order(took, Reach(tests)) == ["b::1", "a::1", "a::2", "a::3"]


def test_every_target_has_files_and_tests():
    assert [name for name, target in TARGETS.items() if not target.paths()] == []
    named = {path.removeprefix("--ignore=") for target in TARGETS.values() for path in target.tests}
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    for target in TARGETS.values():
        assert all(list(ROOT.glob(entry.partition("::")[0])) for entry in target.files)


def test_the_command_refuses_what_it_does_not_know():
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation", "nothing"], cwd=ROOT, text=True, capture_output=True, check=False
    )
    assert done.returncode == 2
    assert "no such target: nothing" in done.stderr
