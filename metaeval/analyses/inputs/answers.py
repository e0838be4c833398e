"""Everything that a study's experts did, one entry per place that was taken, and the judgements of systems in it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from annotations.ground.arrays import Integers, Mask, Vector
from metaeval.analyses.inputs.kinds import added_later
from metaeval.analyses.inputs.parts import Exclusion

PILOT = "given in the pilot"
REPEATS = "deliberate repeats, which measure self-consistency"
LABELLED_BEFORE = "labels of a text that the expert had labelled before, beside another system"
LOOKED_ALIKE = "both sides looked the same"


@dataclass(frozen=True, eq=False, kw_only=True)
class Answers:
    """Arrays of one length A, ordered by expert and then by the expert's own order; `labels` is A x K.

    Nothing is left out here: skipped places, the pilot and deliberate repeats are marked, and `counting` says what
    counts. Of several revisions, the newest is used. There are no dates, so that results are the same wherever the
    study is restored.
    """

    comparison: Integers
    """Codes 0, 1, ...: equal for places in the same comparison."""
    instance: Integers
    """Position of the instance in the dataset."""
    first: Integers
    """Position of the first system among the study's systems; -1: the human side."""
    second: Integers
    expert: Integers
    """The expert's number in the study."""
    position: Integers
    """The place in the expert's own order."""
    first_is_a: Mask
    is_pilot: Mask
    is_skipped: Mask
    is_withdrawn: Mask
    """The text was withdrawn from the study, so the place can no longer be answered."""
    repeat_of: Integers
    """For a deliberate repeat, the entry that it repeats; else -1."""
    is_labelled: Mask
    """Step 1 was answered."""
    labels: Mask
    """The labels chosen in step 1: A x K."""
    labels_ms: Vector
    """Active milliseconds of step 1; NaN: unknown."""
    labels_revisions: Integers
    was_shown: Mask
    """Step 2 was shown."""
    is_answered: Mask
    """Step 2 was answered."""
    a_chosen: Mask
    b_chosen: Mask
    certainty: Vector
    """In [0, 1]; NaN: not given."""
    preference_ms: Vector
    preference_revisions: Integers
    guess: Integers
    """Which side the expert guessed at the end to be people's: 0: A, 1: B, 2: cannot say; -1: no guess."""
    identical: Mask = field(metadata=added_later(False))
    """Both sides looked the same, the expert was told so, and could only choose both or neither."""
    instrument: Integers = field(metadata=added_later(-1))
    """The version of the words that the expert read in step 2; -1: unknown, or not answered."""

    def __len__(self) -> int:
        return len(self.expert)

    @property
    def first_chosen(self) -> Mask:
        return np.where(self.first_is_a, self.a_chosen, self.b_chosen)

    @property
    def second_chosen(self) -> Mask:
        return np.where(self.first_is_a, self.b_chosen, self.a_chosen)

    def of(self, kept: Mask) -> Answers:
        """The marked entries alone. The first repeat of one that is left out repeats -1, any other that first one."""
        new_place = np.where(kept, np.cumsum(kept) - 1, -1)
        columns = {column.name: getattr(self, column.name)[kept] for column in fields(self)}
        again = columns["repeat_of"]
        columns["repeat_of"] = np.where(again >= 0, new_place[again], -1)
        orphans = np.flatnonzero((again >= 0) & (columns["repeat_of"] < 0))
        _, first, original = np.unique(again[orphans], return_index=True, return_inverse=True)
        heirs = orphans[first[original]]
        columns["repeat_of"][orphans] = np.where(heirs == orphans, -1, heirs)
        return Answers(**columns)

    def counting(self, answered: Mask, *, include_pilot: bool = False) -> Counted:
        """What counts of the answers that were given (step 1 or step 2): at kept places, no deliberate repeats, and
        none of the pilot unless requested."""
        here = answered & ~self.is_skipped
        repeats = here & (self.repeat_of >= 0)
        pilot = here & ~repeats & self.is_pilot & (not include_pilot)
        return Counted(kept=here & ~repeats & ~pilot, pilot=pilot, repeats=repeats, again=np.zeros_like(here))

    def counting_labels(self, *, include_pilot: bool = False) -> Counted:
        """What counts of step 1: `counting`, and of an expert's labels of one text only the first.

        Experts of a restored study may have judged a text beside two systems. That is two comparisons for step 2, but
        in step 1, it is one person's opinion of one text.
        """
        counted = self.counting(self.is_labelled, include_pilot=include_pilot)
        places = np.flatnonzero(counted.kept)
        text = np.stack([self.expert[places], self.instance[places]])
        first = places[np.unique(text, axis=1, return_index=True)[1]]
        first_answers = np.zeros_like(counted.kept)
        first_answers[first] = True
        return replace(counted, kept=first_answers, again=counted.kept & ~first_answers)


