"""Agreement against NLTK, `krippendorff` and scikit-learn: 11,000 items x 5.5 annotations of 33 labels, intervals on
top; and the whole analysis of 10,000 people with 40,000 annotations, every two of them compared.

    python -m tests.benchmarks.agreement [--items 11000] [--people 10000] [--rounds 7]

Each contestant starts from the data in the form that it takes: NLTK from triples with frozensets, `krippendorff` from a
reliability matrix or from counts, ours from the same Python sets, or from flat columns. The sets are simulated: 1 to 3
true areas an item, of which each person sees most, and sometimes adds one of their own.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import django
import krippendorff
import numpy as np
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance
from sklearn.metrics import cohen_kappa_score

from metaeval.stats.agreement import (
    Annotations,
    Bootstrap,
    LabelCounts,
    SetAnnotations,
    cohen_kappas,
    krippendorff_alpha,
    mean_binary_alpha,
)

from ._cpu import cpu_seconds
from ._timing import Row, compare, report, seconds

LABELS, PEOPLE = 33, 50
EACH, COMMON = 4, 3
"""In a crowd: the annotations of one person, and the least items in common of a pair."""
LIMIT = 3.0
"""Seconds of processor time in which the whole analysis of a crowd is to be done."""
COMPILE = """
import time, numpy as np
start = time.perf_counter()
from metaeval.stats.agreement import Bootstrap, SetAnnotations, krippendorff_alpha
import metaeval.stats.agreement.kernels
loaded = time.perf_counter()
sets = SetAnnotations.from_indicators([1, 1, 2, 2], None, np.eye(4, dtype=bool))
krippendorff_alpha(sets, "masi", bootstrap=Bootstrap(10))
print(loaded - start, time.perf_counter() - loaded)
"""


class Data:
    """The same answers in every form that a contestant takes."""

    def __init__(self, items: int, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        popular = 1 / np.arange(1, LABELS + 1) ** 0.8
        popular /= popular.sum()
        order = (np.log(popular) - np.log(-np.log(rng.random((items, LABELS))))).argsort(axis=1)[:, ::-1]
        truth = order[:, :3]  # three labels without replacement, popular ones first
        known = rng.choice([1, 1, 2, 2, 3], items)
        sizes = rng.choice([5, 6], items)
        self.item = np.repeat(np.arange(items), sizes)
        rows = len(self.item)
        self.person = np.concatenate([rng.permutation(PEOPLE)[:size] for size in sizes])
        self.marks = np.zeros((rows, LABELS), dtype=bool)
        for place in range(3):
            sees = (known[self.item] > place) & (rng.random(rows) < 0.7)
            self.marks[sees, truth[self.item[sees], place]] = True
        extra = np.repeat(np.arange(rows), rng.poisson(0.2, rows))
        self.marks[extra, rng.choice(LABELS, len(extra), p=popular)] = True
        empty = np.flatnonzero(~self.marks.any(axis=1))
        self.marks[empty, rng.choice(LABELS, len(empty), p=popular)] = True
        self.sets = [frozenset(np.flatnonzero(row).tolist()) for row in self.marks]
        self.triples = list(zip(self.person.tolist(), self.item.tolist(), self.sets, strict=True))
        self.label = self.marks.argmax(axis=1)
        self.matrix = np.full((PEOPLE, items), np.nan)
        self.matrix[self.person, self.item] = self.label
        self.compact = np.full((6, items), np.nan)  # who is who does not matter to alpha: fewer rows to look at
        self.compact[np.concatenate([np.arange(size) for size in sizes]), self.item] = self.label
        self.counts = np.zeros((items, LABELS), dtype=int)
        np.add.at(self.counts, (self.item, self.label), 1)
        self.sizes = np.bincount(self.item, minlength=items)
        self.chosen = np.zeros((items, LABELS), dtype=int)
        np.add.at(self.chosen, self.item, self.marks)

    def from_columns(self) -> SetAnnotations:
        return SetAnnotations.from_indicators(self.item, self.person, self.marks)

    def from_sets(self) -> SetAnnotations:
        return SetAnnotations.from_columns(self.item, self.person, self.sets, labels=range(LABELS))

    def labels(self) -> Annotations:
        return Annotations.from_columns(self.item, self.person, self.label)

    def nltk(self) -> float:
        return float(AnnotationTask(self.triples, distance=masi_distance).alpha())

    def krippendorff_counts(self) -> float:
        """One label at a time, from the counts as they are."""
        return float(
            np.mean(
                [
                    krippendorff.alpha(
                        value_counts=np.column_stack([self.sizes - yes, yes]), level_of_measurement="nominal"
                    )
                    for yes in self.chosen.T
                ]
            )
        )

    def krippendorff_binary(self) -> float:
        """One label at a time, from its counts: the cheapest way that the package offers."""
        sizes = np.bincount(self.item)
        alphas = []
        for label in range(LABELS):
            yes = np.bincount(self.item, weights=self.marks[:, label]).astype(int)
            alphas.append(
                krippendorff.alpha(value_counts=np.column_stack([sizes - yes, yes]), level_of_measurement="nominal")
            )
        return float(np.mean(alphas))


def theirs(matrix: np.ndarray) -> float:
    return float(krippendorff.alpha(matrix, level_of_measurement="nominal"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=11_000)
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
    django.setup()
    data = Data(options.items)
    check(data)
    rows = [*against_nltk(data), *against_krippendorff(data, options.rounds), *of_a_crowd(options.people)]
    different = len(data.from_columns().members)
    title = (
        f"Agreement, {options.items:,} items, {len(data.item):,} annotations, "
        f"{LABELS} labels, {different:,} different sets"
    )
    return 0 if report(title, rows, [*growth(options.items), compile_time()]) else 1


def check(data: Data) -> None:
    """Both compute the same thing."""
    small = Data(300, seed=2)
    assert abs(small.nltk() - krippendorff_alpha(small.from_sets(), "masi").value) < 1e-10
    assert abs(theirs(data.matrix) - krippendorff_alpha(data.labels()).value) < 1e-10
    assert abs(theirs(data.compact) - krippendorff_alpha(data.labels()).value) < 1e-10
    by_counts = mean_binary_alpha(LabelCounts.from_counts(data.chosen, data.sizes)).value
    assert abs(data.krippendorff_counts() - by_counts) < 1e-10
    assert abs(data.krippendorff_binary() - mean_binary_alpha(data.from_columns()).value) < 1e-10


def against_nltk(data: Data) -> list[Row]:
    name = "nltk AnnotationTask.alpha"
    return [
        compare(
            "MASI alpha, from columns",
            ours=lambda: krippendorff_alpha(data.from_columns(), "masi"),
            other=data.nltk,
            other_name=name,
            rounds=3,
            target=400,
        ),
        compare(
            "MASI alpha, from the same Python sets",
            ours=lambda: krippendorff_alpha(data.from_sets(), "masi"),
            other=data.nltk,
            other_name=name,
            rounds=3,
            target=400,
        ),
        compare(
            "its interval, 1,000 resamples",
            ours=lambda: krippendorff_alpha(data.from_columns(), "masi", bootstrap=Bootstrap(1000)),
            other=data.nltk,
            other_name=name + ", the single value",
            rounds=3,
            target=10,
        ),
        compare(
            "its BCa interval, 1,000 resamples",
            ours=lambda: krippendorff_alpha(data.from_columns(), "masi", bootstrap=Bootstrap(1000, method="bca")),
            other=data.nltk,
            other_name=name + ", the single value",
            rounds=1,
        ),
    ]


def against_krippendorff(data: Data, rounds: int) -> list[Row]:
    return [
        compare(
            "nominal alpha, from a matrix of 6 annotators",
            ours=lambda: krippendorff_alpha(Annotations.from_matrix(data.compact)),
            other=lambda: theirs(data.compact),
            other_name="krippendorff, the same matrix",
            rounds=rounds,
            target=10,
        ),
        compare(
            f"nominal alpha, from a matrix of {PEOPLE} annotators",
            ours=lambda: krippendorff_alpha(Annotations.from_matrix(data.matrix)),
            other=lambda: theirs(data.matrix),
            other_name="krippendorff, the same matrix",
            rounds=rounds,
            target=10,
        ),
        compare(
            "nominal alpha, from counts",
            ours=lambda: krippendorff_alpha(Annotations.from_counts(data.counts)),
            other=lambda: krippendorff.alpha(value_counts=data.counts, level_of_measurement="nominal"),
            other_name="krippendorff, the same counts",
            rounds=rounds,
            target=20,
        ),
        compare(
            "mean of 33 binary alphas, from counts",
            ours=lambda: mean_binary_alpha(LabelCounts.from_counts(data.chosen, data.sizes)),
            other=data.krippendorff_counts,
            other_name="krippendorff x 33, the same counts",
            rounds=rounds,
            target=20,
        ),
        compare(
            "mean of 33 binary alphas, from columns",
            ours=lambda: mean_binary_alpha(data.from_columns()),
            other=data.krippendorff_binary,
            other_name="krippendorff x 33, counts",
            rounds=rounds,
        ),
        compare(
            "its interval, 1,000 resamples",
            ours=lambda: mean_binary_alpha(data.from_columns(), bootstrap=Bootstrap(1000)),
            other=data.krippendorff_binary,
            other_name="krippendorff x 33, the single value",
            rounds=3,
        ),
    ]


class Crowd:
    """Many people with few annotations each: every one labels some items in a row, beginning anywhere."""

    def __init__(self, people: int, items: int, seed: int = 3) -> None:
        rng = np.random.default_rng(seed)
        self.person = np.repeat(np.arange(people), EACH)
        self.item = (np.repeat(rng.integers(0, items, people), EACH) + np.tile(np.arange(EACH), people)) % items
        self.label = rng.integers(1, 6, len(self.item))
        self.marks = rng.random((len(self.item), 5)) < 0.4

    def labels(self) -> Annotations:
        return Annotations.from_columns(self.item, self.person, self.label, labels=range(1, 6))

    def sets(self) -> SetAnnotations:
        return SetAnnotations.from_indicators(self.item, self.person, self.marks, labels=tuple("12345"))

    def analysed(self, *, sets: bool = False, **parameters: object) -> None:
        """The whole analysis, without a database."""
        from metaeval.analyses.base.computing import result_of
        from metaeval.analyses.base.registry import analyses
        from metaeval.analyses.base.work import Work
        from metaeval.analyses.inputs import DatasetInputs

        inputs = DatasetInputs(
            slug="crowd",
            title="Crowd",
            task="multilabel" if sets else "ordinal",
            labels=tuple("12345"),
            values=None if sets else (1.0, 2.0, 3.0, 4.0, 5.0),
            P=np.empty((0, 5)),
            fingerprint="0" * 64,
            read_annotations=self.sets if sets else self.labels,
        )
        entry = analyses.get("agreement")
        asked = entry.validated({"least_common": COMMON, **parameters})
        result_of(inputs=inputs, entry=entry, parameters=asked, seed=1, work=Work(lambda *_: None))

    def kappas(self) -> int:
        return len(cohen_kappas(self.labels(), least_common=COMMON).pairs)

    def scikit_learn(self, pairs: int) -> None:
        """That many kappas, given the pairs and their common items."""
        for place in range(pairs):
            cohen_kappa_score(self.label[4 * place : 4 * place + 4], self.label[4 * place + 4 : 4 * place + 8])


def of_a_crowd(people: int) -> list[Row]:
    """Every two people: in items of few people, and with 50 and with 400 people an item."""
    crowd, part = Crowd(people, 4 * people // 5), 200
    pairs = crowd.kappas()
    rows = [
        compare(
            f"Cohen's kappa of {pairs:,} pairs among {people:,} people, who they are included",
            ours=crowd.kappas,
            other=lambda: crowd.scikit_learn(part),
            other_name="sklearn cohen_kappa_score, the pairs and their items given",
            rounds=3,
            target=20,
            other_scale=pairs / part,
        )
    ]
    crowds = {"5": crowd, **{str(each): Crowd(people, EACH * people // each) for each in (50, 400)}}
    kinds: dict[str, dict[str, object]] = {"labels": {}, "weighted": {"weighting": "quadratic"}, "sets": {"sets": True}}
    for each, gathered in crowds.items():
        for kind, parameters in kinds.items():
            gathered.analysed(**parameters)  # type: ignore[arg-type]  # `sets` is a truth value
            taken = min(cpu_seconds(lambda g=gathered, p=parameters: g.analysed(**p)) for _ in range(3))
            work = f"the whole analysis, {people:,} people, {each} an item, {kind}, CPU"
            rows.append(Row(work, "the stated limit", LIMIT, taken, LIMIT / taken, 3, target=1))
    return rows


def growth(items: int) -> list[str]:
    """Over three sizes each, best of three."""
    sizes = {count: Data(count) for count in (items // 4, items, 4 * items)}
    built = {count: data.from_columns() for count, data in sizes.items()}
    one = built[items]
    lines = {
        "MASI alpha, items": {n: lambda d=d: krippendorff_alpha(d.from_columns(), "masi") for n, d in sizes.items()},
        "nominal alpha, items": {n: lambda d=d: krippendorff_alpha(d.labels()) for n, d in sizes.items()},
        "MASI interval of 1,000, items": {
            n: lambda s=s: krippendorff_alpha(s, "masi", bootstrap=Bootstrap(1000)) for n, s in built.items()
        },
        "MASI interval, resamples": {
            n: lambda n=n: krippendorff_alpha(one, "masi", bootstrap=Bootstrap(n)) for n in (500, 1000, 2000, 4000)
        },
    }
    return [
        f"{name}: "
        + "; ".join(f"{n:,}: {1000 * min(seconds(run) for _ in range(3)):.1f} ms" for n, run in runs.items())
        for name, runs in lines.items()
    ]


def compile_time() -> str:
    """In a process of its own, with an empty cache and then with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "NUMBA_CACHE_DIR": cache}
        first, second = (
            [float(part) for part in subprocess.check_output([sys.executable, "-c", COMPILE], env=env).split()]
            for _ in range(2)
        )
    return (
        f"First MASI interval in a new process: {first[1]:.1f} s to compile with an empty cache, "
        f"{second[1]:.2f} s with a full one (importing NumPy, SciPy and Numba: {second[0]:.1f} s)."
    )


if __name__ == "__main__":
    sys.exit(main())