@dataclass(frozen=True, eq=False, kw_only=True)
class Counted:
    """Which answers count, and which do not, by reason: masks over all places."""

    kept: Mask
    pilot: Mask
    repeats: Mask
    again: Mask
    """Labels of a text that the expert had labelled before, beside another system."""

    def exclusions(self, of: str | None = None) -> tuple[Exclusion, ...]:
        """What was left out, as a result lists it; `of` names the step if there are two."""
        about = {} if of is None else {"of": of}
        return tuple(
            Exclusion.model_validate({"what": "responses", "count": int(mask.sum()), "reason": reason, **about})
            for mask, reason in ((self.pilot, PILOT), (self.repeats, REPEATS), (self.again, LABELLED_BEFORE))
            if mask.any()
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Reports:
    """Reported problems, without their texts: arrays of one length."""

    answer: Integers
    """The entry of `Answers` that the report is about."""
    reason: tuple[str, ...] = ()
    skipped: Mask
    """Whether the expert left the place because of it."""

    def __len__(self) -> int:
        return len(self.answer)


@dataclass(frozen=True, eq=False)
class Responses:
    """The preference responses that count, one entry for every judgement of a system's distribution.

    In a study of systems against people, a response judges one system; in a study of systems against systems, it judges
    two and has two entries. All arrays have the same length. `response` and `comparison` are codes.
    """

    response: Integers
    comparison: Integers
    system: Integers
    instance: Integers
    expert: Integers
    chosen: Mask
    other_chosen: Mask
    certainty: Vector
    exclusions: tuple[Exclusion, ...] = ()
    identical: Mask | None = None
    """Whether both sides looked the same; None: nowhere."""

    def __len__(self) -> int:
        return len(self.system)

    def of(self, kept: Mask) -> Responses:
        """The marked judgements alone."""
        columns: dict[str, Any] = {
            name: column[kept] for name, column in vars(self).items() if isinstance(column, np.ndarray)
        }
        return replace(self, **columns)

    @property
    def both(self) -> Mask:
        both: Mask = self.chosen & self.other_chosen
        return both

    @property
    def looked_alike(self) -> Mask:
        """Whether both sides looked the same, so that nothing could be preferred."""
        return np.zeros(len(self), dtype=np.bool_) if self.identical is None else self.identical

    @property
    def counts(self) -> dict[str, int]:
        return {
            "responses": len(np.unique(self.response)),
            "comparisons": len(np.unique(self.comparison)),
            "experts": len(np.unique(self.expert)),
        }


def judgements(answers: Answers, *, include_pilot: bool) -> Responses:
    """The responses that count. Those of the pilot (unless requested) and deliberate repeats are listed as left out."""
    counted = answers.counting(answers.is_answered, include_pilot=include_pilot)
    rows = np.flatnonzero(counted.kept)
    of_two = rows[answers.first[rows] >= 0]
    entry = np.concatenate([rows, of_two])
    is_second = np.arange(len(entry)) < len(rows)
    order = np.lexsort([~is_second, entry])
    entry, is_second = entry[order], is_second[order]
    first_chosen, second_chosen = answers.first_chosen[entry], answers.second_chosen[entry]
    return Responses(
        response=entry.astype(np.int64),
        comparison=answers.comparison[entry],
        system=np.where(is_second, answers.second[entry], answers.first[entry]),
        instance=answers.instance[entry],
        expert=answers.expert[entry],
        chosen=np.where(is_second, second_chosen, first_chosen),
        other_chosen=np.where(is_second, first_chosen, second_chosen),
        certainty=answers.certainty[entry],
        exclusions=counted.exclusions(),
        identical=answers.identical[entry],
    )
